//! Loads libraries, and finds their functions.
#![expect(unsafe_code, reason = "libraries in C are loaded")]

use std::error::Error;
#[cfg(unix)]
use std::ffi::c_void;
use std::ffi::{CStr, c_char};
use std::path::{Path, PathBuf};
#[cfg(unix)]
use std::ptr::{null, null_mut};
use std::slice;

use libloading::Library as Loaded;

use crate::error::{AttError, WITHOUT};
use crate::rocm::{self, Chosen, Library};

/// Returned by a function of either library if it succeeds.
pub const SUCCESS: i32 = 0;

/// Returns the array at an address; empty if there is none.
///
/// # Safety
/// Unless `start` is null, there must be `count` items.
pub unsafe fn array<'a, T>(start: *const T, count: u64) -> &'a [T] {
    match usize::try_from(count) {
        // SAFETY: the caller says so.
        Ok(count) if !start.is_null() && count > 0 => unsafe {
            slice::from_raw_parts(start, count)
        },
        _ => &[],
    }
}

/// Returns the text at an address.
///
/// # Safety
/// Unless `text` is null, a zero must end it.
pub unsafe fn text(text: *const c_char) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller says so.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Loads a library from the first place that has it. Returns it with that place.
pub fn load(library: &Library, chosen: Option<&Chosen>) -> Result<(Loaded, PathBuf), AttError> {
    let mut tried = Vec::new();
    let mut why = None;
    for path in rocm::candidates(library, chosen) {
        // SAFETY: loading runs the initializers of the library. This process has no other purpose.
        match unsafe { Loaded::new(&path) } {
            Ok(loaded) => return Ok((loaded, path)),
            Err(error) => {
                // Of several reasons, that of a file which is there tells the most.
                if why.is_none() || path.is_file() {
                    let cause = error.source().map(ToString::to_string);
                    why = Some(cause.unwrap_or_else(|| error.to_string()));
                }
                tried.push(path.display().to_string());
            }
        }
    }
    let how = chosen.map_or_else(String::new, |chosen| format!(" (from {})", chosen.by));
    Err(AttError::Lacking(format!(
        "cannot load {}, which {}: {}; tried {}{how}. Install {}, or name its folder with option `rocm_library_path` or IREE_HAL_AMDGPU_LIBAQLPROFILE_PATH. {WITHOUT}",
        library.names.first().copied().unwrap_or_default(),
        library.does,
        why.unwrap_or_default(),
        tried.join(", "),
        library.package
    )))
}

/// Returns a function of a library.
///
/// # Safety
/// It must have the type `T`, and must not be called once the library is dropped.
pub unsafe fn function<T: Copy>(loaded: &Loaded, path: &Path, name: &str) -> Result<T, AttError> {
    // SAFETY: the caller says so.
    match unsafe { loaded.get::<T>(name) } {
        Ok(function) => Ok(*function),
        Err(_) => Err(AttError::Lacking(format!(
            "{} has no function {name}; a later version of ROCm is needed",
            path.display()
        ))),
    }
}

/// Returns the path of the library that has a function; `loaded_as` where the system cannot tell.
#[cfg(unix)]
pub fn path_of(function: *const c_void, loaded_as: &Path) -> PathBuf {
    let mut found = libc::Dl_info {
        dli_fname: null(),
        dli_fbase: null_mut(),
        dli_sname: null(),
        dli_saddr: null_mut(),
    };
    // SAFETY: any address may be asked for, and a name that is found lives as long as the library.
    let name = unsafe {
        if libc::dladdr(function, &raw mut found) == 0 {
            String::new()
        } else {
            text(found.dli_fname)
        }
    };
    if name.is_empty() { loaded_as.to_owned() } else { name.into() }
}

#[cfg(not(unix))]
pub fn path_of(_: *const std::ffi::c_void, loaded_as: &Path) -> PathBuf {
    loaded_as.to_owned()
}

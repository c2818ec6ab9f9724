//! The disassembler in `libamd_comgr`.
#![expect(unsafe_code, reason = "a library in C is called")]

use std::ffi::{c_char, c_void};
use std::path::PathBuf;
use std::ptr::null;

use libloading::Library as Loaded;

use super::library::{SUCCESS, function, load, text};
use crate::error::AttError;
use crate::rocm::{self, Chosen};

type StatusString = unsafe extern "C" fn(i32, *mut *const c_char) -> i32;
type CreateData = unsafe extern "C" fn(i32, *mut u64) -> i32;
type Release = unsafe extern "C" fn(u64) -> i32;
type SetData = unsafe extern "C" fn(u64, usize, *const c_char) -> i32;
type GetIsaName = unsafe extern "C" fn(u64, *mut usize, *mut c_char) -> i32;
type ReadMemory = unsafe extern "C" fn(u64, *mut c_char, u64, *mut c_void) -> u64;
type PrintInstruction = unsafe extern "C" fn(*const c_char, *mut c_void);
type PrintAddress = unsafe extern "C" fn(u64, *mut c_void);
type CreateInfo = unsafe extern "C" fn(
    *const c_char,
    ReadMemory,
    PrintInstruction,
    PrintAddress,
    *mut u64,
) -> i32;
type Disassemble = unsafe extern "C" fn(u64, u64, *mut c_void, *mut u64) -> i32;

/// The kind of data that is an executable.
const EXECUTABLE: i32 = 8;

/// Size of the longest name of an instruction set.
const ISA_NAME: usize = 256;

/// Size of the longest text of an instruction, as `iree-profile` prints it.
const INSTRUCTION: usize = 1023;

/// The library that disassembles.
pub struct Comgr {
    status_string: StatusString,
    create_data: CreateData,
    release_data: Release,
    set_data: SetData,
    get_isa_name: GetIsaName,
    create_info: CreateInfo,
    destroy_info: Release,
    disassemble: Disassemble,
    pub path: PathBuf,
    _library: Loaded,
}

/// A disassembler of one image.
pub struct Disassembler<'a> {
    comgr: &'a Comgr,
    data: u64,
    info: u64,
}

/// An instruction that is disassembled: the bytes from its address on, and its text.
struct Listed<'a> {
    address: u64,
    bytes: &'a [u8],
    text: String,
}

impl Comgr {
    /// Loads the library.
    pub fn new(chosen: Option<&Chosen>) -> Result<Self, AttError> {
        let (library, path) = load(&rocm::COMGR, chosen)?;
        // SAFETY: the types are those of comgr's header; the functions are kept with the library.
        unsafe {
            let name = |name: &'static str| format!("amd_comgr_{name}");
            Ok(Self {
                status_string: function(&library, &path, &name("status_string"))?,
                create_data: function(&library, &path, &name("create_data"))?,
                release_data: function(&library, &path, &name("release_data"))?,
                set_data: function(&library, &path, &name("set_data"))?,
                get_isa_name: function(&library, &path, &name("get_data_isa_name"))?,
                create_info: function(&library, &path, &name("create_disassembly_info"))?,
                destroy_info: function(&library, &path, &name("destroy_disassembly_info"))?,
                disassemble: function(&library, &path, &name("disassemble_instruction"))?,
                path,
                _library: library,
            })
        }
    }

    /// Prepares to disassemble an image.
    pub(crate) fn disassembler(&self, image: &[u8]) -> Result<Disassembler<'_>, AttError> {
        let mut made = Disassembler { comgr: self, data: 0, info: 0 };
        let mut name: [c_char; ISA_NAME] = [0; ISA_NAME];
        let mut length = name.len();
        // SAFETY: the library writes handles, copies the image, and writes at most `length` bytes of a name, which ends
        // with a zero.
        unsafe {
            let status = (self.create_data)(EXECUTABLE, &raw mut made.data);
            self.check(status, "amd_comgr_create_data")?;
            let status = (self.set_data)(made.data, image.len(), image.as_ptr().cast());
            self.check(status, "amd_comgr_set_data")?;
            let status = (self.get_isa_name)(made.data, &raw mut length, name.as_mut_ptr());
            self.check(status, "amd_comgr_get_data_isa_name")?;
            let status =
                (self.create_info)(name.as_ptr(), read, print, annotate, &raw mut made.info);
            self.check(status, "amd_comgr_create_disassembly_info")?;
        }
        Ok(made)
    }

    fn check(&self, status: i32, what: &str) -> Result<(), AttError> {
        if status == SUCCESS {
            return Ok(());
        }
        let mut name = null();
        // SAFETY: the library writes the address of a constant.
        let name = unsafe {
            (self.status_string)(status, &raw mut name);
            text(name)
        };
        let path = self.path.display();
        Err(AttError::Failed(format!(
            "{what} failed with AMD COMGR status {status} ({name}) (in {path})"
        )))
    }
}

impl Disassembler<'_> {
    /// Returns the text of the instruction at the start of `bytes`; `None` if there is none.
    pub fn text(&self, address: u64, bytes: &[u8]) -> Option<String> {
        let mut listed = Listed { address, bytes, text: String::new() };
        let mut size = 0;
        let user = (&raw mut listed).cast();
        // SAFETY: the library calls the functions below with `user` until it returns.
        let status = unsafe { (self.comgr.disassemble)(self.info, address, user, &raw mut size) };
        Some(listed.text).filter(|text| status == SUCCESS && !text.is_empty())
    }
}

impl Drop for Disassembler<'_> {
    fn drop(&mut self) {
        // SAFETY: the handles were created, and are used no more.
        unsafe {
            if self.info != 0 {
                (self.comgr.destroy_info)(self.info);
            }
            if self.data != 0 {
                (self.comgr.release_data)(self.data);
            }
        }
    }
}

/// Copies bytes of an instruction. Returns their number.
unsafe extern "C" fn read(from: u64, to: *mut c_char, size: u64, user: *mut c_void) -> u64 {
    // SAFETY: `Disassembler::text` passes this pointer.
    let Some(listed) = (unsafe { user.cast::<Listed<'_>>().as_ref() }) else { return 0 };
    let start = from.checked_sub(listed.address).and_then(|start| usize::try_from(start).ok());
    let bytes = start.and_then(|start| listed.bytes.get(start..)).unwrap_or_default();
    let count = bytes.len().min(usize::try_from(size).unwrap_or(usize::MAX));
    if !to.is_null() {
        // SAFETY: the library has room for `size` bytes.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr().cast(), count) }
    }
    count as u64
}

/// Keeps the text of an instruction.
unsafe extern "C" fn print(instruction: *const c_char, user: *mut c_void) {
    // SAFETY: `Disassembler::text` passes this pointer, and a zero ends the text.
    unsafe {
        if let Some(listed) = user.cast::<Listed<'_>>().as_mut() {
            listed.text = text(instruction);
            let end = listed.text.floor_char_boundary(INSTRUCTION);
            listed.text.truncate(end);
        }
    }
}

/// Ignores where a branch leads to, which is no part of the text.
unsafe extern "C" fn annotate(_: u64, _: *mut c_void) {}

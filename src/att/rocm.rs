//! Where the libraries of ROCm are looked for, in the order of `iree-profile`.

use std::env;
use std::path::{Path, PathBuf};

/// Environment variables that name a folder or a library, as IREE's runtime uses them when it captures.
const VARIABLES: [&str; 2] = ["IREE_HAL_AMDGPU_LIBAQLPROFILE_PATH", "IREE_HAL_AMDGPU_LIBHSA_PATH"];

/// Where ROCm is installed by default. The system may not search there.
const INSTALLED: &str = "/opt/rocm/lib";

/// A library, by its names: without a version, and with those that are known.
#[derive(Debug, Clone, Copy)]
pub struct Library {
    pub names: &'static [&'static str],
    /// What it is needed for.
    pub does: &'static str,
    /// What to install to have it.
    pub package: &'static str,
}

/// The library that decodes traces.
pub(crate) const ROCPROFILER: Library = Library {
    names: &["librocprofiler-sdk.so", "librocprofiler-sdk.so.1"],
    does: "decodes traces",
    package: "ROCm's rocprofiler-sdk (ROCm 7 or later)",
};

/// The library that the former loads from its folder.
pub(crate) const TRACE_DECODER: &str = "librocprof-trace-decoder.so";

/// The library that disassembles instructions.
pub const COMGR: Library = Library {
    names: &["libamd_comgr.so", "libamd_comgr.so.3", "libamd_comgr.so.2"],
    does: "disassembles instructions",
    package: "ROCm's comgr (libamd-comgr2 in Debian)",
};

/// A place that was chosen by the user: a folder, or a library in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    pub path: PathBuf,
    /// The option or variable that named it.
    pub by: &'static str,
}

impl Chosen {
    /// Returns the place that the flag or the environment names; `None` if the system is searched.
    pub fn of(flag: Option<&Path>) -> Option<Self> {
        let flag = flag.filter(|path| !path.as_os_str().is_empty());
        if let Some(path) = flag {
            return Some(Self { path: path.to_owned(), by: "option `rocm_library_path`" });
        }
        let named = |by: &'static str| {
            let path = env::var_os(by).filter(|path| !path.is_empty())?;
            Some(Self { path: path.into(), by })
        };
        VARIABLES.into_iter().find_map(named)
    }

    /// Returns the folder: the path, or that of the library that it names.
    fn folder(&self) -> &Path {
        let name = self.path.file_name().unwrap_or_default().to_string_lossy();
        let is_library = name.ends_with(".so") || name.contains(".so.");
        match self.path.parent() {
            Some(parent) if is_library && !self.path.is_dir() => parent,
            _ => &self.path,
        }
    }
}

/// Returns the paths of a library in the order in which they are tried. A name alone is searched by the system.
pub fn candidates(library: &Library, chosen: Option<&Chosen>) -> Vec<PathBuf> {
    let names = library.names.iter();
    let Some(chosen) = chosen else {
        let installed = library.names.iter().map(|name| Path::new(INSTALLED).join(name));
        return names.map(PathBuf::from).chain(installed).collect();
    };
    // Loading a name without a folder would search the system.
    names.map(|name| Path::new(".").join(chosen.folder()).join(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(path: &str) -> PathBuf {
        let chosen = Chosen { path: path.into(), by: "flag" };
        candidates(&COMGR, Some(&chosen)).swap_remove(0)
    }

    #[test]
    fn a_folder_or_a_library_in_it_is_chosen() {
        for path in ["/rocm/lib", "/rocm/lib/libamd_comgr.so", "/rocm/lib/libhsa-runtime64.so.1"] {
            assert_eq!(first(path), Path::new("/rocm/lib/libamd_comgr.so"), "{path}");
        }
        assert_eq!(first("lib"), Path::new("./lib/libamd_comgr.so"));
        assert_eq!(first("libhsa.so"), Path::new("./libamd_comgr.so"));
        assert_eq!(candidates(&COMGR, None)[0], Path::new("libamd_comgr.so"));
    }

    #[test]
    fn the_flag_comes_first() {
        let chosen = Chosen::of(Some(Path::new("/flag"))).unwrap();
        assert_eq!(
            (chosen.path.as_path(), chosen.by),
            (Path::new("/flag"), "option `rocm_library_path`")
        );
    }
}

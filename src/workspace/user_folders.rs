//! The folders of this program among those of the user: XDG base directories, which need not exist. As that standard says,
//! a variable with a relative path counts as not set.

use std::path::PathBuf;

/// Returns the folder of settings. `None` if there is no home folder.
pub fn config() -> Option<PathBuf> {
    folder("XDG_CONFIG_HOME", ".config")
}

/// Returns the folder of what the program keeps for later. `None` if there is no home folder.
pub fn cache() -> Option<PathBuf> {
    folder("XDG_CACHE_HOME", ".cache")
}

/// Returns the folder of histories of commands. `None` if there is no home folder.
pub fn state() -> Option<PathBuf> {
    folder("XDG_STATE_HOME", ".local/state")
}

fn folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    let given = |name| std::env::var_os(name).filter(|path| !path.is_empty()).map(PathBuf::from);
    let base = given(variable).filter(|path| path.is_absolute());
    let base = base.or_else(|| Some(given("HOME")?.join(in_home)))?;
    Some(base.join("ireescope"))
}

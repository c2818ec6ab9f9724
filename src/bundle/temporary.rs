//! Files that are renamed when they are whole.

use std::path::Path;

use tempfile::NamedTempFile;

/// A file in `folder`, with the rights of any new file.
#[cfg(unix)]
pub fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // As any new file: the umask takes away what it takes away.
    tempfile::Builder::new()
        .prefix(".ireescope-")
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
}

/// A file in `folder`.
#[cfg(not(unix))]
pub fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".ireescope-").tempfile_in(folder)
}

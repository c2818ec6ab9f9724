//! Creates temporary files for atomic writes: they are renamed to their final name once they are complete.

use std::path::Path;

use tempfile::NamedTempFile;

/// Creates a temporary file in `folder`, with the permissions of an ordinary new file.
#[cfg(unix)]
pub fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // tempfile defaults to 0600. The umask restricts 0666 as for any new file.
    tempfile::Builder::new()
        .prefix(".ireescope-")
        .permissions(std::fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
}

/// Creates a temporary file in `folder`.
#[cfg(not(unix))]
pub fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".ireescope-").tempfile_in(folder)
}

/// Writes a file atomically: to a temporary file in its folder, which then takes its place.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut NamedTempFile) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut file = temporary(path.parent().unwrap_or(Path::new(".")))?;
    write(&mut file)?;
    file.persist(path)?;
    Ok(())
}

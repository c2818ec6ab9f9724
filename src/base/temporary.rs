//! Temporary files and folders for atomic writes: they are renamed to their final name once they are complete.
//!
//! Each is locked as long as its process uses it. What a killed process left is thus recognized, and removed by the next
//! process that writes into the same folder. A process that ends on a signal removes its own with [`remove_all`].

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::{Builder, NamedTempFile, TempDir, TempPath};

const PREFIX: &str = ".ireescope-";

/// The files and folders that this process created, and that are there. Those that were renamed or removed are taken out
/// with the next one.
static CREATED: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// Creates a temporary file in `folder`, with the permissions of an ordinary new file.
pub fn temporary(folder: &Path) -> io::Result<NamedTempFile> {
    remove_abandoned(folder);
    let mut builder = Builder::new();
    builder.prefix(PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // tempfile defaults to 0600. The umask restricts 0666 as for any new file.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    locked(|| {
        let file = builder.tempfile_in(folder)?;
        let (path, lock) = (file.path().to_owned(), file.as_file().try_lock());
        Ok((file, path, lock))
    })
}

/// A temporary folder with its lock.
#[derive(Debug)]
pub struct Staging {
    pub folder: TempDir,
    _lock: Option<File>,
}

impl Staging {
    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

/// Creates a temporary folder in `folder`.
pub fn staging(folder: &Path) -> io::Result<Staging> {
    remove_abandoned(folder);
    locked(|| {
        let folder = Builder::new().prefix(PREFIX).tempdir_in(folder)?;
        let file = File::open(folder.path()).ok();
        let lock = file.as_ref().map_or(Ok(()), File::try_lock);
        let path = folder.path().to_owned();
        Ok((Staging { folder, _lock: file }, path, lock))
    })
}

/// Writes a file atomically: to a temporary file in its folder, which then takes its place.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut NamedTempFile) -> io::Result<()>,
) -> io::Result<()> {
    let mut file = temporary(path.parent().unwrap_or(Path::new(".")))?;
    write(&mut file)?;
    file.persist(path)?;
    Ok(())
}

/// Opens a temporary file beside `path`, to take its place once it is whole; a device or pipe itself.
pub fn replacing(path: &Path) -> io::Result<(File, Option<TempPath>)> {
    if is_device(path) {
        return Ok((File::options().write(true).open(path)?, None));
    }
    // Drops the name of the temporary file from the message.
    let created = temporary(folder_of(path)).map_err(|failed| io::Error::from(failed.kind()))?;
    let (file, temporary) = created.into_parts();
    Ok((file, Some(temporary)))
}

/// Whether a path is there and is no file, such as a device or a pipe.
pub fn is_device(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| !metadata.is_file())
}

/// Returns the folder of a file.
pub fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Lets two folders change places.
#[cfg(target_os = "linux")]
pub fn exchange(one: &Path, other: &Path) -> io::Result<()> {
    use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
    Ok(renameat2(AT_FDCWD, one, AT_FDCWD, other, RenameFlags::RENAME_EXCHANGE)?)
}

#[cfg(not(target_os = "linux"))]
pub fn exchange(_: &Path, _: &Path) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Removes all temporary files and folders of this process, which is about to end.
pub fn remove_all() {
    for path in CREATED.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        remove(path);
    }
}

/// Calls `create` until what it created is locked and still there: between the two steps, another process may have taken
/// it for abandoned. That process holds the lock until it has removed it. File systems without locks do without them.
fn locked<T>(
    create: impl Fn() -> io::Result<(T, PathBuf, Result<(), TryLockError>)>,
) -> io::Result<T> {
    loop {
        let (created, path, lock) = create()?;
        if !matches!(lock, Err(TryLockError::WouldBlock)) && fs::exists(&path)? {
            let mut all = CREATED.lock().unwrap_or_else(PoisonError::into_inner);
            all.retain(|known| fs::exists(known).unwrap_or(true));
            all.push(path);
            return Ok(created);
        }
    }
}

/// Removes the temporary files and folders that no process has locked. Failures are ignored: they change no result.
fn remove_abandoned(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if is_temporary(&path)
            && let Ok(file) = File::open(&path)
            && file.try_lock().is_ok()
        {
            remove(&path);
        }
    }
}

/// Whether a path has the name of a temporary file or folder of this program.
pub fn is_temporary(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(PREFIX.as_bytes()))
}

fn remove(path: &Path) {
    let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    /// Each writer removes what is abandoned, while others create files and lock them.
    #[test]
    fn writers_beside_each_other_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let path = folder.path().join(writer.to_string());
                scope.spawn(move || {
                    for number in 0..300 {
                        replace(&path, |file| write!(file, "{number}")).unwrap();
                    }
                });
            }
        });
        let names = fs::read_dir(folder.path()).unwrap().flatten();
        assert!(names.into_iter().all(|entry| !is_temporary(&entry.path())));
        assert_eq!(fs::read_to_string(folder.path().join("7")).unwrap(), "299");
    }

    #[test]
    fn only_what_is_there_is_listed() {
        let folder = tempfile::tempdir().unwrap();
        let kept = staging(folder.path()).unwrap();
        for number in 0..10 {
            replace(&folder.path().join("file"), |file| write!(file, "{number}")).unwrap();
            drop(staging(folder.path()).unwrap());
        }
        let all = CREATED.lock().unwrap();
        let ours: Vec<&PathBuf> = all.iter().filter(|it| it.starts_with(folder.path())).collect();
        assert!(ours.len() <= 2 && ours.iter().any(|it| *it == kept.path()), "{ours:?}");
    }
}

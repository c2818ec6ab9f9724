//! Makes a staging folder part of an export, in a single step.
//!
//! A new export is the staging folder under its final name. To add bundles to an existing export, the staging folder
//! gets hard links to all other files of the export and then changes places with it, so that a reader sees the old or the
//! new export, even if the program is killed. Where folders cannot change places (mount points, systems other than Linux),
//! new files come first, then the manifest, and the old files go last.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use base::{Staging, exchange, is_temporary, staging as temporary_folder};
use engine::dataset::{BATCH, Dataset, Exported, MANIFEST, Manifest};

use super::batches::FEW;
use super::merge::{Places, merge};
use crate::export::error::ExportError;

/// Returns the manifest of the folder, or `None` if the folder does not exist. Fails if it is neither an export nor
/// empty.
pub fn manifest(folder: &Path) -> Result<Option<Manifest>, ExportError> {
    if Dataset::is_one(folder) {
        return Ok(Some(Manifest::read(folder)?));
    }
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        entries => entries.map_err(ExportError::writing(folder))?,
    };
    // What a killed export left is removed later.
    let is_temporary = |entry: &fs::DirEntry| is_temporary(&entry.path());
    if entries.flatten().any(|entry| !is_temporary(&entry)) {
        return Err(ExportError::OtherFiles(folder.to_owned()));
    }
    Ok(Some(Manifest::default()))
}

/// Fails if a bundle whose label was not chosen by the user is another capture than the one that has its label, as runs of all
/// capture sets have the same names: it comes from another file, and its bytes differ.
pub(crate) fn check_same_capture(
    folder: &Path,
    known: Option<&Exported>,
    source: &str,
    digest: impl Fn() -> String,
) -> Result<(), ExportError> {
    let other = known.filter(|known| known.source != source && known.source_sha256 != digest());
    let Some(known) = other else { return Ok(()) };
    Err(ExportError::OtherCapture {
        folder: folder.to_owned(),
        label: known.bundle.clone(),
        stored: known.source.clone(),
        new: source.to_owned(),
    })
}

/// Creates the staging folder beside the target folder, or in it if it is on a file system of its own or nothing can be
/// created beside it. Missing parents of the target are an error.
pub fn staging(folder: &Path) -> Result<Staging, ExportError> {
    let folder = resolved(folder);
    let beside = parent(&folder);
    let made = if folder.is_dir() && !is_one_file_system(&folder, beside) {
        temporary_folder(&folder)
    } else {
        match fs::metadata(beside).and_then(|_| temporary_folder(beside)) {
            Err(_) if folder.is_dir() => temporary_folder(&folder),
            made => made,
        }
    };
    // Drops the name of the temporary folder from the message.
    made.map_err(|error| ExportError::writing(&folder)(error.kind()))
}

/// Publishes the staged files of the exported bundles, of which the user named some. Returns the labels of those that they
/// replace. Batches that share files with bundles of the same labels are written again without these, on several threads.
pub fn publish(
    staging: Staging,
    folder: &Path,
    exported: &[Exported],
    named: &HashSet<String>,
    threads: usize,
) -> Result<Vec<String>, ExportError> {
    let folder = resolved(folder);
    let failed = |error: io::Error| ExportError::writing(&folder)(error);
    // Other exports into the same folder wait. File systems without locks do without them.
    let lock = File::open(parent(&folder));
    let _ = lock.as_ref().map(File::lock);
    let known = manifest(&folder)?;
    let is_new = known.is_none();
    let before = known.unwrap_or_default();
    let mut replaced_labels = Vec::new();
    let labels = before.by_label();
    for new in exported {
        let known = labels.get(new.bundle.as_str()).copied();
        if !named.contains(&new.bundle) {
            check_same_capture(&folder, known, &new.source, || new.source_sha256.clone())?;
        }
        replaced_labels.extend(known.map(|known| known.bundle.clone()));
    }
    let mut after = before.clone();
    after.put(exported);
    let staged = staging.path();
    if after.is_batched() || after.bundles.len() > FEW {
        let new = exported.iter().map(|bundle| bundle.bundle.as_str()).collect();
        let places = Places { folder: &folder, staged, new: &new, suffix: None };
        merge(places, &before, &mut after, threads)?;
    }
    let text = after.to_text().map_err(io::Error::from).map_err(failed)?;
    fs::write(staged.join(MANIFEST), text).map_err(failed)?;
    if is_new {
        let rights = first_folder(staged).map_err(failed)?;
        take_permissions(rights.as_deref(), staged).map_err(failed)?;
        fs::rename(staged, &folder).map_err(failed)?;
        // The staging folder is the export now.
        let _ = staging.folder.keep();
        return Ok(replaced_labels);
    }
    let kept = files(&after);
    let mut replaced: HashSet<PathBuf> = files(&before).difference(&kept).cloned().collect();
    replaced.extend(strays(&folder, &kept).map_err(failed)?);
    if staged.parent() == Some(parent(&folder)) {
        link_others(&folder, staged, &replaced).map_err(failed)?;
        take_permissions(Some(&folder), staged).map_err(failed)?;
        match exchange(staged, &folder) {
            // What is in the staging folder now is the old export, which is removed with it.
            Ok(()) => return Ok(replaced_labels),
            Err(error) if error.kind() == io::ErrorKind::StorageFull => return Err(failed(error)),
            Err(_) => {}
        }
    }
    one_by_one(staged, &folder, &kept, &replaced).map(|()| replaced_labels)
}

/// Returns the files of an export, relative to the folder.
fn files(manifest: &Manifest) -> HashSet<PathBuf> {
    let mut batches = HashSet::new();
    let mut files = HashSet::new();
    for bundle in &manifest.bundles {
        for relation in &bundle.relations {
            if bundle.batch.as_ref().is_none_or(|batch| batches.insert((batch, relation))) {
                files.insert(bundle.file(relation));
            }
        }
    }
    files
}

/// Returns the files of batches that are not among those to keep: an export that was killed while it moved files one by one
/// may have left them.
fn strays(folder: &Path, kept: &HashSet<PathBuf>) -> io::Result<Vec<PathBuf>> {
    let mut strays = Vec::new();
    for relation in folders(folder)? {
        for batch in folders(&folder.join(&relation))? {
            let name = Path::new(&relation).join(&batch);
            if batch.as_encoded_bytes().starts_with(BATCH.as_bytes())
                && kept.iter().all(|file| file.parent() != Some(&name))
            {
                for file in fs::read_dir(folder.join(&name))? {
                    strays.push(name.join(file?.file_name()));
                }
            }
        }
    }
    Ok(strays)
}

/// Links the files of `from` into `to`, except those that are there already, are replaced, or are temporary.
fn link_others(from: &Path, to: &Path, replaced: &HashSet<PathBuf>) -> io::Result<()> {
    let emptied: HashSet<&Path> = replaced.iter().filter_map(|file| file.parent()).collect();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(from.join(&folder))? {
            let entry = entry?;
            let name = folder.join(entry.file_name());
            if is_temporary(&name) {
            } else if entry.file_type()?.is_dir() {
                // Folders of replaced files are not kept if they would be empty.
                if !emptied.contains(name.as_path()) {
                    fs::create_dir_all(to.join(&name))?;
                    take_permissions(Some(&entry.path()), &to.join(&name))?;
                }
                folders.push(name);
            } else if !replaced.contains(&name) && !fs::exists(to.join(&name))? {
                fs::create_dir_all(to.join(&folder))?;
                fs::hard_link(entry.path(), to.join(&name))?;
            }
        }
    }
    Ok(())
}

/// Moves the staged files to their places, then the manifest, and removes the files that are not in it.
fn one_by_one(
    staged: &Path,
    folder: &Path,
    kept: &HashSet<PathBuf>,
    replaced: &HashSet<PathBuf>,
) -> Result<(), ExportError> {
    for file in kept.iter().filter(|file| staged.join(file).exists()) {
        let target = folder.join(file);
        let failed = ExportError::writing(&target);
        fs::create_dir_all(target.parent().unwrap_or(folder)).map_err(failed)?;
        fs::rename(staged.join(file), &target).map_err(failed)?;
    }
    fs::rename(staged.join(MANIFEST), folder.join(MANIFEST))
        .map_err(ExportError::writing(folder))?;
    for old in replaced {
        let old = folder.join(old);
        match fs::remove_file(&old) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            removed => removed.map_err(ExportError::writing(&old))?,
        }
        // It may have other files.
        let _ = old.parent().map(fs::remove_dir);
    }
    Ok(())
}

/// Gives a folder the permissions of another one: temporary folders are private.
#[cfg(unix)]
fn take_permissions(from: Option<&Path>, to: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let rights = from.map(fs::metadata).transpose()?;
    let mode = rights.map_or(0o755, |metadata| metadata.permissions().mode());
    fs::set_permissions(to, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn take_permissions(_: Option<&Path>, _: &Path) -> io::Result<()> {
    Ok(())
}

/// Returns a folder that was created inside; it has the permissions that the umask allows.
fn first_folder(folder: &Path) -> io::Result<Option<PathBuf>> {
    Ok(folders(folder)?.first().map(|name| folder.join(name)))
}

/// Returns the names of the folders inside.
fn folders(folder: &Path) -> io::Result<Vec<OsString>> {
    let entries = fs::read_dir(folder)?.flatten();
    let folders = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
    Ok(folders.map(|entry| entry.file_name()).collect())
}

#[cfg(unix)]
fn is_one_file_system(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let device = |path: &Path| fs::metadata(path).map(|metadata| metadata.dev()).ok();
    device(one) == device(other)
}

#[cfg(not(unix))]
fn is_one_file_system(_: &Path, _: &Path) -> bool {
    false
}

/// Follows symbolic links, so that a link is not replaced by a folder.
fn resolved(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

fn parent(folder: &Path) -> &Path {
    let parent = folder.parent().filter(|path| !path.as_os_str().is_empty());
    parent.unwrap_or(Path::new("."))
}

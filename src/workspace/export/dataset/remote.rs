//! Makes staged files part of an export in an object store, where nothing can be renamed ([`RemoteFolder::change`]).
//!
//! All files are those of batches, whose names no other export uses. The manifest lists them.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use base::staging;
use engine::dataset::{BATCH, Exported, MANIFEST, Manifest, batch_file};
use read::remote::{ABANDONED, Change, RemoteFolder, Version, unique};

use super::batches;
use super::merge::{Places, merge};
use super::publish::check_same_capture;
use crate::export::error::ExportError;

/// Returns the manifest of a folder and its version; an empty one if there is none. Fails if there are other files.
pub fn manifest(folder: &RemoteFolder) -> Result<(Manifest, Option<Version>), ExportError> {
    let (text, version) = folder.read(MANIFEST)?.unzip();
    Ok((parsed(folder, text.as_deref())?, version))
}

/// Parses the manifest of a folder; without a text, the folder may have no other files.
fn parsed(folder: &RemoteFolder, text: Option<&[u8]>) -> Result<Manifest, ExportError> {
    let path = Path::new(folder.address());
    if let Some(text) = text {
        return Ok(Manifest::parse(&path.join(MANIFEST), text)?);
    }
    // Another export may have written the first one meanwhile; then nothing can be written in its place.
    let files = folder.list()?;
    let is_there = files.iter().any(|file| file == Path::new(MANIFEST));
    if is_there || files.iter().all(|file| is_of_batch(file)) {
        Ok(Manifest::default())
    } else {
        Err(ExportError::OtherFiles(path.to_owned()))
    }
}

/// Fails if the store cannot write on a condition. Leaves nothing.
pub fn check(folder: &RemoteFolder) -> Result<(), ExportError> {
    let name = Path::new("checks").join(format!("{BATCH}{}", unique())).join("data.parquet");
    Ok(folder.check_conditions(&name.to_string_lossy())?)
}

/// Publishes the staged files of the exported bundles, of which the user named some. Returns the labels of those that they
/// replace.
pub fn publish(
    folder: &RemoteFolder,
    staged: &Path,
    exported: &[Exported],
    named: &HashSet<String>,
    threads: usize,
) -> Result<Vec<String>, ExportError> {
    let files: HashSet<PathBuf> = exported.iter().flat_map(Exported::files).collect();
    let write = files.iter().map(|file| (staged.join(file), file.clone())).collect();
    folder.write(write)?;
    let new: HashSet<&str> = exported.iter().map(|bundle| bundle.bundle.as_str()).collect();
    let address = Path::new(folder.address());
    let replaced = folder.change(MANIFEST, |text| {
        let before = parsed(folder, text)?;
        let known = before.by_label();
        // The answer to an earlier try may have been lost.
        let is_there = |new: &Exported| {
            known.get(new.bundle.as_str()).is_some_and(|known| known.batch == new.batch)
        };
        if exported.iter().all(is_there) {
            return Ok(Change::Done(None));
        }
        let mut replaced = Vec::new();
        for new in exported {
            let known = known.get(new.bundle.as_str()).copied();
            if !named.contains(&new.bundle) {
                check_same_capture(address, known, &new.source, || new.source_sha256.clone())?;
            }
            replaced.extend(known.map(|known| known.bundle.clone()));
        }
        let mut after = before.clone();
        after.put(exported);
        if !replaced.is_empty() {
            rewrite(folder, staged, &before, &mut after, &new, threads)?;
        }
        Ok::<_, ExportError>(Change::Write(text_of(folder, &after)?, Some(replaced)))
    })?;
    if replaced.is_some() {
        tidy(folder, threads)?;
    }
    Ok(replaced.unwrap_or_default())
}

/// Formats the manifest of a folder.
fn text_of(folder: &RemoteFolder, manifest: &Manifest) -> Result<String, ExportError> {
    let text = manifest.to_text().map_err(std::io::Error::from);
    text.map_err(ExportError::writing(Path::new(folder.address())))
}

/// Merges small batches, and removes what no manifest names. If another export comes first, it has done so.
fn tidy(folder: &RemoteFolder, threads: usize) -> Result<(), ExportError> {
    let (before, version) = manifest(folder)?;
    let mut after = before.clone();
    let none = HashSet::new();
    if rewrite(folder, Path::new(""), &before, &mut after, &none, threads)? {
        match folder.replace(MANIFEST, text_of(folder, &after)?.into_bytes(), version) {
            // Perhaps because of an own write whose answer was lost, so that what was written for it stays.
            Err(error) if error.is_conflict() => {}
            replaced => replaced?,
        }
    }
    // What was listed before the manifest was read and is not in it is not of a writer that has finished since.
    let old = folder.older(ABANDONED)?;
    let (manifest, Some(_)) = manifest(folder)? else { return Ok(()) };
    let kept: HashSet<PathBuf> = manifest.bundles.iter().flat_map(Exported::files).collect();
    let is_abandoned = |file: &&PathBuf| is_of_batch(file) && !kept.contains(*file);
    let abandoned: Vec<&Path> = old.iter().filter(is_abandoned).map(PathBuf::as_path).collect();
    Ok(folder.remove(&abandoned)?)
}

/// Writes the batches that [`merge`] makes, from those in the store and the `new` ones in the staging folder. Returns whether there
/// are any.
fn rewrite(
    folder: &RemoteFolder,
    staged: &Path,
    before: &Manifest,
    after: &mut Manifest,
    new: &HashSet<&str>,
    threads: usize,
) -> Result<bool, ExportError> {
    let groups = batches::merged(before, after);
    if groups.is_empty() {
        return Ok(false);
    }
    let temporary = std::env::temp_dir();
    let failed = ExportError::writing(&temporary);
    let (old, own) = (staging(&temporary).map_err(failed)?, staging(&temporary).map_err(failed)?);
    let mut fetched = HashSet::new();
    let mut linked = HashSet::new();
    for bundle in groups.iter().flatten().filter_map(|nth| after.bundles.get(*nth)) {
        let is_new = new.contains(bundle.bundle.as_str());
        let files = if is_new { &mut linked } else { &mut fetched };
        files.extend(bundle.files());
    }
    for file in &linked {
        let to = own.path().join(file);
        fs::create_dir_all(to.parent().unwrap_or(own.path())).map_err(failed)?;
        // The staging folder stays as it is, for another try.
        fs::hard_link(staged.join(file), &to)
            .or_else(|_| fs::copy(staged.join(file), &to).map(drop))
            .map_err(failed)?;
    }
    let fetched: Vec<&Path> = fetched.iter().map(PathBuf::as_path).collect();
    folder.fetch(&fetched, old.path())?;
    let suffix = unique();
    let places = Places { folder: old.path(), staged: own.path(), new, suffix: Some(&suffix) };
    merge(places, before, after, threads)?;
    let mut files: Vec<PathBuf> = after.bundles.iter().flat_map(Exported::files).collect();
    files.sort_unstable();
    files.dedup();
    files.retain(|file| own.path().join(file).exists() && !linked.contains(file));
    folder.write(files.iter().map(|file| (own.path().join(file), file.clone())).collect())?;
    Ok(true)
}

/// Whether a file has the place of a file of a batch.
fn is_of_batch(file: &Path) -> bool {
    let parts: Vec<&str> = file.iter().filter_map(|part| part.to_str()).collect();
    let [relation, batch, _] = parts.as_slice() else { return false };
    batch.strip_prefix(BATCH).is_some_and(|batch| batch_file(relation, batch) == file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_batches_have_their_places() {
        assert!(is_of_batch(Path::new("queues/batch=2-ab-cd/data.parquet")));
        for other in ["queues/bundle=a/data.parquet", "queues/batch=a/x", "notes.txt", MANIFEST] {
            assert!(!is_of_batch(Path::new(other)), "{other}");
        }
    }
}

//! Makes staged files part of an export in an object store, where nothing can be renamed.
//!
//! All files are those of batches, whose names no other export uses, so that none is ever written over. They are written
//! first. The manifest then names them: it is written on the condition that it is still the one that was read, and else read
//! again and changed again. So a reader sees the export before or after, and of writers at the same time, each adds its
//! bundles to what the others left. What no manifest names, as its writer was killed or its bundles are in larger batches
//! now, is removed when it is a day old, by an export: readers of the manifest before have until then.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, SystemTime};
use std::{fs, process};

use sha2::{Digest, Sha256};

use super::batches;
use super::merge::{Places, merge};
use super::publish::check_same_capture;
use crate::bundle::digest::hexadecimal;
use crate::bundle::staging;
use crate::engine::dataset::{BATCH, Exported, MANIFEST, Manifest, batch_file};
use crate::export::error::ExportError;
use crate::remote::{RemoteFolder, Version};

/// How old files are removed that no manifest names.
const ABANDONED: Duration = Duration::from_hours(24);
/// How often an export tries to change the manifest.
const TRIES: u32 = 200;
/// The longest time between two tries.
const PAUSE_MS: u32 = 500;

/// Returns the manifest of a folder and its version; none if the folder is empty. Fails if there are other files.
pub fn manifest(folder: &RemoteFolder) -> Result<(Manifest, Option<Version>), ExportError> {
    let path = Path::new(folder.address());
    loop {
        if let Some((text, version)) = folder.read(MANIFEST)? {
            return Ok((Manifest::parse(&path.join(MANIFEST), &text)?, Some(version)));
        }
        let files = folder.older(Duration::ZERO)?;
        if files.iter().all(|file| is_of_batch(file)) {
            return Ok((Manifest::default(), None));
        }
        // Another export may have written the first one meanwhile.
        if files.iter().all(|file| file != Path::new(MANIFEST)) {
            return Err(ExportError::OtherFiles(path.to_owned()));
        }
    }
}

/// Fails if the store cannot write on a condition. Leaves nothing.
pub fn check(folder: &RemoteFolder) -> Result<(), ExportError> {
    let name = Path::new("checks").join(format!("{BATCH}{}", unique())).join("data.parquet");
    Ok(folder.check_conditions(&name.to_string_lossy())?)
}

/// Returns the end of names of batches that nobody else uses.
pub fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let host = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let what = format!("{:?} {} {count} {host}", SystemTime::now(), process::id());
    hexadecimal(&Sha256::digest(what)).chars().take(12).collect()
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
    for nth in 0..TRIES {
        let (before, version) = manifest(folder)?;
        let known = before.by_label();
        // The answer to an earlier try may have been lost.
        let is_there = |new: &Exported| {
            known.get(new.bundle.as_str()).is_some_and(|known| known.batch == new.batch)
        };
        if exported.iter().all(is_there) {
            return Ok(Vec::new());
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
        if replace(folder, &after, version)? {
            tidy(folder, threads)?;
            return Ok(replaced);
        }
        sleep(pause(nth));
    }
    Err(ExportError::Busy(address.to_owned()))
}

/// Writes the manifest if it is still in this version. Returns whether it was: if not, perhaps because of an own write whose answer
/// was lost, so that what was written for it stays.
fn replace(
    folder: &RemoteFolder,
    manifest: &Manifest,
    version: Option<Version>,
) -> Result<bool, ExportError> {
    let text = manifest.to_text().map_err(std::io::Error::from);
    let text = text.map_err(ExportError::writing(Path::new(folder.address())))?;
    match folder.replace(MANIFEST, text.into_bytes(), version) {
        Err(error) if error.is_conflict() => Ok(false),
        replaced => Ok(replaced.map(|()| true)?),
    }
}

/// Merges small batches, and removes what no manifest names. If another export comes first, it has done so.
fn tidy(folder: &RemoteFolder, threads: usize) -> Result<(), ExportError> {
    let (before, version) = manifest(folder)?;
    let mut after = before.clone();
    let none = HashSet::new();
    if rewrite(folder, Path::new(""), &before, &mut after, &none, threads)? {
        replace(folder, &after, version)?;
    }
    // What was listed before the manifest was read and is not in it is not of a writer that has finished since.
    let old = folder.older(ABANDONED)?;
    let (manifest, _) = manifest(folder)?;
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

/// Returns how long to wait before the next try: differently long in each process, so that writers do not meet again.
fn pause(nth: u32) -> Duration {
    let random = Sha256::digest(unique()).first().copied().unwrap_or_default();
    let most = PAUSE_MS.min(20 << nth.min(8));
    Duration::from_millis(u64::from(most) * (u64::from(random) + 1) / 256)
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
        assert_ne!(unique(), unique());
        assert!((0..40).all(|nth| pause(nth) <= Duration::from_millis(PAUSE_MS.into())));
    }
}

//! Copies of objects in a folder, one for each version of an object.
//!
//! A copy is written beside its place in parts of [`PART`] bytes, in their order, so that its length says where to go on
//! after an interruption, and is renamed when it is complete. Copies that were not used for longest are removed when all
//! together exceed the limit; those in use are open, and stay readable.

use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use base::digest::hexadecimal;
use base::is_temporary;
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use object_store::{Error, GetOptions, GetRange, ObjectMeta, ObjectStore};
use sha2::{Digest, Sha256};

use super::error::RemoteError;
use super::repeat::repeated;
use super::stores::{Stores, Told, Watch};

/// Bytes of a request.
const PART: u64 = 8 << 20;
/// Requests of an object at once.
const AT_ONCE: usize = 4;
/// Objects at once.
const OBJECTS_AT_ONCE: usize = 8;

/// The end of the name of a copy that is not complete.
const PARTIAL: &str = "part";

/// An object, and the address that users know.
#[derive(Clone)]
pub struct Object {
    pub store: Arc<dyn ObjectStore>,
    pub address: String,
    pub meta: ObjectMeta,
}

impl Object {
    /// Returns a name for this version of the object.
    pub fn version(&self) -> String {
        let ObjectMeta { last_modified, size, e_tag, version, .. } = &self.meta;
        let what = format!("{}\n{e_tag:?}\n{version:?}\n{size}\n{last_modified}", self.address);
        hexadecimal(&Sha256::digest(what)).chars().take(32).collect()
    }

    /// Reads a part of this version.
    pub async fn read(&self, range: Range<u64>) -> Result<Bytes, Error> {
        let read = repeated(async || {
            let options = GetOptions {
                range: Some(GetRange::Bounded(range.clone())),
                if_match: self.meta.e_tag.clone(),
                ..GetOptions::default()
            };
            self.store.get_opts(&self.meta.location, options).await?.bytes().await
        });
        read.await
    }
}

impl Stores {
    /// Returns the folder of copies.
    pub(super) fn copies(&self) -> Result<PathBuf, RemoteError> {
        let folder = self.cache.clone().unwrap_or_else(|| std::env::temp_dir().join("ireescope"));
        let folder = folder.join("objects");
        fs::create_dir_all(&folder).map_err(RemoteError::cache(&folder))?;
        Ok(folder)
    }

    /// Copies objects that are not there yet. Returns the paths of the copies.
    pub(super) fn copy(&self, objects: Vec<Object>) -> Result<Vec<PathBuf>, RemoteError> {
        let folder = self.copies()?;
        let address = objects.first().map(|object| object.address.clone()).unwrap_or_default();
        let (place, watch) = (folder.clone(), self.watch.clone());
        let copies = self.wait(&address, async move {
            let copy = |object| copy(object, place.clone(), watch.clone());
            stream::iter(objects).map(copy).buffered(OBJECTS_AT_ONCE).try_collect::<Vec<_>>().await
        })?;
        clean(&folder, self.limit(), &copies);
        Ok(copies)
    }
}

async fn copy(
    object: Object,
    folder: PathBuf,
    watch: Option<Watch>,
) -> Result<PathBuf, RemoteError> {
    let path = folder.join(object.version());
    if let Ok(known) = File::options().append(true).open(&path) {
        // The time of the last use. Without it, the copy is only removed earlier.
        let _ = known.set_modified(SystemTime::now());
        return Ok(path);
    }
    let partial = path.with_extension(PARTIAL);
    let failed = |error: io::Error| RemoteError::cache(&partial)(error);
    let mut file =
        File::options().create(true).append(true).read(true).open(&partial).map_err(failed)?;
    // Another process that copies the same object goes on alone; this one then writes a file of its own.
    let mut own = None;
    if file.try_lock().is_err() {
        let named =
            tempfile::Builder::new().suffix(PARTIAL).tempfile_in(&folder).map_err(failed)?;
        file = named.reopen().map_err(failed)?;
        own = Some(named);
    }
    let size = object.meta.size;
    let mut done = file.metadata().map_err(failed)?.len();
    if done > size {
        file.set_len(0).map_err(failed)?;
        done = 0;
    }
    let starts = (done..size).step_by(usize::try_from(PART).unwrap_or(usize::MAX));
    let mut parts = stream::iter(starts)
        .map(|start| {
            let object = object.clone();
            async move { object.read(start..size.min(start + PART)).await }
        })
        .buffered(AT_ONCE);
    while let Some(bytes) = parts.next().await {
        let bytes = bytes.map_err(RemoteError::of("read", &object.address))?;
        file.write_all(&bytes).map_err(failed)?;
        done += bytes.len() as u64;
        if let Some(watch) = &watch {
            watch(Told::Transfer { address: object.address.clone(), done, total: size });
        }
    }
    if done != size {
        return Err(RemoteError::Replaced(object.address.clone()));
    }
    match own {
        Some(own) => drop(own.persist(&path).map_err(|error| failed(error.error))?),
        None => match fs::rename(&partial, &path) {
            // The other process had just completed it.
            Err(_) if path.exists() => {}
            renamed => renamed.map_err(failed)?,
        },
    }
    Ok(path)
}

/// Lets a copy have another name, and makes the folders that lead to it.
pub(super) fn link(copy: &Path, to: &Path) -> Result<(), RemoteError> {
    let failed = |error| RemoteError::cache(to)(error);
    fs::create_dir_all(to.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    if fs::hard_link(copy, to).is_err() {
        fs::copy(copy, to).map_err(failed)?;
    }
    Ok(())
}

/// Removes the copies that were not used for longest, except those in use. What cannot be removed stays.
fn clean(folder: &Path, limit: u64, used: &[PathBuf]) {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<(SystemTime, u64, PathBuf)> = entries
        .filter_map(|entry| {
            let metadata = entry.metadata().ok()?;
            Some((metadata.modified().ok()?, metadata.len(), entry.path()))
        })
        .filter(|(_, _, path)| !used.contains(path) && !is_temporary(path))
        .collect();
    let of_used = used.iter().filter_map(|path| path.metadata().ok()).map(|file| file.len());
    let mut total: u64 = of_used.chain(all.iter().map(|(_, bytes, _)| *bytes)).sum();
    all.sort();
    for (_, bytes, path) in all {
        if total <= limit {
            break;
        }
        let removed =
            if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        if removed.is_ok() {
            total = total.saturating_sub(bytes);
        }
    }
}

//! A folder of a store that is read in place and written to, such as a dataset.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use base::{Staging, staging};
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, future, stream};
use object_store::path::Path as Key;
use object_store::{
    Error, GetOptions, GetRange, ObjectMeta, ObjectStore, ObjectStoreExt, PutMode, PutOptions,
    PutPayload, UpdateVersion, coalesce_ranges,
};

use super::address::Address;
use super::cache::{Object, link};
use super::error::RemoteError;
use super::repeat::repeated;
use super::stores::Stores;
use super::upload::upload;

/// Bytes at the end of a file that are read when it is opened; most footers are shorter.
const TAIL: u64 = 64 << 10;
/// Requests of a folder at once.
const AT_ONCE: usize = 32;
/// Files that are written at once.
const WRITTEN_AT_ONCE: usize = 4;
/// Parts of a file that are at most this far apart are read together.
const GAP: u64 = 256 << 10;

/// A version of an object, as the store names it.
pub type Version = UpdateVersion;

/// A folder of a store.
#[derive(Clone)]
pub struct RemoteFolder {
    stores: Stores,
    address: Address,
    store: Arc<dyn ObjectStore>,
}

impl std::fmt::Debug for RemoteFolder {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("RemoteFolder").field(&self.address.text).finish()
    }
}

/// A file of a folder, in the version in which it was opened.
#[derive(Clone)]
pub struct RemoteFile {
    stores: Stores,
    object: Object,
    /// The bytes at its end.
    pub tail: Bytes,
}

impl std::fmt::Debug for RemoteFile {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_tuple("RemoteFile").field(&self.object.address).finish()
    }
}

impl Stores {
    /// Returns the folder at an address, which need not exist.
    pub fn folder(&self, text: &str) -> Result<RemoteFolder, RemoteError> {
        let address = Address::parse(text)?;
        let store = self.store(&address)?;
        Ok(RemoteFolder::new(self.clone(), address, store))
    }
}

impl RemoteFolder {
    pub(super) fn new(stores: Stores, address: Address, store: Arc<dyn ObjectStore>) -> Self {
        Self { stores, address, store }
    }

    /// Returns the address.
    pub fn address(&self) -> &str {
        &self.address.text
    }

    /// Returns the place of a file of the folder, and its address.
    fn place(&self, file: &Path) -> (Key, String) {
        let file = file.to_string_lossy();
        let folder = self.address.key.as_str();
        let key = if folder.is_empty() { file.into_owned() } else { format!("{folder}/{file}") };
        // Names are taken as they are: those of stored labels have encoded bytes.
        let key = Key::parse(&key).unwrap_or_else(|_| Key::from(key));
        let address = self.address.of(&key);
        (key, address)
    }

    /// Does all of some work, so much of it at once. After a failure, nothing more is begun, but what runs ends: uploads that are
    /// dropped leave their parts in the store.
    fn all(
        &self,
        works: Vec<impl Future<Output = Result<(), RemoteError>> + Send + 'static>,
        at_once: usize,
    ) -> Result<(), RemoteError> {
        self.stores.wait(self.address(), async move {
            let failed = AtomicBool::new(false);
            let begun =
                stream::iter(works).take_while(|_| future::ready(!failed.load(Ordering::Relaxed)));
            let mut done = pin!(begun.buffer_unordered(at_once));
            let mut first = Ok(());
            while let Some(ended) = done.next().await {
                failed.fetch_or(ended.is_err(), Ordering::Relaxed);
                first = first.and(ended);
            }
            first
        })
    }

    /// Reads a small file and its version; `None` if there is none.
    pub fn read(&self, file: &str) -> Result<Option<(Vec<u8>, Version)>, RemoteError> {
        let (key, address) = self.place(Path::new(file));
        let store = Arc::clone(&self.store);
        self.stores.wait(&address.clone(), async move {
            let read = repeated(async || {
                let found = store.get(&key).await?;
                let ObjectMeta { e_tag, version, .. } = found.meta.clone();
                Ok((found.bytes().await?.to_vec(), Version { e_tag, version }))
            });
            match read.await {
                Err(Error::NotFound { .. }) => Ok(None),
                read => read.map(Some).map_err(RemoteError::of("read", &address)),
            }
        })
    }

    /// Opens files: reads their ends, many at once.
    pub fn open(&self, files: &[&Path]) -> Result<Vec<RemoteFile>, RemoteError> {
        let places: Vec<(Key, String)> = files.iter().map(|file| self.place(file)).collect();
        let (store, stores) = (Arc::clone(&self.store), self.stores.clone());
        let open = move |(key, address): (Key, String)| {
            let (store, stores) = (Arc::clone(&store), stores.clone());
            async move {
                let read = repeated(async || {
                    let of = |range| GetOptions { range: Some(range), ..GetOptions::default() };
                    let found = match store.get_opts(&key, of(GetRange::Suffix(TAIL))).await {
                        // Azure answers no requests for the end of an object.
                        Err(Error::NotSupported { .. }) => {
                            let start = store.head(&key).await?.size.saturating_sub(TAIL);
                            store.get_opts(&key, of(GetRange::Offset(start))).await?
                        }
                        found => found?,
                    };
                    let meta = found.meta.clone();
                    Ok((meta, found.bytes().await?))
                });
                let (meta, tail) = read.await.map_err(RemoteError::of("read", &address))?;
                Ok(RemoteFile { stores, object: Object { store, address, meta }, tail })
            }
        };
        self.stores.wait(self.address(), async move {
            stream::iter(places).map(open).buffered(AT_ONCE).try_collect().await
        })
    }

    /// Writes files of this machine to new places.
    pub fn write(&self, files: Vec<(PathBuf, PathBuf)>) -> Result<(), RemoteError> {
        let store = Arc::clone(&self.store);
        let write = |(from, to): (PathBuf, PathBuf)| {
            let (key, address) = self.place(&to);
            let store = Arc::clone(&store);
            async move { upload(store, key, address, from).await }
        };
        let writes = files.into_iter().map(write).collect();
        self.all(writes, WRITTEN_AT_ONCE)
    }

    /// Writes a small file if it is still in this version, or not there if there is `None`. Fails with a conflict otherwise
    /// ([`RemoteError::is_conflict`]). A request whose answer is lost is repeated, so a conflict may be with an own write.
    pub fn replace(
        &self,
        file: &str,
        bytes: Vec<u8>,
        version: Option<Version>,
    ) -> Result<(), RemoteError> {
        let (key, address) = self.place(Path::new(file));
        let store = Arc::clone(&self.store);
        let mode = version.map_or(PutMode::Create, PutMode::Update);
        let payload = PutPayload::from(bytes);
        self.stores.wait(&address.clone(), async move {
            let put = repeated(|| {
                let options = PutOptions { mode: mode.clone(), ..PutOptions::default() };
                store.put_opts(&key, payload.clone(), options)
            });
            match put.await {
                Err(Error::NotImplemented { .. } | Error::NotSupported { .. }) => {
                    Err(RemoteError::Unable { address, what: NO_CONDITIONS })
                }
                put => put.map(drop).map_err(RemoteError::of("write", &address)),
            }
        })
    }

    /// Fails if the store does not write on a condition: it writes over an object that must not be there.
    pub fn check_conditions(&self, name: &str) -> Result<(), RemoteError> {
        let first = self.replace(name, Vec::new(), None);
        let again = if first.is_ok() { self.replace(name, Vec::new(), None) } else { first };
        self.remove(&[Path::new(name)])?;
        match again {
            Err(error) if error.is_conflict() => Ok(()),
            Err(error) => Err(error),
            Ok(()) => {
                let address = self.address().to_owned();
                Err(RemoteError::Unable { address, what: NO_CONDITIONS })
            }
        }
    }

    /// Removes files, which may be gone already.
    pub fn remove(&self, files: &[&Path]) -> Result<(), RemoteError> {
        let places: Vec<(Key, String)> = files.iter().map(|file| self.place(file)).collect();
        let store = Arc::clone(&self.store);
        let remove = move |(key, address): (Key, String)| {
            let store = Arc::clone(&store);
            async move {
                match repeated(|| store.delete(&key)).await {
                    Err(Error::NotFound { .. }) => Ok(()),
                    removed => removed.map_err(RemoteError::of("remove", &address)),
                }
            }
        };
        self.all(places.into_iter().map(remove).collect(), AT_ONCE)
    }

    /// Copies files below a folder of this machine, under their names.
    pub fn fetch(&self, files: &[&Path], into: &Path) -> Result<(), RemoteError> {
        let store = Arc::clone(&self.store);
        let fetch = |file: &&Path| {
            let ((key, address), to) = (self.place(file), into.join(file));
            let store = Arc::clone(&store);
            async move {
                let read = repeated(async || store.get(&key).await?.bytes().await);
                let bytes = read.await.map_err(RemoteError::of("read", &address))?;
                let written = |error| RemoteError::cache(&to)(error);
                let folder = to.parent().unwrap_or(Path::new("."));
                std::fs::create_dir_all(folder).map_err(written)?;
                std::fs::write(&to, &bytes).map_err(written)
            }
        };
        self.all(files.iter().map(fetch).collect(), WRITTEN_AT_ONCE)
    }

    /// Returns all files, relative to the folder.
    pub fn list(&self) -> Result<Vec<PathBuf>, RemoteError> {
        Ok(self.listed()?.into_iter().map(|(file, _)| file).collect())
    }

    /// Returns the files that are older than an age, relative to the folder.
    pub fn older(&self, age: Duration) -> Result<Vec<PathBuf>, RemoteError> {
        let before = SystemTime::now() - age;
        let mut found = self.listed()?;
        found.retain(|(_, meta)| SystemTime::from(meta.last_modified) < before);
        Ok(found.into_iter().map(|(file, _)| file).collect())
    }

    /// Copies files to the cache, and returns a temporary folder with the copies under their names.
    pub fn copies(&self, files: &[PathBuf]) -> Result<Staging, RemoteError> {
        let top = self.stores.copies()?;
        let staging = staging(&top).map_err(RemoteError::cache(&top))?;
        if files.is_empty() {
            return Ok(staging);
        }
        let mut there: HashMap<PathBuf, ObjectMeta> = self.listed()?.into_iter().collect();
        let object = |file: &PathBuf| {
            let (_, address) = self.place(file);
            let hint = "the list of the folder names it, but it is gone";
            let meta = there.remove(file);
            let meta =
                meta.ok_or_else(|| RemoteError::Missing { address: address.clone(), hint })?;
            Ok(Object { store: Arc::clone(&self.store), address, meta })
        };
        let objects = files.iter().map(object).collect::<Result<Vec<_>, RemoteError>>()?;
        for (copy, file) in self.stores.copy(objects)?.iter().zip(files) {
            link(copy, &staging.path().join(file))?;
        }
        Ok(staging)
    }

    /// Lists the folder: the files relative to it, each with what the store tells of it.
    fn listed(&self) -> Result<Vec<(PathBuf, ObjectMeta)>, RemoteError> {
        let (store, prefix) = (Arc::clone(&self.store), self.address.path());
        let address = self.address().to_owned();
        self.stores.wait(&address.clone(), async move {
            let list = repeated(|| store.list(Some(&prefix)).try_collect::<Vec<_>>());
            let found = list.await.map_err(RemoteError::of("list", &address))?;
            let relative = |meta: ObjectMeta| {
                let parts = meta.location.prefix_match(&prefix)?;
                Some((parts.map(|part| part.as_ref().to_owned()).collect(), meta))
            };
            Ok(found.into_iter().filter_map(relative).collect())
        })
    }
}

/// Why a store cannot hold a list that several programs change.
const NO_CONDITIONS: &str = "the store cannot write on the condition that nobody else wrote meanwhile; write to a folder and copy it";

impl RemoteFile {
    /// Returns the address.
    pub fn address(&self) -> &str {
        &self.object.address
    }

    /// Returns the size in bytes.
    pub fn size(&self) -> u64 {
        self.object.meta.size
    }

    /// Reads parts of the file; those that are near each other in one request.
    pub async fn read(&self, ranges: Vec<Range<u64>>) -> Result<Vec<(u64, Bytes)>, RemoteError> {
        let object = self.object.clone();
        let read = self.stores.spawn(object.address.clone(), async move {
            let read = coalesce_ranges(&ranges, |range| object.read(range), GAP).await;
            let bytes = read.map_err(RemoteError::of("read", &object.address))?;
            Ok(ranges.iter().map(|range| range.start).zip(bytes).collect())
        });
        read.await
    }

    /// Reads a part of the file, in any thread.
    pub fn read_now(&self, range: Range<u64>) -> Result<Vec<(u64, Bytes)>, RemoteError> {
        let file = self.clone();
        self.stores.wait(self.address(), async move { file.read(vec![range]).await })
    }
}

//! Finds out what an address names: an object, a folder of bundles, a capture set, a dataset, a history, or a pattern.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use base::digest::hexadecimal;
use futures::{StreamExt, TryStreamExt};
use object_store::path::Path as Key;
use object_store::{ObjectMeta, ObjectStore, ObjectStoreExt};
use sha2::{Digest, Sha256};

use super::address::Address;
use super::cache::{Object, link};
use super::error::RemoteError;
use super::folder::RemoteFolder;
use super::repeat::repeated_soon;
use super::stores::Stores;
use crate::bundle::{is_bundle_name, limits};

/// What an address names.
#[derive(Debug)]
pub enum Found<D> {
    /// Bundles: the address and the copy of each.
    Bundles(Vec<(String, PathBuf)>),
    /// Folders with files of their own, which were copied: capture sets, or folders with such. The address and the copy of each.
    Copied(Vec<(String, PathBuf)>),
    /// A dataset, with its manifest.
    Dataset(Box<RemoteFolder>, D),
    /// A history, with the text of its list.
    History(Box<RemoteFolder>, Vec<u8>),
}

/// The file that lists the contents of a capture set or a dataset.
const MANIFEST: &str = "manifest.json";
/// The file that marks a history, and lists its files.
pub const HISTORY: &str = "history.json";
/// Most objects of a folder that are looked through.
const MOST: usize = 1_000_000;

impl Stores {
    /// Finds what an address names, and copies it to the cache unless it is a dataset or a history. `dataset` reads the manifest at
    /// an address; `None` if it is not that of a dataset.
    pub fn find<D, E: From<RemoteError>>(
        &self,
        text: &str,
        dataset: impl Fn(&str, &[u8]) -> Option<Result<D, E>>,
    ) -> Result<Found<D>, E> {
        let address = Address::parse(text)?;
        let store = self.store(&address)?;
        let (fixed, is_pattern) = address.fixed();
        let missing = |hint| RemoteError::Missing { address: address.text.clone(), hint };
        // A name may have the letters of patterns in it.
        if !address.key.is_empty() {
            let (at, place) = (self.first(&address)?, address.path());
            let head =
                self.wait(text, async move { Ok(repeated_soon(|| at.head(&place)).await) })?;
            match head {
                Ok(meta) => {
                    let object = Object { store, address: address.text.clone(), meta };
                    return Ok(self.bundles(vec![object])?);
                }
                Err(object_store::Error::NotFound { .. }) => {}
                // A store may refuse such a name, or tell nobody what is not there.
                Err(object_store::Error::PermissionDenied { .. }) if is_pattern => {}
                Err(error) => return Err(RemoteError::of("read", &address.text)(error).into()),
            }
        }
        if matches!(address.root.scheme(), "http" | "https") {
            let hint = "there is no such file; folders of web servers cannot be listed";
            return Err(missing(hint).into());
        }
        let prefix = Key::parse(fixed).unwrap_or_else(|_| Key::from(fixed));
        let listed = self.list(&prefix, &address)?;
        let object = |meta: ObjectMeta| Object {
            store: Arc::clone(&store),
            address: address.of(&meta.location),
            meta,
        };
        if is_pattern {
            return Ok(self.of_pattern(&address, &listed, object)?);
        }
        let of_folder = |name: &str| prefix.clone().join(name);
        let is_here = |name: &str| listed.iter().find(|meta| meta.location == of_folder(name));
        let folder = RemoteFolder::new(self.clone(), address.clone(), Arc::clone(&store));
        let read = |file| Ok(folder.read(file)?.map(|(text, _)| text).unwrap_or_default());
        if is_here(HISTORY).is_some() {
            let text = read(HISTORY).map_err(E::from)?;
            return Ok(Found::History(Box::new(folder), text));
        }
        if is_here(MANIFEST).is_some() {
            let text = read(MANIFEST).map_err(E::from)?;
            if let Some(manifest) = dataset(&address.of(&of_folder(MANIFEST)), &text) {
                return Ok(Found::Dataset(Box::new(folder), manifest?));
            }
            let all = listed.iter().cloned().map(object).collect();
            return Ok(Found::Copied(vec![self.tree(&address, all)?]));
        }
        let depth =
            |meta: &ObjectMeta| meta.location.prefix_match(&prefix).map_or(0, Iterator::count);
        let is_bundle =
            |meta: &&ObjectMeta| is_bundle_name(meta.location.filename().unwrap_or_default());
        let bundles: Vec<&ObjectMeta> = listed.iter().filter(is_bundle).collect();
        let is_top = bundles.iter().any(|meta| depth(meta) == 1);
        // Capture sets below are opened with their manifests, so the folder is copied as it is, but for datasets.
        let is_set = |meta: &&ObjectMeta| {
            meta.location.filename() == Some(MANIFEST) && depth(meta) <= limits::FOLDER_DEPTH + 1
        };
        if !is_top && listed.iter().any(|meta| is_set(&meta)) {
            let kept = listed.iter().filter(|meta| meta.location.extension() != Some("parquet"));
            let kept = kept.cloned().map(object).collect();
            return Ok(Found::Copied(vec![self.tree(&address, kept)?]));
        }
        let most = if is_top { 1 } else { limits::FOLDER_DEPTH + 1 };
        let found = bundles.into_iter().filter(|meta| depth(meta) <= most);
        let found: Vec<Object> = found.cloned().map(object).collect();
        if found.is_empty() {
            let hint = "neither the folder nor one up to four levels below contains a .ireeprof or .ireeprof.gz object";
            return Err(missing(hint).into());
        }
        Ok(self.bundles(found)?)
    }

    /// Lists the objects below a prefix, sorted by path, and tells which are left out.
    fn list(&self, prefix: &Key, address: &Address) -> Result<Vec<ObjectMeta>, RemoteError> {
        let list = listed(self.first(address)?, prefix.clone(), address.clone());
        let listed = self.wait(&address.text, list)?;
        self.tell_left_out(address)?;
        Ok(listed)
    }

    /// Finds the bundles that a pattern matches, or else the capture sets.
    fn of_pattern<D>(
        &self,
        address: &Address,
        listed: &[ObjectMeta],
        object: impl Fn(ObjectMeta) -> Object,
    ) -> Result<Found<D>, RemoteError> {
        let pattern = glob::Pattern::new(&address.key).map_err(|error| RemoteError::Address {
            address: address.text.clone(),
            what: error.to_string(),
        })?;
        let options =
            glob::MatchOptions { require_literal_separator: true, ..glob::MatchOptions::new() };
        let matches = |meta: &&ObjectMeta| {
            pattern.matches_with(meta.location.as_ref(), options)
                && meta.location.filename() != Some(MANIFEST)
        };
        let found: Vec<Object> = listed.iter().filter(matches).cloned().map(&object).collect();
        if !found.is_empty() {
            return self.bundles(found);
        }
        let manifests = listed.iter().filter(|it| it.location.filename() == Some(MANIFEST));
        let folders = manifests.filter_map(|it| address.folder_of(&it.location));
        let sets = folders.filter(|folder| pattern.matches_with(&folder.key, options)).map(|set| {
            let within = listed.iter().filter(|it| it.location.prefix_matches(&set.path()));
            self.tree(&set, within.cloned().map(&object).collect())
        });
        let sets = sets.collect::<Result<Vec<_>, _>>()?;
        if sets.is_empty() {
            let hint = "the pattern matches no object";
            return Err(RemoteError::Missing { address: address.text.clone(), hint });
        }
        Ok(Found::Copied(sets))
    }

    fn bundles<D>(&self, objects: Vec<Object>) -> Result<Found<D>, RemoteError> {
        let addresses: Vec<String> = objects.iter().map(|it| it.address.clone()).collect();
        let copies = self.copy(objects)?;
        Ok(Found::Bundles(addresses.into_iter().zip(copies).collect()))
    }

    /// Copies a folder with all that it holds, under its own name.
    fn tree(
        &self,
        address: &Address,
        objects: Vec<Object>,
    ) -> Result<(String, PathBuf), RemoteError> {
        Ok((address.text.clone(), self.tree_of(address, objects)?))
    }

    fn tree_of(&self, address: &Address, mut objects: Vec<Object>) -> Result<PathBuf, RemoteError> {
        // Some programs mark a folder by an object with its name.
        objects.retain(|object| object.meta.location != address.path());
        let mut version = Sha256::new();
        for object in &objects {
            version.update(object.version());
        }
        let version: String = hexadecimal(&version.finalize()).chars().take(32).collect();
        let name = address.path().filename().unwrap_or("root").to_owned();
        let (top, prefix) = (self.copies()?, address.path());
        let place = top.join(version);
        let whole = place.join(&name);
        let relative: Vec<PathBuf> = objects
            .iter()
            .map(|object| {
                let parts = object.meta.location.prefix_match(&prefix).into_iter().flatten();
                parts.map(|part| part.as_ref().to_owned()).collect()
            })
            .collect();
        let copies = self.copy(objects)?;
        if whole.is_dir() {
            return Ok(whole);
        }
        let failed = |error| RemoteError::cache(&whole)(error);
        let staging = tempfile::tempdir_in(&top).map_err(failed)?;
        for (copy, relative) in copies.iter().zip(&relative) {
            link(copy, &staging.path().join(&name).join(relative))?;
        }
        match fs::rename(staging.path(), &place) {
            Err(error) if !whole.is_dir() => Err(failed(error)),
            _ => Ok(whole),
        }
    }
}

/// Lists the objects below a prefix, sorted by path.
async fn listed(
    store: Arc<dyn ObjectStore>,
    prefix: Key,
    address: Address,
) -> Result<Vec<ObjectMeta>, RemoteError> {
    let prefix = Some(prefix).filter(|prefix| !prefix.as_ref().is_empty());
    let list = repeated_soon(|| store.list(prefix.as_ref()).take(MOST + 1).try_collect::<Vec<_>>());
    let mut found = list.await.map_err(RemoteError::of("list", &address.text))?;
    if found.len() > MOST {
        let hint = "too many objects are there to look through; name a folder below";
        return Err(RemoteError::Missing { address: address.text, hint });
    }
    found.sort_by(|one, other| one.location.cmp(&other.location));
    Ok(found)
}

//! A folder of Parquet files with the layout of `export --format=parquet` ([`paths`]), and a `manifest.json` that lists
//! the contents.
//!
//! Views were computed when the folder was written and need no bundle. Reports are not available, because they read
//! bundles.

mod error;
mod files;
mod manifest;
mod origin;
mod pages;
mod paths;
mod pieces;
mod pruning;
mod relation;
mod scan;
mod table;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use error::DatasetError;
pub use files::{DataFile, LABEL, label_column};
pub use manifest::{Exported, MANIFEST, Manifest};
pub use origin::Origin;
pub use paths::{BATCH, batch_file, partition};
use read::bundle::set;
use read::remote::RemoteFolder;
pub use relation::{Place, Relation};
pub use scan::DatasetScan;

/// An open folder of Parquet files.
#[derive(Debug)]
pub struct Dataset {
    pub folder: PathBuf,
    pub manifest: Arc<Manifest>,
    /// The same folder, if it is in an object store.
    remote: Option<RemoteFolder>,
}

/// A relation of a bundle takes at most this part of the bundle, of those that were measured (docs/performance.md).
const PART: u64 = 16;

impl Dataset {
    /// Whether a folder is a dataset.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(MANIFEST).is_file() && !set::is_one(folder)
    }

    /// Opens a dataset.
    pub fn open(folder: &Path) -> Result<Self, DatasetError> {
        let manifest = Arc::new(Manifest::read(folder)?);
        Ok(Self { folder: folder.to_owned(), manifest, remote: None })
    }

    /// Opens a dataset in an object store, with its manifest.
    pub fn of_remote(folder: RemoteFolder, manifest: Arc<Manifest>) -> Self {
        Self { folder: PathBuf::from(folder.address()), manifest, remote: Some(folder) }
    }

    /// Returns the size in bytes of the largest relation; in an object store, about so.
    pub fn bytes(&self) -> u64 {
        if self.remote.is_some() {
            return self.manifest.bundles.iter().map(|it| it.source_bytes).sum::<u64>() / PART;
        }
        let size = |relation: &str| -> u64 {
            let paths = self.paths(relation);
            let files = paths.iter().filter_map(|(_, path)| self.folder.join(path).metadata().ok());
            files.map(|file| file.len()).sum()
        };
        self.manifest.relations().into_iter().map(size).max().unwrap_or_default()
    }

    /// Whether a relation is stored for any bundle.
    pub fn holds(&self, relation: &str) -> bool {
        self.manifest.bundles.iter().any(|bundle| bundle.has(relation))
    }

    /// Opens a relation that is stored for at least one bundle.
    pub fn relation(&self, name: &str) -> Result<Relation, DatasetError> {
        let paths = self.paths(name);
        let manifest = Arc::clone(&self.manifest);
        let origin = Origin::new(self.folder.clone(), name.to_owned(), manifest);
        let Some(folder) = &self.remote else {
            let open = |(label, path)| DataFile::open(self.folder.join(path), label);
            return Relation::of(origin, paths.into_iter().map(open));
        };
        let files: Vec<&Path> = paths.iter().map(|(_, path)| path.as_path()).collect();
        let labelled = folder.open(&files)?.into_iter().zip(&paths);
        let open = |(file, (label, _)): (_, &(Option<String>, _))| {
            DataFile::of_remote(file, label.clone())
        };
        Relation::of(origin, labelled.map(open))
    }

    /// Returns the files of a relation, relative to the folder, each with the label of its bundle, or without one for a batch
    /// of bundles.
    fn paths(&self, relation: &str) -> Vec<(Option<String>, PathBuf)> {
        let bundles = self.manifest.bundles.iter().filter(|bundle| bundle.has(relation));
        let mut batches = HashSet::new();
        bundles
            .filter(|bundle| bundle.batch.as_ref().is_none_or(|batch| batches.insert(batch)))
            .map(|bundle| {
                let label = bundle.batch.is_none().then(|| bundle.bundle.clone());
                (label, bundle.file(relation))
            })
            .collect()
    }
}

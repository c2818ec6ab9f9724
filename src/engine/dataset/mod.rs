//! A folder of Parquet files with the layout of `export --format=parquet` ([`paths`]), and a `manifest.json` that lists
//! the contents.
//!
//! Views were computed when the folder was written and need no bundle. Reports are not available, because they read
//! bundles.

mod error;
mod files;
mod manifest;
mod paths;
mod pruning;
mod relation;

pub use error::DatasetError;
pub use files::{DataFile, LABEL, label_column};
pub use manifest::{Exported, MANIFEST, Manifest};
pub use paths::{BATCH, batch_file, partition};

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::bundle::set;

pub use relation::Relation;

/// An open folder of Parquet files.
#[derive(Debug)]
pub struct Dataset {
    pub folder: PathBuf,
    pub manifest: Manifest,
}

impl Dataset {
    /// Whether a folder is a dataset.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(MANIFEST).is_file() && !set::is_one(folder)
    }

    /// Opens a dataset.
    pub fn open(folder: &Path) -> Result<Self, DatasetError> {
        Ok(Self { folder: folder.to_owned(), manifest: Manifest::read(folder)? })
    }

    /// Returns the size in bytes of the largest relation.
    pub fn bytes(&self) -> u64 {
        let size = |relation: &str| -> u64 {
            let paths = self.paths(relation);
            paths.iter().filter_map(|(_, path)| path.metadata().ok()).map(|file| file.len()).sum()
        };
        self.manifest.relations().into_iter().map(size).max().unwrap_or_default()
    }

    /// Whether a relation is stored for any bundle.
    pub fn holds(&self, relation: &str) -> bool {
        self.manifest.bundles.iter().any(|bundle| bundle.has(relation))
    }

    /// Opens a relation that is stored for at least one bundle.
    pub fn relation(&self, name: &str) -> Result<Relation, DatasetError> {
        Relation::open(self.paths(name))
    }

    /// Returns the files of a relation, each with the label of its bundle, or without one for a batch of bundles.
    fn paths(&self, relation: &str) -> Vec<(Option<String>, PathBuf)> {
        let bundles = self.manifest.bundles.iter().filter(|bundle| bundle.has(relation));
        let mut batches = HashSet::new();
        bundles
            .filter(|bundle| bundle.batch.as_ref().is_none_or(|batch| batches.insert(batch)))
            .map(|bundle| {
                let label = bundle.batch.is_none().then(|| bundle.bundle.clone());
                (label, self.folder.join(bundle.file(relation)))
            })
            .collect()
    }
}

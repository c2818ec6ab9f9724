//! A folder of Parquet files as `export --format=parquet` lays it out: `<relation>/bundle=<label>/data.parquet`, with
//! `manifest.json` to say what is in it.
//!
//! The views in it were worked out when it was written, so that they need no bundle; reports, which ask the bundles
//! themselves, are not to be had.

mod files;
mod manifest;
mod pruning;
mod relation;

pub use files::partition;
pub use manifest::{Exported, MANIFEST, Manifest};

use std::path::{Path, PathBuf};

use crate::bundle::set;

pub use relation::Relation;

/// Why a folder cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// A file is not there, or cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Io { path: PathBuf, source: std::io::Error },
    /// The manifest is not one.
    #[error("{} is not the manifest of an export ({what}); export the bundles again", path.display())]
    Manifest { path: PathBuf, what: String },
    /// A file of data is damaged.
    #[error("{} is damaged: {what}; export the bundle again", path.display())]
    Damaged { path: PathBuf, what: String },
}

/// An open folder.
#[derive(Debug)]
pub struct Dataset {
    pub folder: PathBuf,
    pub manifest: Manifest,
}

impl Dataset {
    /// Whether a folder is one.
    pub fn is_one(folder: &Path) -> bool {
        folder.join(MANIFEST).is_file() && !set::is_one(folder)
    }

    /// Opens a folder.
    pub fn open(folder: &Path) -> Result<Self, DatasetError> {
        Ok(Self { folder: folder.to_owned(), manifest: Manifest::read(folder)? })
    }

    /// Bytes of all files of the relation that has most.
    pub fn bytes(&self) -> u64 {
        let size = |relation: &str| -> u64 {
            let paths = self.paths(relation);
            paths.iter().filter_map(|(_, path)| path.metadata().ok()).map(|file| file.len()).sum()
        };
        self.manifest.relations().into_iter().map(size).max().unwrap_or_default()
    }

    /// Whether any bundle has a relation.
    pub fn holds(&self, relation: &str) -> bool {
        self.manifest.relations().contains(&relation)
    }

    /// A relation that some bundle has.
    pub fn relation(&self, name: &str) -> Result<Relation, DatasetError> {
        Relation::open(self.paths(name))
    }

    /// The labels of the bundles that have a relation, each with its file.
    fn paths(&self, relation: &str) -> Vec<(String, PathBuf)> {
        let bundles = self.manifest.bundles.iter();
        bundles
            .filter(|bundle| bundle.relations.iter().any(|known| known == relation))
            .map(|bundle| {
                let path = self.folder.join(partition(relation, &bundle.bundle));
                (bundle.bundle.clone(), path)
            })
            .collect()
    }
}

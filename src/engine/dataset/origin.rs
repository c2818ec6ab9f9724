//! Where a relation comes from, so that another process can open the same.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use base::digest::hexadecimal;
use sha2::{Digest, Sha256};

use super::manifest::Manifest;

/// The dataset of a relation, and its name there.
#[derive(Debug)]
pub struct Origin {
    /// The folder of the dataset, or its address.
    pub folder: PathBuf,
    pub relation: String,
    manifest: Arc<Manifest>,
    version: OnceLock<String>,
}

impl Origin {
    pub(super) fn new(folder: PathBuf, relation: String, manifest: Arc<Manifest>) -> Self {
        Self { folder, relation, manifest, version: OnceLock::new() }
    }

    /// Returns the SHA-256 of the manifest, which differs where any bundle or relation does.
    pub fn version(&self) -> &str {
        self.version.get_or_init(|| {
            let text = self.manifest.to_text().unwrap_or_default();
            hexadecimal(&Sha256::digest(text))
        })
    }
}

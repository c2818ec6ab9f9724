//! What a folder of Parquet files holds, and what it was made from.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::DatasetError;

/// The manifest's name in the folder.
pub const MANIFEST: &str = "manifest.json";

const FORMAT: &str = "ireescope-parquet";

/// Raised when a reader of the older layout would misread the newer.
const VERSION: u32 = 1;

/// The manifest.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    format: String,
    schema_version: u32,
    pub bundles: Vec<Exported>,
}

/// A bundle that was exported.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Exported {
    /// Its label.
    pub bundle: String,
    /// The file that it was read from.
    pub source: String,
    pub source_bytes: u64,
    /// Digest of the file's (uncompressed) bytes.
    pub source_sha256: String,
    /// The version of the program that wrote it.
    pub ireescope_version: String,
    /// What rows of it were left out, where any were.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// Tables and views that were written.
    pub relations: Vec<String>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self { format: FORMAT.to_owned(), schema_version: VERSION, bundles: Vec::new() }
    }
}

impl Manifest {
    /// The manifest of a folder.
    pub fn read(folder: &Path) -> Result<Self, DatasetError> {
        let path = folder.join(MANIFEST);
        let text = std::fs::read_to_string(&path)
            .map_err(|source| DatasetError::Io { path: path.clone(), source })?;
        let wrong = |what: String| DatasetError::Manifest { path: path.clone(), what };
        let manifest: Self =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        if manifest.format != FORMAT || manifest.schema_version != VERSION {
            let (format, version) = (&manifest.format, manifest.schema_version);
            return Err(wrong(format!(
                "it is of {format} {version}, and {FORMAT} {VERSION} is wanted"
            )));
        }
        Ok(manifest)
    }

    /// The manifest as text.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Adds a bundle, in the place of the one with its label.
    pub fn put(&mut self, exported: Exported) {
        match self.bundles.iter_mut().find(|known| known.bundle == exported.bundle) {
            Some(known) => *known = exported,
            None => self.bundles.push(exported),
        }
    }

    /// All relations that any bundle has.
    pub fn relations(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.bundles.iter().flat_map(|bundle| &bundle.relations).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

//! The manifest of a folder of Parquet files: its relations, and the bundles that they were exported from.

use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::DatasetError;

/// File name of the manifest.
pub const MANIFEST: &str = "manifest.json";

const FORMAT: &str = "ireescope-parquet";

/// Version of the layout. Increase it for changes that older readers would misread.
const VERSION: u32 = 1;

/// The manifest.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Manifest {
    format: String,
    schema_version: u32,
    pub bundles: Vec<Exported>,
}

/// An exported bundle.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Exported {
    /// Its label.
    pub bundle: String,
    /// Path of the file.
    pub source: String,
    pub source_bytes: u64,
    /// SHA-256 of the uncompressed bytes of the file.
    pub source_sha256: String,
    /// Version of the program that exported it.
    pub ireescope_version: String,
    /// The `WHERE` condition of the export; `None` if all rows were exported.
    #[serde(default, rename = "where", skip_serializing_if = "Option::is_none")]
    pub condition: Option<String>,
    /// The exported tables and views.
    pub relations: Vec<String>,
}

impl Default for Manifest {
    fn default() -> Self {
        Self { format: FORMAT.to_owned(), schema_version: VERSION, bundles: Vec::new() }
    }
}

impl Manifest {
    /// Reads the manifest of a folder.
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
                "its format is {format} {version}, but {FORMAT} {VERSION} is required"
            )));
        }
        // The names become parts of paths, which must not lead out of the folder.
        let is_name = |name: &str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        };
        if let Some(name) = manifest.relations().into_iter().find(|name| !is_name(name)) {
            return Err(wrong(format!(
                "a relation is called {name:?}, but names have letters, digits and _ only"
            )));
        }
        Ok(manifest)
    }

    /// Formats the manifest as JSON.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Adds a bundle. Replaces the one with the same label.
    pub fn put(&mut self, exported: Exported) {
        match self.bundles.iter_mut().find(|known| known.bundle == exported.bundle) {
            Some(known) => *known = exported,
            None => self.bundles.push(exported),
        }
    }

    /// Returns the relations that any bundle has, sorted by name.
    pub fn relations(&self) -> Vec<&str> {
        let mut names: Vec<&str> =
            self.bundles.iter().flat_map(|bundle| &bundle.relations).map(String::as_str).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}

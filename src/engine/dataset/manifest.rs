//! The manifest of a folder of Parquet files: its relations, and the bundles that they were exported from.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::DatasetError;
use super::paths::{batch_file, partition};

/// File name of the manifest.
pub const MANIFEST: &str = "manifest.json";

const FORMAT: &str = "ireescope-parquet";

/// Version of the layout with files for each bundle.
const PARTITIONED: u32 = 1;

/// Version of the layout with files for batches of bundles, which older readers would not find.
const BATCHED: u32 = 2;

/// Whether a text is the manifest of a dataset, as far as its format tells.
fn is_one(text: &[u8]) -> bool {
    let parsed = serde_json::from_slice::<serde_json::Value>(text).ok();
    let format = parsed.as_ref().and_then(|it| it.get("format")).and_then(|it| it.as_str());
    format == Some(FORMAT)
}

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
    /// The batch of bundles whose files hold its rows; `None` if it has files of its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<String>,
    /// The exported tables and views.
    pub relations: Vec<String>,
}

impl Exported {
    /// Whether its rows of a relation are stored.
    pub fn has(&self, relation: &str) -> bool {
        self.relations.iter().any(|known| known == relation)
    }

    /// Returns the path of the file that holds its rows of a relation, relative to the folder.
    pub fn file(&self, relation: &str) -> PathBuf {
        match &self.batch {
            Some(batch) => batch_file(relation, batch),
            None => partition(relation, &self.bundle),
        }
    }

    /// Returns the paths of all files that hold its rows, relative to the folder.
    pub fn files(&self) -> impl Iterator<Item = PathBuf> {
        self.relations.iter().map(|relation| self.file(relation))
    }
}

impl Default for Manifest {
    fn default() -> Self {
        Self { format: FORMAT.to_owned(), schema_version: PARTITIONED, bundles: Vec::new() }
    }
}

impl Manifest {
    /// Reads the manifest of a folder.
    pub fn read(folder: &Path) -> Result<Self, DatasetError> {
        let path = folder.join(MANIFEST);
        let text = std::fs::read(&path)
            .map_err(|source| DatasetError::Io { path: path.clone(), source })?;
        Self::parse(&path, &text)
    }

    /// Parses a manifest. `path` is for errors.
    pub fn parse(path: &Path, text: &[u8]) -> Result<Self, DatasetError> {
        let wrong = |what: String| DatasetError::Manifest { path: path.to_owned(), what };
        let manifest: Self =
            serde_json::from_slice(text).map_err(|error| wrong(error.to_string()))?;
        let is_known = [PARTITIONED, BATCHED].contains(&manifest.schema_version);
        if manifest.format != FORMAT || !is_known {
            let (format, version) = (&manifest.format, manifest.schema_version);
            return Err(wrong(format!(
                "its format is {format} {version}, but {FORMAT} {PARTITIONED} or {BATCHED} is required"
            )));
        }
        // The names become parts of paths, which must not lead out of the folder.
        let is_made_of = |name: &str, others: &[u8]| {
            let is_fine = |byte: u8| byte.is_ascii_alphanumeric() || others.contains(&byte);
            !name.is_empty() && name.bytes().all(is_fine)
        };
        if let Some(name) = manifest.relations().into_iter().find(|name| !is_made_of(name, b"_")) {
            return Err(wrong(format!(
                "a relation is called {name:?}, but names have letters, digits and _ only"
            )));
        }
        let mut batches = manifest.bundles.iter().filter_map(|bundle| bundle.batch.as_deref());
        if let Some(name) = batches.find(|name| !is_made_of(name, b"-")) {
            return Err(wrong(format!(
                "a batch is called {name:?}, but names have letters, digits and - only"
            )));
        }
        Ok(manifest)
    }

    /// Parses a manifest; `None` if it is that of something else.
    pub fn parse_if_one(path: &Path, text: &[u8]) -> Option<Result<Self, DatasetError>> {
        let parsed = Self::parse(path, text);
        (parsed.is_ok() || is_one(text)).then_some(parsed)
    }

    /// Formats the manifest as JSON.
    pub fn to_text(&self) -> Result<String, serde_json::Error> {
        let schema_version = if self.is_batched() { BATCHED } else { PARTITIONED };
        Ok(serde_json::to_string_pretty(&Self { schema_version, ..self.clone() })? + "\n")
    }

    /// Whether files hold batches of bundles.
    pub fn is_batched(&self) -> bool {
        self.bundles.iter().any(|bundle| bundle.batch.is_some())
    }

    /// Returns the bundles by label.
    pub fn by_label(&self) -> HashMap<&str, &Exported> {
        self.bundles.iter().map(|bundle| (bundle.bundle.as_str(), bundle)).collect()
    }

    /// Adds bundles. Replaces those with the same labels.
    pub fn put(&mut self, exported: &[Exported]) {
        let known = self.bundles.iter().enumerate();
        let mut places: HashMap<String, usize> =
            known.map(|(nth, bundle)| (bundle.bundle.clone(), nth)).collect();
        for bundle in exported {
            let place = *places.entry(bundle.bundle.clone()).or_insert(self.bundles.len());
            match self.bundles.get_mut(place) {
                Some(known) => known.clone_from(bundle),
                None => self.bundles.push(bundle.clone()),
            }
        }
    }

    /// Returns the relations that any bundle has, sorted by name.
    pub fn relations(&self) -> Vec<&str> {
        let names: HashSet<&str> =
            self.bundles.iter().flat_map(|bundle| &bundle.relations).map(String::as_str).collect();
        let mut names: Vec<&str> = names.into_iter().collect();
        names.sort_unstable();
        names
    }
}

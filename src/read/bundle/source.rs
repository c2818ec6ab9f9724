//! A file to open, with what its capture set says of it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::set::{CaptureSet, SetRun};

/// A file to open and the label of its rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BundleSource {
    pub label: String,
    pub path: PathBuf,
    /// The copy of the file, if the path is the address of an object.
    pub copy: Option<PathBuf>,
    /// Whether the label was given as NAME=PATH.
    pub named: bool,
    /// The run that recorded it. The first bundle of a capture set also lists the runs that recorded nothing.
    pub runs: Vec<SetRun>,
    /// The capture set that it belongs to.
    pub set: Option<Arc<CaptureSet>>,
    /// Set if there is no file.
    pub stand_in: Option<StandIn>,
}

impl BundleSource {
    /// Creates a source with a label that the user chose.
    pub const fn named(label: String, path: PathBuf) -> Self {
        Self { label, path, copy: None, named: true, runs: Vec::new(), set: None, stand_in: None }
    }

    /// Creates a source that is labelled by the name of its file.
    pub fn unnamed(path: PathBuf) -> Self {
        Self { named: false, ..Self::named(stem(&path), path) }
    }

    /// Creates a source for an object, of which there is a copy.
    pub fn copied(address: String, copy: PathBuf) -> Self {
        Self { copy: Some(copy), ..Self::unnamed(PathBuf::from(address)) }
    }

    /// Returns the same source with the address of the folder that was copied to `copy`, if it is in there.
    #[must_use]
    pub fn at_address(mut self, copy: &Path, address: &str) -> Self {
        let of_copy = |path: &Path| {
            let within = path.strip_prefix(copy).ok()?;
            let is_whole = within.as_os_str().is_empty();
            Some(if is_whole { PathBuf::from(address) } else { Path::new(address).join(within) })
        };
        let Some(path) = of_copy(&self.path) else { return self };
        self.copy = Some(std::mem::replace(&mut self.path, path));
        if let Some(set) = &mut self.set {
            let set = Arc::make_mut(set);
            if let Some(folder) = of_copy(&set.folder) {
                set.copy = Some(std::mem::replace(&mut set.folder, folder));
            }
        }
        for run in &mut self.runs {
            if let Some(folder) = of_copy(&run.folder) {
                run.folder = folder;
            }
        }
        self
    }

    /// Whether the source is standard input.
    pub(crate) fn is_stdin(&self) -> bool {
        self.path.as_os_str() == "-"
    }
}

/// Why a bundle without a file is opened as one without records. All that is known of it is in the manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StandIn {
    /// No run of the set recorded anything.
    Nothing,
    /// The manifest names the bundle, but the file is missing.
    Lost,
}

/// What is wrong with a lost bundle.
pub const LOST: &str = "the file is missing, but its capture set lists it";

/// Returns the file name without `.gz` and without `.ireeprof`, `.ireeperf.jsonl` or else its last extension.
pub fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    name.strip_suffix(".ireeprof")
        .or_else(|| name.strip_suffix(".ireeperf.jsonl"))
        .or_else(|| name.rsplit_once('.').map(|(stem, _)| stem))
        .filter(|stem| !stem.is_empty())
        .unwrap_or(name)
        .to_owned()
}

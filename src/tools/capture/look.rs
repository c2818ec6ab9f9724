//! Finds the modes of which a bundle holds records. They can differ from the modes that the tool was asked for.

use std::path::Path;
use std::sync::Arc;

use schemas::questions::{MODES, Mode};

use read::bundle::{self, Bundle, BundleSource, OpenOptions, RecordType};
use read::record::chunks;

/// Returns the modes of which the file holds records; none if it cannot be read.
pub(crate) fn modes_of_file(path: &Path, asked: &[&str]) -> Vec<&'static str> {
    contents_of_file(path, asked).0
}

/// Returns the modes of which the file holds records, and how often a device began a session; none if it cannot be read.
pub(crate) fn contents_of_file(path: &Path, asked: &[&str]) -> (Vec<&'static str>, usize) {
    let source = BundleSource::named(String::new(), path.to_owned());
    let Ok(bundle) = bundle::open(&source, &OpenOptions::default()) else { return (Vec::new(), 0) };
    let entries = bundle.directory.entries.iter();
    let begun = entries.filter(|entry| entry.record_type == RecordType::SessionBegin).count();
    (modes(&Arc::new(bundle), asked), begun)
}

/// Returns the modes of which the bundle holds records, of those that were asked for and others.
pub fn modes(bundle: &Arc<Bundle>, asked: &[&str]) -> Vec<&'static str> {
    let found = MODES.iter().filter(|mode| holds(bundle, mode) && is_meant(mode, asked));
    found.map(|mode| mode.name).collect()
}

/// Decides between modes that fill the same tables, as both counter modes do: the one that was asked for, or the first
/// one if none was.
fn is_meant(mode: &Mode, asked: &[&str]) -> bool {
    let alike = || MODES.iter().filter(|other| other.tables == mode.tables).map(|it| it.name);
    let is_first = alike().next() == Some(mode.name);
    asked.contains(&mode.name) || is_first && !alike().any(|name| asked.contains(&name))
}

/// Whether the bundle has chunks with records of the mode's main table.
fn holds(bundle: &Arc<Bundle>, mode: &Mode) -> bool {
    let family = schemas::find(mode.table()).and_then(schemas::Table::reads);
    let Some(family) = family else { return false };
    let chunks = chunks(std::slice::from_ref(bundle), family);
    let mut records = chunks.iter().flat_map(|chunks| &chunks.records);
    records.any(|record| bundle.directory.payload(*record).1 > 0)
}

//! Finds the modes of which a bundle holds records. They can differ from the modes that the tool was asked for.

use std::path::Path;
use std::sync::Arc;

use schemas::questions::{MODES, Mode};

use crate::bundle::{self, Bundle, BundleError, BundleSource};
use crate::record::chunks;

/// Returns the modes of which the file holds records; none if it cannot be read.
pub fn modes_of_file(path: &Path, asked: &[&str]) -> Vec<&'static str> {
    let source = BundleSource::named(String::new(), path.to_owned());
    bundle::open(&source, false)
        .and_then(|bundle| modes(&Arc::new(bundle), asked))
        .unwrap_or_default()
}

/// Returns the modes of which the bundle holds records, of those that were asked for and others. Reads record headers
/// only.
pub fn modes(bundle: &Arc<Bundle>, asked: &[&str]) -> Result<Vec<&'static str>, BundleError> {
    let mut found = Vec::new();
    for mode in MODES {
        if holds(bundle, mode)? && is_meant(mode, asked) {
            found.push(mode.name);
        }
    }
    Ok(found)
}

/// Decides between modes that fill the same tables, as both counter modes do: the one that was asked for, or the first
/// one if none was.
fn is_meant(mode: &Mode, asked: &[&str]) -> bool {
    let alike = || MODES.iter().filter(|other| other.tables == mode.tables).map(|it| it.name);
    let is_first = alike().next() == Some(mode.name);
    asked.contains(&mode.name) || is_first && !alike().any(|name| asked.contains(&name))
}

/// Whether the bundle has chunks with records of the mode's main table.
fn holds(bundle: &Arc<Bundle>, mode: &Mode) -> Result<bool, BundleError> {
    let family = schemas::find(mode.table()).and_then(schemas::Table::reads);
    let Some(family) = family else { return Ok(false) };
    for chunk in chunks(std::slice::from_ref(bundle), family) {
        let Some(entry) = chunk.entry() else { continue };
        if bundle.record_header(entry)?.payload_length > 0 {
            return Ok(true);
        }
    }
    Ok(false)
}

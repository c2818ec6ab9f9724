//! What is known of functions and devices besides the bundles: dumped sources and configurations, results of `bench` and
//! measured peaks.

use std::fs;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use base::with_extension;
use model::operation::ExternalFacts;
use model::tuning::configuration::Dispatch;
use model::tuning::dumps;
use report::rows;

use super::error::OpenError;
use super::user_folders;

/// Collects what is known of the `device` whose peaks apply, of the functions in folders of `sources` and
/// `configurations`, and of the dispatches in rows of `dispatch_runs`.
pub fn known(
    device: Option<&str>,
    sources: &[PathBuf],
    configurations: &[PathBuf],
    dispatch_runs: &[RecordBatch],
) -> Result<ExternalFacts, OpenError> {
    let mut known = ExternalFacts::default();
    known.peaks = peaks_file();
    known.device = device.map(str::to_owned);
    for folder in sources {
        add_sources(&mut known, folder)?;
    }
    for folder in configurations {
        add_configurations(&mut known, folder)?;
    }
    for row in rows(dispatch_runs) {
        if let (Some(flops), Some(bytes)) = (row.whole("flops"), row.whole("bytes")) {
            known.add_dispatch(&row.text("dispatch"), flops, bytes);
        }
    }
    Ok(known)
}

/// Returns the file of measured peaks, which need not exist. `None` if there is no home folder.
pub fn peaks_file() -> Option<PathBuf> {
    user_folders::cache().map(|folder| folder.join("peaks.json"))
}

fn add_sources(known: &mut ExternalFacts, folder: &Path) -> Result<(), OpenError> {
    let mut functions = 0;
    for path in with_extension(folder, "mlir").map_err(OpenError::reading(folder))? {
        let text = fs::read(&path).map_err(OpenError::reading(&path))?;
        functions += known.add_source(&String::from_utf8_lossy(&text));
    }
    if functions == 0 {
        return Err(OpenError::NoSources(folder.to_owned()));
    }
    Ok(())
}

fn add_configurations(known: &mut ExternalFacts, folder: &Path) -> Result<(), OpenError> {
    let dispatches = dumps::read(folder)?;
    // Dumped sources look the same, but nothing is configured in them.
    if !dispatches.iter().any(Dispatch::is_configured) {
        return Err(OpenError::NoConfigurations(folder.to_owned()));
    }
    known.knobs.extend(dispatches.iter().flat_map(Dispatch::knobs));
    Ok(())
}

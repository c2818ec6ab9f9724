//! How near the dispatches of a model are to what the device can do: the report `roofline` over a profile.

use std::collections::BTreeMap;
use std::path::Path;

use engine::Parameters;
use report::rows;
use workspace::{Workspace, WorkspaceOptions};

use super::error::TuneError;

/// Returns the fraction of its roof that each function achieves, over all its shapes and dispatches. A function has none if
/// its operation is unknown, or if `ireescope bench peaks` has not measured the device.
pub fn fractions(
    bundles: &[String],
    sources: &Path,
    options: &WorkspaceOptions,
) -> Result<BTreeMap<String, f64>, TuneError> {
    let options = WorkspaceOptions { sources: vec![sources.to_owned()], ..options.clone() };
    let Workspace { engine, runtime } = Workspace::open_any(bundles, &options)?;
    let answer = runtime.block_on(engine.report("roofline", &Parameters::default()))?;
    // A row is a function with one shape in one bundle.
    let mut sums: BTreeMap<String, (f64, f64)> = BTreeMap::new();
    for row in rows(&answer.batches) {
        let Some((fraction, ns)) = row.number("fraction").zip(row.number("total_ns")) else {
            continue;
        };
        let (least, took) = sums.entry(row.text("key")).or_default();
        *least += fraction * ns;
        *took += ns;
    }
    Ok(sums.into_iter().map(|(key, (least, took))| (key, (least / took).min(1.0))).collect())
}

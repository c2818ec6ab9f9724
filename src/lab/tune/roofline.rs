//! How near the dispatches of a model are to what the device can do: the report `roofline` over a profile.

use std::collections::BTreeMap;
use std::path::Path;

use engine::Parameters;
use report::{Row, rows};
use workspace::{Workspace, WorkspaceOptions};

use super::error::TuneError;

/// Returns the fraction of its roof that each function achieves. A function has none if its operation is unknown, or if
/// `ireescope bench peaks` has not measured the device.
pub fn fractions(
    bundles: &[String],
    sources: &Path,
    options: &WorkspaceOptions,
) -> Result<BTreeMap<String, f64>, TuneError> {
    let options = WorkspaceOptions { sources: vec![sources.to_owned()], ..options.clone() };
    let Workspace { engine, runtime } = Workspace::open_any(bundles, &options)?;
    let answer = runtime.block_on(engine.report("roofline", &Parameters::default()))?;
    let of = |row: Row<'_>| Some((row.text("key"), row.number("fraction")?.min(1.0)));
    // Of several shapes, the one that takes longest is first, and stays.
    Ok(rows(&answer.batches).into_iter().rev().filter_map(of).collect())
}

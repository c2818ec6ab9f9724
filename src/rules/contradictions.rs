//! The pass that holds the families of a bundle against each other.

use std::collections::BTreeMap;

use crate::bundle::BundleError;
use crate::fold::contradictions::find;
use crate::fold::{self, ByTable, Call, Output, Pass, Relation, reaches};
use crate::rules::doctor;

/// The pass. It reads no metadata, so that it does not fail if that is damaged.
pub static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output::of(
        "contradictions",
        "What families of a bundle say of the same work and cannot all be true, the most telling first; one row per kind.",
        || doctor::columns().fields(),
    ),
    Output::of(
        "usage_findings",
        "What stands out in how calls and workers used their time; one row per finding.",
        || doctor::columns().fields(),
    ),
    Output::of(
        "early_ends",
        "The families whose records the producer dropped, and up to which call they are complete; one row per family and session.",
        || doctor::columns().fields(),
    ),
];

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let read = find(call.bundle, call.threads).and_then(|held| {
        let chunks = fold::chunks(call.bundle)?;
        Ok((held, reaches(call.bundle, &chunks)?))
    });
    let (held, reaches) = match read {
        // Commands that do not need a damaged family read on. `doctor` leaves it out and reports it.
        Err(BundleError::Damaged { .. }) => Default::default(),
        found => found?,
    };
    let facts = doctor::Facts {
        bundle: call.bundle,
        groups: &[],
        chunks: &ByTable::new(),
        missing: &[],
        clocks: &BTreeMap::new(),
        modes: &[],
        answers: &[],
        held: &held,
        reaches: &reaches,
    };
    let columns = doctor::columns();
    let all = [doctor::contradictions(&facts), doctor::usage(&facts), doctor::ends(&facts)];
    Ok(all.iter().map(|findings| columns.relation(findings)).collect())
}

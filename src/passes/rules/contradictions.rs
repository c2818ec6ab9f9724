//! The pass that holds the families of a bundle against each other.

use std::collections::BTreeMap;

use read::bundle::BundleError;

use crate::fold::contradictions::find;
use crate::fold::{self, ByTable, Call, Columns, Output, Pass, Relation, Residuals, reaches};
use crate::rules::doctor::{self, Finding};

/// The pass. It reads no metadata, so that it does not fail if that is damaged.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output::of(
        "compared_findings",
        "What families of a bundle say of the same work and cannot all be true, how calls and workers used their time, and \
         which families end before others; one row per finding.",
        || doctor::columns().fields(),
    ),
    Output::of(
        "consistency",
        "The number of contradictions of a bundle and of families that end early, each with the most telling one.",
        || consistency().fields(),
    ),
];

/// The contradictions of a bundle, and its families that end early.
type Findings = [Vec<Finding>; 2];

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
        residuals: &Residuals::default(),
        absence: None,
        modes: &[],
        answers: &[],
        held: &held,
        reaches: &reaches,
    };
    let told = [doctor::contradictions(&facts), doctor::ends(&facts)];
    let consistency = consistency().relation(std::slice::from_ref(&told));
    let [contradictions, ends] = told;
    let all: Vec<Finding> =
        contradictions.into_iter().chain(doctor::usage(&facts)).chain(ends).collect();
    Ok(vec![doctor::columns().relation(&all), consistency])
}

fn consistency() -> Columns<Findings> {
    let first = |findings: &[Finding]| findings.first().map(Finding::what);
    Columns::<Findings>::new()
        .number("contradiction_count", |[contradictions, _]| contradictions.len() as u64)
        .composed("contradiction", move |[contradictions, _]| first(contradictions))
        .number("early_end_count", |[_, ends]| ends.len() as u64)
        .composed("early_end", move |[_, ends]| first(ends))
}

//! The pass of `doctor` and `gaps`: checks whether a bundle is complete and which questions it can answer.

use read::bundle::BundleError;
use schemas::spec::Source;

use crate::fold::contradictions::{CrossChecks, alone};
use crate::fold::{
    self, Absence, Call, Output, Pass, Relation, Residuals, missing, read_clocks, record_groups,
};
use crate::rules::commands::Commands;
use crate::rules::{answers, doctor, modes};

/// The pass. It counts metadata records like all others, so that it does not fail if they are damaged.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output::of(
        "record_groups",
        "Number of records by table, session, kind, function, command buffer, queue and set of counters or metrics, and the number without valid times.",
        || record_groups::columns().fields(),
    ),
    Output::of(
        "missing_references",
        "Objects that records of a table and session refer to, but that have no metadata in the session.",
        || missing::columns().fields(),
    ),
    Output::of(
        "mode_records",
        "The amount of recorded data of each mode, and why there is no more; one row per mode.",
        || modes::columns().fields(),
    ),
    Output::of(
        "ways_to_answer",
        "The recorded and the missing modes for each way to answer each question, with the commands that capture and that answer; one row per way.",
        || answers::columns().fields(),
    ),
    Output::of(
        "capture_findings",
        "The findings about a bundle, with evidence and advice; one row per finding.",
        || doctor::columns().fields(),
    ),
];

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let families = schemas::all().iter().filter(|table| matches!(table.source, Source::Family(_)));
    let tables: Vec<_> = families.copied().collect();
    let groups = record_groups::groups(call.bundle, call.threads, &tables, record_groups::READ)?;
    let missing = missing::missing(&groups);
    let chunks = fold::chunks(call.bundle)?;
    let modes = modes::modes(call.bundle, &groups, &chunks, alone(call.bundle)?);
    let clocks = read_clocks(call.bundle)?;
    let absence = Absence::of(call.bundle, &groups, &chunks)?;
    let answers = answers::ways(&groups, &clocks, &modes, absence);
    let findings = doctor::findings(&doctor::Facts {
        bundle: call.bundle,
        groups: &groups,
        chunks: &chunks,
        missing: &missing,
        clocks: &clocks,
        residuals: &Residuals::read(call.bundle, &clocks)?,
        absence,
        modes: &modes,
        answers: &answers,
        held: &CrossChecks::default(),
        reaches: &[],
    });
    let commands = Commands::of(call.bundle);
    let ways: Vec<answers::Row<'_>> = answers.iter().map(|way| (way, &commands)).collect();
    Ok(vec![
        record_groups::columns().relation(&groups),
        missing::columns().relation(&missing),
        modes::columns().relation(&modes),
        answers::columns().relation(&ways),
        doctor::columns().relation(&findings),
    ])
}

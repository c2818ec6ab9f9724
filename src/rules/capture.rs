//! Whether a bundle is whole and what it can answer: what `doctor` and `gaps` ask, in one pass over it.

use schemas::spec::Source;

use crate::bundle::BundleError;
use crate::fold::{self, Call, Output, Pass, Relation, missing, read_clocks, record_groups};
use crate::rules::commands::Commands;
use crate::rules::{answers, doctor, modes};

/// The pass. It reads what describes things like anything else.
pub static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output::of(
        "record_groups",
        "How many records of each table, session and kind refer to the same function, command buffer, queue and set of counters or metrics, and how many of them cannot be timed.",
        || record_groups::columns().fields(),
    ),
    Output::of(
        "missing_references",
        "What the records of a table and session refer to and no record of the session describes.",
        || missing::columns().fields(),
    ),
    Output::of(
        "mode_records",
        "How much of each mode was recorded, and why there is no more; one row a mode.",
        || modes::columns().fields(),
    ),
    Output::of(
        "ways_to_answer",
        "What there is of each way of answering each question, what is missing, and the commands that capture it and that answer; one row a way.",
        || answers::columns().fields(),
    ),
    Output::of(
        "capture_findings",
        "What there is to find about a bundle, what shows it and what to do; one row a finding.",
        || doctor::columns().fields(),
    ),
];

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let families = schemas::all().iter().filter(|table| matches!(table.source, Source::Family(_)));
    let tables: Vec<_> = families.copied().collect();
    let groups = record_groups::groups(call, &tables, record_groups::READ)?;
    let missing = missing::missing(&groups);
    let chunks = fold::chunks(call.bundle)?;
    let modes = modes::modes(call.bundle, &groups, &chunks);
    let clocks = read_clocks(call.bundle)?;
    let answers = answers::ways(&groups, &clocks, &modes);
    let findings = doctor::findings(&doctor::Facts {
        bundle: call.bundle,
        groups: &groups,
        chunks: &chunks,
        missing: &missing,
        clocks: &clocks,
        modes: &modes,
        answers: &answers,
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

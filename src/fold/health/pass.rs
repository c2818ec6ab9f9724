//! Whether a bundle is whole and what it can answer: what `doctor` and `gaps` ask, in one pass over it.

use crate::fold::health::{chunks, extent, findings, missing, modes, ways};
use schemas::spec::Source;

use crate::bundle::BundleError;
use crate::fold::clocks::correlations::read_clocks;
use crate::fold::health::commands::Commands;
use crate::fold::pass::{Arrays, Call, Fold, Output};
use crate::fold::shared::record_groups;
use crate::fold::shared::record_groups::READ;

/// The fold. It reads what describes things like anything else.
pub static FOLD: Fold = Fold::of(OUTPUTS, run).without_metadata();

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
        || ways::columns().fields(),
    ),
    Output::of(
        "capture_findings",
        "What there is to find about a bundle, what shows it and what to do; one row a finding.",
        || findings::columns().fields(),
    ),
];

fn run(call: &Call<'_>) -> Result<Vec<Arrays>, BundleError> {
    let families = schemas::all().iter().filter(|table| matches!(table.source, Source::Family(_)));
    let groups = record_groups::groups(call, &families.copied().collect::<Vec<_>>(), READ)?;
    let missing = missing::missing(&groups);
    let chunks = chunks::chunks(call.bundle)?;
    let modes = modes::modes(call.bundle, &groups, &chunks);
    let clocks = read_clocks(call.bundle)?;
    let ways = ways::ways(&groups, &clocks, &modes);
    let mut findings = findings::findings(call.bundle, &groups, &chunks, &missing, &clocks);
    findings.extend(extent::findings(&modes, &ways));
    let commands = Commands::of(call.bundle);
    let rows: Vec<ways::Row<'_>> = ways.iter().map(|way| (way, &commands)).collect();
    Ok(vec![
        record_groups::columns().arrays(&groups),
        missing::columns().arrays(&missing),
        modes::columns().arrays(&modes),
        ways::columns().arrays(&rows),
        findings::columns().arrays(&findings),
    ])
}

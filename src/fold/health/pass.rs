//! Whether a bundle is whole and what it can answer: what `doctor` and `gaps` ask, in one pass over it.

use crate::fold::health::{chunks, extent, findings, missing, modes, ways};
use schemas::spec::Source;

use crate::bundle::BundleError;
use crate::fold::clocks::correlations::read_clocks;
use crate::fold::health::commands::Commands;
use crate::fold::pass::{Call, Columns, Fold, Output};
use crate::fold::shared::record_groups;
use crate::fold::shared::record_groups::READ;

/// The fold. It reads what describes things like anything else.
pub static FOLD: Fold = Fold::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output {
        name: "record_groups",
        doc: "How many records of each table, session and kind refer to the same function, command buffer, queue and set of counters or metrics, and how many of them cannot be timed.",
        arguments: &[],
        columns: record_groups::COLUMNS,
    },
    Output {
        name: "missing_references",
        doc: "What the records of a table and session refer to and no record of the session describes.",
        arguments: &[],
        columns: missing::COLUMNS,
    },
    Output {
        name: "mode_records",
        doc: "How much of each mode was recorded, and why there is no more; one row a mode.",
        arguments: &[],
        columns: modes::COLUMNS,
    },
    Output {
        name: "ways_to_answer",
        doc: "What there is of each way of answering each question, what is missing, and the commands that capture it and that answer; one row a way.",
        arguments: &[],
        columns: ways::COLUMNS,
    },
    Output {
        name: "capture_findings",
        doc: "What there is to find about a bundle, what shows it and what to do; one row a finding.",
        arguments: &[],
        columns: findings::COLUMNS,
    },
];

fn run(call: &Call<'_>) -> Result<Vec<Columns>, BundleError> {
    let families = schemas::all().iter().filter(|table| matches!(table.source, Source::Family(_)));
    let groups = record_groups::groups(call, &families.copied().collect::<Vec<_>>(), READ)?;
    let missing = missing::missing(&groups);
    let chunks = chunks::chunks(call.bundle)?;
    let modes = modes::modes(call.bundle, &groups, &chunks);
    let clocks = read_clocks(call.bundle)?;
    let ways = ways::ways(&groups, &clocks, &modes);
    let mut findings = findings::findings(call.bundle, &groups, &chunks, &missing, &clocks);
    findings.extend(extent::findings(&modes, &ways));
    Ok(vec![
        record_groups::columns(&groups),
        missing::columns(&missing),
        modes::columns(&modes),
        ways::columns(&ways, &Commands::of(call.bundle)),
        findings::columns(&findings),
    ])
}

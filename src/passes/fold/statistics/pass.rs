//! Aggregates events into rows of statistics. An event counts in the rows of its queue operation, its function, its
//! command buffer and its command, as far as it has them.
//!
//! Events are first grouped by the union of the keys of these rows, which takes one lookup per event; the sums of the
//! groups are then added to the rows. All sums are integers and can be merged in any order, so threads share the
//! chunks.

use read::bundle::cursor::u64_at;
use read::bundle::{Bundle, BundleError, Fault};

use crate::fold::pass::{Call, Output, Pass};
use crate::fold::shared::{Chunks, Columns, Relation, on_threads};
use crate::fold::statistics::groups::{Sums, TABLES};
use crate::fold::statistics::rows::{self, References, StatisticsRows};

/// The pass.
pub(crate) static PASS: Pass = Pass::of(OUTPUTS, run).without_metadata();

static OUTPUTS: &[Output] = &[
    Output::of(
        "statistics_totals",
        "Number of rows of statistics and of records that the producer dropped; one row per bundle.",
        || total_columns().fields(),
    ),
    Output::of(
        "statistics_rows",
        "Totals of times, bytes and operations, in order of first occurrence; ids that do not apply to a row have raw numbers.",
        || rows::columns().fields(),
    ),
];

fn total_columns() -> Columns<(u64, u64)> {
    Columns::<(u64, u64)>::new()
        .number("row_count", |(rows, _)| *rows)
        .number("dropped_record_count", |(_, dropped)| *dropped)
}

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let bundle = call.bundle;
    let chunks = Chunks::of(bundle, TABLES);
    let passes = on_threads(call.threads, || Sums::default().run(&chunks))?;
    let rows = StatisticsRows::of(&passes).map_err(|fault| bundle.damaged(fault))?;
    let dropped = dropped(bundle).map_err(|fault| bundle.damaged(fault))?;
    let totals = (rows.len() as u64, dropped);
    Ok(vec![total_columns().relation([&totals]), rows.relation(&References::read(bundle)?)])
}

/// Returns the number of records that producers dropped from all chunks.
fn dropped(bundle: &Bundle) -> Result<u64, Fault> {
    let entries = (0..).zip(&bundle.directory.entries);
    entries.filter(|(_, entry)| entry.is_lossy).try_fold(0_u64, |sum, (record, entry)| {
        sum.checked_add(u64_at(bundle.record(record), 88)).ok_or_else(|| {
            let what = "the number of dropped records overflows 64 bits".to_owned();
            Fault::new(entry.offset, "dropped_record_count", what)
        })
    })
}

//! Prints the rows of a report on the state of bundles, for `doctor` and `gaps`.

use std::io::{self, Write};
use std::path::Path;

use arrow::array::RecordBatch;

use super::error::CliError;
use super::lines;
use super::names::ReportFormat;
use super::open::{self, Opening};
use super::output::Destination;
use crate::engine::Parameters;
use crate::report::{Row, rows};

/// Prints a report over the bundles as JSON lines, or as text with `draw`. Returns its rows.
pub fn print(
    report: &str,
    parameters: &Parameters,
    (bundles, opening): (&[String], &Opening),
    format: ReportFormat,
    output: Option<&Path>,
    draw: impl Fn(&mut dyn Write, &[Row<'_>]) -> io::Result<()>,
) -> Result<Vec<RecordBatch>, CliError> {
    let (engine, runtime) = open::salvaging(bundles, opening)?;
    let destination = Destination::new(output, [&engine])?;
    let batches = runtime.block_on(engine.report(report, parameters))?.batches;
    match format {
        ReportFormat::Jsonl => {
            destination.fill(|out| lines::print_whole(report, &batches, out))?;
        }
        ReportFormat::Text => destination.text(|out| draw(out, &rows(&batches)))?,
    }
    Ok(batches)
}

//! Prints the rows of a report on the state of bundles, for `doctor` and `gaps`.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use exporters::Format;

use super::encode;
use super::error::CliError;
use super::open::Opening;
use super::printing::Printing;
use crate::engine::Parameters;
use crate::export::lines;
use crate::report::{Row, rows};
use crate::workspace::Workspace;

/// Prints a report over the bundles in a format, or as text with `draw`. Returns its rows.
pub fn print(
    report: &str,
    parameters: &Parameters,
    (bundles, opening): (&[String], &Opening),
    printing: &Printing,
    draw: impl Fn(&mut dyn Write, &[Row<'_>]) -> io::Result<()>,
) -> Result<Vec<RecordBatch>, CliError> {
    let Workspace { engine, runtime } = opening.salvage(bundles)?;
    let destination = printing.destination([engine.as_ref()])?;
    let answer = runtime.block_on(engine.report(report, parameters))?;
    let batches = answer.batches;
    match printing.of_report() {
        None => destination.text(|out| draw(out, &rows(&batches)))?,
        Some(format @ (Format::Json | Format::Jsonl)) => {
            let print = |out: &mut dyn Write| Ok(lines::write_report(report, &batches, out)?);
            destination.lines(format == Format::Json, print)?;
        }
        Some(format) => {
            encode::write_all(&answer.schema, batches.clone(), format, destination)?;
        }
    }
    Ok(batches)
}

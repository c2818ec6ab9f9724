//! Prints the rows of a report on the state of bundles, for `doctor` and `gaps`.

use std::io::{self, Write};

use arrow::array::RecordBatch;
use exporters::Format;

use super::array::Array;
use super::encode;
use super::error::CliError;
use super::lines;
use super::open::{self, Opening};
use super::printing::Printing;
use crate::engine::Parameters;
use crate::report::{Row, rows};

/// Prints a report over the bundles in a format, or as text with `draw`. Returns its rows.
pub fn print(
    report: &str,
    parameters: &Parameters,
    (bundles, opening): (&[String], &Opening),
    printing: &Printing,
    draw: impl Fn(&mut dyn Write, &[Row<'_>]) -> io::Result<()>,
) -> Result<Vec<RecordBatch>, CliError> {
    let (engine, runtime) = open::salvaging(bundles, opening)?;
    let destination = printing.destination([&engine])?;
    let answer = runtime.block_on(engine.report(report, parameters))?;
    let batches = answer.batches;
    match printing.of_report() {
        None => destination.text(|out| draw(out, &rows(&batches)))?,
        Some(Format::Jsonl) => {
            destination.fill(|out| lines::print_whole(report, &batches, out))?;
        }
        Some(Format::Json) => destination.fill(|out| {
            let mut array = Array::new(out).map_err(CliError::output)?;
            lines::print_whole(report, &batches, &mut array)?;
            array.finish().map_err(CliError::output)
        })?,
        Some(format) => {
            let format = destination.format(Some(format))?;
            let rows = futures::stream::iter(batches.iter().cloned().map(Ok));
            runtime.block_on(encode::write(&answer.schema, rows, format, &destination))?;
            destination.commit()?;
        }
    }
    Ok(batches)
}

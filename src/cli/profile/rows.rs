//! Prints the rows of a command as tables, one for each type of rows, as SQL over `report.<type>` would.

use exporters::Format;

use super::super::encode;
use super::super::error::CliError;
use super::super::open::{self, Opening};
use super::args::Profile;
use super::commands::Command;
use crate::engine::Parameters;

/// Prints the rows of all bundles together.
pub fn print(
    command: &Command,
    args: &Profile,
    opening: &Opening,
    parameters: &Parameters,
    format: Format,
) -> Result<(), CliError> {
    let reports = command.lines(args)?.concat();
    if format.is_binary() && reports.len() > 1 {
        return Err(CliError::Usage(format!(
            "arrow and parquet can hold only one type of rows; choose one with --rows: {}",
            reports.join(", ")
        )));
    }
    let (engine, runtime) = open::engine(&args.bundles, opening)?;
    let destination = args.printing.destination([&engine])?;
    let format = destination.format(Some(format))?;
    for prepared in engine.prepare_all(sql::Kind::Report, &reports, parameters)? {
        let rows = prepared.stream()?;
        runtime.block_on(encode::write(&rows.schema(), rows, format, &destination))?;
    }
    destination.commit()
}

//! Lists traces and code objects.

use std::io::Write;

use crate::cli::error::CliError;
use crate::cli::flags::FLAGS;
use crate::cli::open::Opening;
use crate::cli::output::terminal_width;
use crate::cli::printed;
use crate::cli::printing::Printing;
use crate::cli::suggest::suggest;
use crate::engine::Parameters;
use crate::report::next::Next;
use crate::report::section::{self, Frame, Section};
use crate::report::{Row, rows};

/// Prints the rows of a section's report in any format, text with at most `limit` of them and a command to go on for the
/// first trace that can be decoded. Returns the number of rows.
pub fn print(
    section: &Section,
    limit: usize,
    next: &[Next],
    parameters: &Parameters,
    bundles: (&[String], &Opening),
    printing: &Printing,
) -> Result<usize, CliError> {
    let width = terminal_width();
    let draw = |out: &mut dyn Write, rows: &[Row<'_>]| {
        let several = rows.windows(2).any(|pair| match pair {
            [left, right] => left.text("bundle") != right.text("bundle"),
            _ => false,
        });
        let frame = Frame { limit, width, several, options: FLAGS };
        section::draw(out, section, rows.to_vec(), false, frame)?;
        let first = rows.iter().find(|row| row.is("has_code_objects"));
        suggest(out, next, bundles.0, |_, column| first.map(|row| row.text(column)))
    };
    let batches = printed::print(section.report, parameters, bundles, printing, draw)?;
    Ok(rows(&batches).len())
}

/// Fails if nothing was found.
pub fn found(count: usize, what: &str, parameters: &Parameters) -> Result<(), CliError> {
    if count > 0 {
        return Ok(());
    }
    let is_all = matches!(parameters.filter.as_str(), "" | "*") && parameters.id.is_none();
    Err(CliError::No(if is_all {
        format!(
            "no {what} were recorded; --device_profiling_mode=executable-traces records them on AMD GPUs"
        )
    } else {
        format!("no {what} match --filter and --id; without these flags, all are listed")
    }))
}

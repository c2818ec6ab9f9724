//! The text of a command: health first, then its sections, then what to ask next.

use std::io::Write;

use super::super::args::{Opening, Profile};
use super::super::error::CliError;
use super::super::open;
use super::super::output::{Destination, terminal_width};
use super::commands::Command;
use crate::engine::Parameters;
use crate::report::section::{self, Frame};
use crate::report::{Rows, health, layouts};

/// Prints the text of `command` over all bundles together.
pub fn print(
    command: &Command,
    args: &Profile,
    opening: &Opening,
    parameters: &Parameters,
) -> Result<(), CliError> {
    let (engine, runtime) = open::engine(&args.bundles, opening)?;
    let destination = Destination::new(args.output.as_deref(), &engine)?;
    let failed = |source| CliError::System { action: "write the output", source };
    let mut out = destination.writer();
    let layout = layouts::find(command.name);
    let sections = layout.map_or_else(Default::default, |layout| layout.sections);
    let reports = sections.iter().map(|section| section.report);
    let names: Vec<&str> = std::iter::once("capture_health").chain(reports).collect();
    let mut prepared = engine.prepare(sql::Kind::Report, &names, parameters)?.into_iter();
    if let Some(health) = prepared.next() {
        let rows = runtime.block_on(health.answer())?;
        for line in health::lines(&Rows::new(rows.batches)) {
            writeln!(out, "{line}").map_err(failed)?;
        }
    }
    let frame = Frame {
        limit: args.limit,
        width: terminal_width().filter(|_| args.output.is_none()),
        several: engine.bundles().len() > 1,
    };
    for (section, prepared) in sections.iter().zip(prepared) {
        let head = runtime.block_on(prepared.head(args.limit))?;
        section::draw(&mut out, section, &Rows::new(head.batches), head.more, frame)
            .map_err(failed)?;
    }
    if let Some(layout) = layout {
        writeln!(out, "\n{}", layout.next).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    drop(out);
    destination.commit()
}

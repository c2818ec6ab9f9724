//! Prints the text of a command: the health of the capture, the sections, and a suggestion for the next command.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use super::super::error::CliError;
use super::super::open::{self, Opening};
use super::super::output::{Destination, terminal_width};
use super::args::Profile;
use super::commands::Command;
use crate::engine::Parameters;
use crate::report::section::{self, Frame, Section};
use crate::report::{Rows, health, layouts};

/// The report for the first lines.
const HEALTH: &str = "capture_health";

/// Prints the text of a command for all bundles together.
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
    let mut heads = BTreeMap::new();
    let names = Vec::from_iter(reports(sections));
    let prepared = engine.prepare_all(sql::Kind::Report, &names, parameters)?;
    for (name, prepared) in names.into_iter().zip(prepared) {
        let wanted = if name == HEALTH { usize::MAX } else { args.limit };
        let head = runtime.block_on(prepared.head(wanted))?;
        heads.insert(name, (Rows::new(head.batches), head.more));
    }
    if let Some((health, _)) = heads.get(HEALTH) {
        for line in health::lines(health) {
            writeln!(out, "{line}").map_err(failed)?;
        }
    }
    let frame = Frame {
        limit: args.limit,
        width: terminal_width().filter(|_| args.output.is_none()),
        several: engine.bundles().len() > 1,
    };
    for section in sections {
        let Some((rows, more)) = heads.get(section.report) else { continue };
        section::draw(&mut out, section, rows, *more, frame).map_err(failed)?;
    }
    if let Some(layout) = layout {
        writeln!(out, "\n{}", layout.next).map_err(failed)?;
    }
    out.flush().map_err(failed)?;
    drop(out);
    destination.commit()
}

/// Returns the reports of the text without duplicates.
fn reports(sections: &[Section]) -> BTreeSet<&'static str> {
    std::iter::once(HEALTH).chain(sections.iter().map(|section| section.report)).collect()
}

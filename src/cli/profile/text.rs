//! The text of a command: health first, then its sections, then what to ask next.

use std::collections::BTreeMap;
use std::io::Write;

use super::super::args::{Opening, Profile};
use super::super::error::CliError;
use super::super::open;
use super::super::output::{Destination, terminal_width};
use super::commands::Command;
use crate::engine::Parameters;
use crate::report::section::{self, Frame, Section};
use crate::report::{Rows, health, layouts};

/// The report of the first line.
const HEALTH: &str = "capture_health";

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
    let reports = reports(sections);
    let mut heads = BTreeMap::new();
    for ((name, _), prepared) in reports.iter().zip(engine.prepare_columns(&reports, parameters)?) {
        let wanted = if *name == HEALTH { usize::MAX } else { args.limit };
        let head = runtime.block_on(prepared.head(wanted))?;
        heads.insert(*name, (Rows::new(head.batches), head.more));
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

/// The reports of the text, each once, with the columns that are read.
fn reports(sections: &[Section]) -> Vec<(&'static str, Option<Vec<&'static str>>)> {
    let mut read: BTreeMap<&'static str, Vec<&'static str>> = BTreeMap::new();
    for section in sections {
        read.entry(section.report).or_default().extend(section.reads());
    }
    let read = read.into_iter().map(|(report, columns)| (report, Some(columns)));
    std::iter::once((HEALTH, None)).chain(read).collect()
}

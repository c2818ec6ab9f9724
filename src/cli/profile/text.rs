//! Prints the text of a command: the health of the capture, the sections, and a suggestion for the next command.

use std::collections::BTreeMap;

use super::super::error::CliError;
use super::super::open::{self, Opening};
use super::args::Profile;
use super::commands::Command;
use crate::cli::names::different;
use crate::cli::suggest::suggest;
use crate::engine::Parameters;
use crate::report::section::{self, Frame};
use crate::report::{health, rows, warmup};

/// The reports for the first lines.
const HEALTH: &str = "capture_health";
const WARMUP: &str = "warmup";

/// Prints the text of a command for all bundles together.
pub fn print(
    command: &Command,
    args: &Profile,
    opening: &Opening,
    parameters: &Parameters,
) -> Result<(), CliError> {
    let (engine, runtime) = open::engine(&args.bundles, opening)?;
    let destination = args.printing.destination([&engine])?;
    let layout = command.layout;
    let reports = layout.sections.iter().map(|section| section.report);
    let warmup = (command.takes_warmup() && parameters.warmup != 0).then_some(WARMUP);
    let names = different(reports.chain([HEALTH]).chain(warmup));
    let prepared = engine.prepare_all(sql::Kind::Report, &names, parameters)?;
    let mut heads = BTreeMap::new();
    for (name, prepared) in names.into_iter().zip(prepared) {
        let wanted = if matches!(name, HEALTH | WARMUP) { usize::MAX } else { args.limit };
        heads.insert(name, runtime.block_on(prepared.head(wanted))?);
    }
    let frame = Frame {
        limit: args.limit,
        width: destination.target().width,
        several: engine.bundles().len() > 1,
    };
    destination.text(|out| {
        if let Some(head) = heads.get(HEALTH) {
            health::draw(out, &head.batches)?;
        }
        if let Some(head) = heads.get(WARMUP) {
            warmup::draw(out, &rows(&head.batches))?;
        }
        for section in layout.sections {
            if let Some(head) = heads.get(section.report) {
                section::draw(out, section, rows(&head.batches), head.more, frame)?;
            }
        }
        suggest(out, layout.next, &args.bundles, |report, column| {
            let head = heads.get(report)?;
            rows(&head.batches).first().map(|row| row.text(column)).filter(|text| !text.is_empty())
        })
    })
}

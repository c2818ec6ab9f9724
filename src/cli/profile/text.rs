//! Prints the text of a command: the health of the capture, the sections, and a suggestion for the next command.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use tokio::runtime::Runtime;

use super::super::error::CliError;
use super::super::open::Opening;
use super::args::Profile;
use super::commands::Command;
use crate::cli::names::different;
use crate::cli::nothing::Asked;
use crate::cli::suggest::suggest;
use crate::engine::{Engine, Head, Parameters};
use crate::report::layouts::{Each, FUNCTIONS, Layout, Note};
use crate::report::section::{self, Form, Frame};
use crate::report::text::counted;
use crate::report::{Row, absence, health, rows, warmup};
use crate::workspace::Workspace;

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
    let workspace = opening.open(&args.bundles)?;
    let Workspace { engine, runtime } = &workspace;
    let destination = args.printing.destination([engine])?;
    let layout = command.layout;
    let reports = layout.sections.iter().map(|section| section.report);
    let warmup = (command.takes_warmup() && parameters.warmup != 0).then_some(WARMUP);
    let names = different(reports.chain([HEALTH]).chain(warmup));
    let prepared = engine.prepare_all(sql::Kind::Report, &names, parameters)?;
    let read = names.iter().zip(prepared).map(|(name, prepared)| {
        let is_whole = matches!(*name, HEALTH | WARMUP) || layout.each.is_some();
        prepared.head(if is_whole { usize::MAX } else { args.limit })
    });
    let heads = workspace.at_once(read)?;
    let heads: BTreeMap<&str, Head> = names.into_iter().zip(heads).collect();
    let asked = Asked::default().pattern("--filter", &args.filter).id(args.id);
    let unmatched = match layout.names {
        Some(names) => asked.unmatched_in((engine, runtime), parameters, names, layout.ids)?,
        None => None,
    };
    let nothing = match unmatched.or_else(|| absent(layout, &heads).map(str::to_owned)) {
        None => unrecorded((engine, runtime), layout, &heads)?,
        some => some,
    };
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
            warmup::draw(out, &rows(&head.batches), &[])?;
        }
        if let Some(each) = layout.each {
            if !screens(out, layout, each, &heads, frame)? {
                return Ok(());
            }
        } else {
            for section in layout.sections {
                if let Some(head) = heads.get(section.report) {
                    section::draw(out, section, rows(&head.batches), head.more, frame)?;
                }
            }
        }
        for note in notes(layout, &heads) {
            writeln!(out, "\n{note}")?;
        }
        if let Some(nothing) = &nothing {
            writeln!(out, "\n{nothing}")?;
        }
        suggest(out, layout.next, &args.bundles, |report, column| {
            let head = heads.get(report)?;
            rows(&head.batches).first().map(|row| row.text(column)).filter(|text| !text.is_empty())
        })
    })
}

/// Returns the notes that apply.
fn notes(layout: &Layout, heads: &BTreeMap<&str, Head>) -> Vec<&'static str> {
    let applies = |note: &&Note| {
        let head = heads.get(note.report);
        head.is_some_and(|head| rows(&head.batches).iter().any(|row| row.count(note.column) > 0))
    };
    layout.notes.iter().filter(applies).map(|note| note.text).collect()
}

/// Returns why there are no dispatches, for commands that are about them.
fn absent(layout: &Layout, heads: &BTreeMap<&str, Head>) -> Option<&'static str> {
    layout.names.filter(|names| names.noun == FUNCTIONS.noun)?;
    absence::of_dispatches(&rows(&heads.get(HEALTH)?.batches))
}

/// Returns why there are no records of the family that a command is about.
fn unrecorded(
    (engine, runtime): (&Engine, &Runtime),
    layout: &Layout,
    heads: &BTreeMap<&str, Head>,
) -> Result<Option<String>, CliError> {
    let Some(family) = layout.family else { return Ok(None) };
    let counted = heads.get(family.report).map(|head| rows(&head.batches)).unwrap_or_default();
    if counted.iter().any(|row| family.columns.iter().any(|column| row.count(column) > 0)) {
        return Ok(None);
    }
    let all = Parameters::default();
    let modes = runtime.block_on(engine.prepare(sql::Kind::View, "recorded_modes", &all))?;
    let modes = runtime.block_on(modes.answer())?;
    Ok(Some(absence::of_family(family.nouns, family.mode, &rows(&modes.batches))))
}

/// Draws the sections for each row of a report, with the rows that belong to it. Returns whether it has any rows.
fn screens(
    out: &mut dyn Write,
    layout: &Layout,
    each: Each,
    heads: &BTreeMap<&str, Head>,
    frame: Frame,
) -> io::Result<bool> {
    let key = |row: &Row<'_>| (row.text("bundle"), row.count(each.column));
    let head = |report| heads.get(report).map(|head| rows(&head.batches)).unwrap_or_default();
    let mut grouped = Vec::new();
    for section in layout.sections {
        let mut groups: HashMap<_, Vec<Row<'_>>> = HashMap::new();
        for row in head(section.report) {
            groups.entry(key(&row)).or_default().push(row);
        }
        grouped.push((section, groups));
    }
    let all = head(each.report);
    for of in all.iter().take(frame.limit).map(key) {
        writeln!(out)?;
        for (section, groups) in &mut grouped {
            // The facts above the tables name the bundle.
            let several = frame.several && section.form == Form::Facts;
            let rows = groups.remove(&of).unwrap_or_default();
            section::draw(out, section, rows, false, Frame { several, ..frame })?;
        }
    }
    let left = all.len().saturating_sub(frame.limit);
    if left > 0 {
        let more = counted(left as u64, &format!("more {}", each.noun));
        writeln!(out, "\n… and {more} (--limit)")?;
    }
    Ok(!all.is_empty())
}

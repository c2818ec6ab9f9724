//! Prints the text of a command: the health of the capture, the sections, and a suggestion for the next command.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use super::super::error::CliError;
use super::super::open::Opening;
use super::args::Profile;
use crate::cli::flags::FLAGS;
use crate::cli::nothing::Asked;
use crate::cli::suggest::suggest;
use crate::engine::Head;
use crate::report::layouts::{Each, Layout, Note};
use crate::report::section::{self, Form, Frame};
use crate::report::text::counted;
use crate::report::{Row, health, rows, warmup};
use crate::workspace::{Command, HEALTH, Overview, ReportRequest, WARMUP};

/// Prints the text of a command for all bundles together.
pub fn print(
    command: &Command,
    args: &Profile,
    opening: &Opening,
    request: &ReportRequest,
) -> Result<(), CliError> {
    let workspace = opening.open(&args.bundles)?;
    let destination = args.printing.destination([workspace.engine.as_ref()])?;
    let layout = command.layout;
    let Overview { heads, unmatched, nothing } =
        workspace.overview(command, request, args.limit)?;
    let asked = Asked::default().pattern("--filter", &args.filter).id(args.id);
    let nothing = unmatched.and_then(|there| asked.said(there)).or(nothing);
    let frame = Frame {
        limit: args.limit,
        width: destination.target().width,
        several: workspace.engine.bundles().len() > 1,
        options: FLAGS,
    };
    destination.text(|out| {
        if let Some(head) = heads.get(HEALTH) {
            health::draw(out, &head.batches)?;
        }
        if let Some(head) = heads.get(WARMUP) {
            warmup::draw(out, &rows(&head.batches), &[], FLAGS)?;
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
            let mut rows = rows(&heads.get(report)?.batches);
            if let Some(section) = layout.sections.iter().find(|it| it.report == report) {
                rows = section.in_order(rows);
            }
            rows.first().map(|row| row.text(column)).filter(|text| !text.is_empty())
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

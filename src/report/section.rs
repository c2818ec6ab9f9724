//! Reports as sections of text: a declaration says which columns of a report are shown and as what; this draws them.

use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Table};
use exporters::printable;

use super::rows::{Row, Rows};
use super::text::{bar, bytes, count, counted, duration, shorten};

/// One part of a command's text.
#[derive(Debug)]
pub struct Section {
    /// The report `report.<name>` whose rows it shows.
    pub report: &'static str,
    pub title: &'static str,
    pub form: Form,
    pub columns: &'static [Column],
}

/// How a section is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// A line of facts a row.
    Facts,
    /// A table in the order of the report.
    Table,
    /// A table of the rows that have a number other than an id.
    Used,
    /// A table with the largest value of this column first.
    Ranked(&'static str),
}

/// One column of a table, or one fact.
#[derive(Debug)]
pub struct Column {
    pub head: &'static str,
    pub show: Show,
}

/// A report's column, and as what it is shown.
#[derive(Debug, Clone, Copy)]
pub enum Show {
    Text(&'static str),
    /// A number of things.
    Count(&'static str),
    /// An id or ordinal; the raw value of none is a dash.
    Id(&'static str),
    /// An id that may be none, which 0 says.
    Ref(&'static str),
    /// A number before a word that stays as it is: `80 match`.
    Said(&'static str),
    Ns(&'static str),
    Ticks(&'static str),
    Bytes(&'static str),
    /// Any other number, with two digits.
    Number(&'static str),
    /// Nanoseconds where the flag says that there are any, else ticks.
    Time {
        available: &'static str,
        ns: &'static str,
        ticks: &'static str,
    },
    /// A part of the section's sum, with a bar.
    Share(&'static str),
    /// A part of one.
    Percent(&'static str),
    /// A sentence, which is not shortened.
    Prose(&'static str),
    YesNo(&'static str),
    /// Three sizes.
    Triple(&'static str),
    Bits(&'static str),
}

impl Section {
    /// Columns of the report that it reads.
    pub fn reads(&self) -> Vec<&'static str> {
        let mut names = vec!["bundle"];
        if let Form::Ranked(by) = self.form {
            names.push(by);
        }
        names.extend(self.columns.iter().flat_map(|column| column.show.reads()));
        names
    }
}

impl Show {
    fn reads(self) -> Vec<&'static str> {
        match self {
            Self::Time { available, ns, ticks } => vec![available, ns, ticks],
            Self::Text(name)
            | Self::Count(name)
            | Self::Id(name)
            | Self::Ref(name)
            | Self::Said(name)
            | Self::Ns(name)
            | Self::Ticks(name)
            | Self::Bytes(name)
            | Self::Number(name)
            | Self::Share(name)
            | Self::Percent(name)
            | Self::Prose(name)
            | Self::YesNo(name)
            | Self::Triple(name)
            | Self::Bits(name) => vec![name],
        }
    }
}

/// A fact or column.
pub const fn column(head: &'static str, show: Show) -> Column {
    Column { head, show }
}

/// How much is shown, and where.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Rows of a table.
    pub limit: usize,
    /// Columns of the terminal, where it is one.
    pub width: Option<usize>,
    /// Rows are of several bundles.
    pub several: bool,
}

/// Letters of a share's bar.
const BAR: usize = 12;

/// Letters that a long name may take where there is no terminal to fit.
const NAME: usize = 96;

/// Draws a section; nothing where it has no rows. `more` says that there are rows beyond these.
pub fn draw(
    out: &mut dyn Write,
    section: &Section,
    rows: &Rows,
    more: bool,
    frame: Frame,
) -> io::Result<()> {
    let mut listed: Vec<Row<'_>> = rows.iter().collect();
    if section.form == Form::Used {
        listed.retain(|row| section.columns.iter().any(|column| !is_none(row, column.show)));
    }
    if listed.is_empty() {
        return Ok(());
    }
    match section.form {
        Form::Facts => return facts(out, section, &listed, frame),
        Form::Ranked(by) => {
            let value = |row: &Row<'_>| row.number(by).unwrap_or_default();
            listed.sort_by(|left, right| value(right).total_cmp(&value(left)));
        }
        Form::Table | Form::Used => {}
    }
    writeln!(out, "\n{}", section.title)?;
    let left = listed.len().saturating_sub(frame.limit);
    table(out, section, &listed, frame)?;
    match (more, left) {
        (true, _) => {
            writeln!(out, " … and more: --limit shows them, --format=jsonl prints them all")
        }
        (false, 0) => Ok(()),
        (false, left) => writeln!(out, " … and {} more (--limit)", count(left as u64)),
    }
}

fn facts(out: &mut dyn Write, section: &Section, rows: &[Row<'_>], frame: Frame) -> io::Result<()> {
    for row in rows {
        let bundle = if frame.several {
            format!("{}: ", printable(&row.text("bundle")))
        } else {
            String::new()
        };
        let facts: Vec<String> = section
            .columns
            .iter()
            // A fact that is 0 only says that the kind was not recorded; the first says so for all.
            .enumerate()
            .filter(|(nth, column)| {
                let is_id = matches!(column.show, Show::Id(_) | Show::Ref(_));
                *nth == 0 || is_id || !is_none(row, column.show)
            })
            .map(|(_, column)| fact(row, column))
            .collect();
        writeln!(out, "{bundle}{}", facts.join(", "))?;
    }
    Ok(())
}

fn is_none(row: &Row<'_>, show: Show) -> bool {
    match show {
        Show::Text(name) => matches!(row.text(name).as_str(), "" | "*"),
        Show::Count(name)
        | Show::Said(name)
        | Show::Bytes(name)
        | Show::Ns(name)
        | Show::Ticks(name)
        | Show::Number(name) => row.number(name).unwrap_or_default() == 0.0,
        Show::YesNo(name) => !row.is(name),
        Show::Id(_) | Show::Ref(_) => true,
        _ => false,
    }
}

fn fact(row: &Row<'_>, column: &Column) -> String {
    match column.show {
        Show::Count(name) => counted(row.count(name), column.head),
        Show::Said(name) => format!("{} {}", count(row.count(name)), column.head),
        Show::YesNo(_) => column.head.to_owned(),
        show => format!("{} {}", column.head, cell(row, show, 0.0)),
    }
}

fn table(out: &mut dyn Write, section: &Section, rows: &[Row<'_>], frame: Frame) -> io::Result<()> {
    let shown = rows.get(..frame.limit).unwrap_or(rows);
    let columns: Vec<(&Column, Vec<String>)> = section
        .columns
        .iter()
        .map(|column| {
            let total = total(rows, column.show);
            (column, shown.iter().map(|row| cell(row, column.show, total)).collect())
        })
        // A column that says nothing of any row says that nothing was recorded of it.
        .filter(|(_, cells): &(&Column, Vec<String>)| cells.iter().any(|text| !says_nothing(text)))
        .collect();
    let names = name_width(&columns, frame);
    let mut drawn = Table::new();
    drawn.load_preset(NOTHING);
    let heads = columns.iter().map(|(column, _)| aligned(column, column.head.to_owned()));
    drawn.set_header(frame.several.then(|| Cell::new("bundle")).into_iter().chain(heads));
    for (nth, row) in shown.iter().enumerate() {
        let cells = columns.iter().map(|(column, cells)| {
            let text = cells.get(nth).cloned().unwrap_or_default();
            let is_name = matches!(column.show, Show::Text(_));
            aligned(column, if is_name { shorten(&text, names) } else { text })
        });
        let bundle = frame.several.then(|| Cell::new(printable(&row.text("bundle"))));
        drawn.add_row(bundle.into_iter().chain(cells));
    }
    for line in drawn.lines() {
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Cells of what was not recorded.
fn says_nothing(text: &str) -> bool {
    matches!(text, "" | "-" | "0 B" | "0x0" | "0×0×0" | "0 ns" | "0 ticks")
}

fn aligned(column: &Column, text: String) -> Cell {
    Cell::new(text).set_alignment(alignment(column.show))
}

/// Letters that names may take, so that a line fits the terminal.
fn name_width(columns: &[(&Column, Vec<String>)], frame: Frame) -> usize {
    let Some(width) = frame.width else { return NAME };
    let is_name = |(column, _): &&(&Column, Vec<String>)| matches!(column.show, Show::Text(_));
    let widest = |(column, cells): &(&Column, Vec<String>)| {
        let cells = cells.iter().map(|text| text.chars().count()).max().unwrap_or_default();
        cells.max(column.head.chars().count()) + 2
    };
    let names = columns.iter().filter(is_name).count();
    let taken: usize = columns.iter().filter(|column| !is_name(column)).map(widest).sum();
    (width.saturating_sub(taken) / names.max(1)).saturating_sub(2).max(16)
}

fn total(rows: &[Row<'_>], show: Show) -> f64 {
    match show {
        Show::Share(name) => rows.iter().filter_map(|row| row.number(name)).sum(),
        _ => 0.0,
    }
}

fn alignment(show: Show) -> CellAlignment {
    match show {
        Show::Text(_) | Show::Prose(_) | Show::Share(_) => CellAlignment::Left,
        _ => CellAlignment::Right,
    }
}

/// The raw values that stand for no id.
const NO_IDS: [u64; 2] = [u32::MAX as u64, u64::MAX];

fn cell(row: &Row<'_>, show: Show, total: f64) -> String {
    let number = |name, print: fn(f64) -> String| row.number(name).map_or_else(dash, print);
    match show {
        Show::Text(name) | Show::Prose(name) => printable(&row.text(name)),
        Show::Percent(name) => number(name, |part| format!("{:.1} %", part * 100.0)),
        Show::Count(name) | Show::Said(name) => {
            row.number(name).map_or_else(dash, |_| count(row.count(name)))
        }
        Show::Ref(name) => match row.count(name) {
            0 => dash(),
            none if NO_IDS.contains(&none) => dash(),
            id => id.to_string(),
        },
        Show::Id(name) => match row.count(name) {
            none if NO_IDS.contains(&none) => dash(),
            id => id.to_string(),
        },
        Show::Ns(name) => number(name, duration),
        Show::Ticks(name) => number(name, |ticks| format!("{ticks:.0} ticks")),
        Show::Bytes(name) => number(name, bytes),
        Show::Number(name) => number(name, |number| format!("{number:.2}")),
        Show::Time { available, ns, .. } if row.is(available) => number(ns, duration),
        Show::Time { ticks, .. } => number(ticks, |ticks| format!("{ticks:.0} ticks")),
        Show::Share(name) => {
            let share =
                if total > 0.0 { row.number(name).unwrap_or_default() / total } else { 0.0 };
            format!("{:>5.1} % {}", share * 100.0, bar(share, BAR))
        }
        Show::YesNo(name) => if row.is(name) { "yes" } else { "no" }.to_owned(),
        Show::Triple(name) => {
            let sizes: Vec<String> = row.numbers(name).iter().map(u64::to_string).collect();
            sizes.join("×")
        }
        Show::Bits(name) => format!("0x{:x}", row.count(name)),
    }
}

fn dash() -> String {
    "-".to_owned()
}

//! Formats reports as sections of text. A [`Section`] declares which columns of a report are shown, and how.

use std::io::{self, Write};

use comfy_table::presets::NOTHING;
use comfy_table::{Cell, CellAlignment, Table};
use exporters::printable;

use super::rows::{Row, Rows};
use super::text::{bar, bytes, count, counted, duration, shorten};

/// A section of the text of a command.
#[derive(Debug)]
pub struct Section {
    /// The name of the report whose rows are shown.
    pub report: &'static str,
    pub title: &'static str,
    pub form: Form,
    pub columns: &'static [Column],
}

/// The layout of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One line of facts per row.
    Facts,
    /// A table in the order of the report.
    Table,
    /// A table of the rows that have a nonzero number other than an id.
    Used,
    /// A table sorted by this column in descending order.
    Ranked(&'static str),
}

/// A column of a table, or a fact.
#[derive(Debug)]
pub struct Column {
    pub head: &'static str,
    pub show: Show,
}

/// A column of a report, and how it is formatted.
#[derive(Debug, Clone, Copy)]
pub enum Show {
    Text(&'static str),
    /// A count.
    Count(&'static str),
    /// An id or ordinal; the raw value for none is shown as a dash.
    Id(&'static str),
    /// An id for which 0 means none.
    Ref(&'static str),
    /// A count before a word that has no plural: `80 match`.
    Said(&'static str),
    Ns(&'static str),
    Ticks(&'static str),
    Bytes(&'static str),
    /// Any other number, with two decimals.
    Number(&'static str),
    /// Nanoseconds if the flag `available` is set, else ticks.
    Time {
        available: &'static str,
        ns: &'static str,
        ticks: &'static str,
    },
    /// The share of the sum over all rows, with a bar.
    Share(&'static str),
    /// A fraction, shown in percent.
    Percent(&'static str),
    /// A text that is not shortened.
    Prose(&'static str),
    YesNo(&'static str),
    /// A list of sizes, shown as `64×1×1`.
    Triple(&'static str),
    /// A bit mask, shown in hexadecimal.
    Bits(&'static str),
}

impl Section {
    /// Returns the columns of the report that the section reads.
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

/// Creates a column or fact.
pub const fn column(head: &'static str, show: Show) -> Column {
    Column { head, show }
}

/// The limits of the output.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Maximum number of rows of a table.
    pub limit: usize,
    /// Width of the terminal in columns; `None` if the output is no terminal.
    pub width: Option<usize>,
    /// Whether there are several bundles, so that rows name theirs.
    pub several: bool,
}

/// Width of the bar of a share in characters.
const BAR: usize = 12;

/// Maximum width of a name in characters if the output is no terminal.
const NAME: usize = 96;

/// Writes a section, or nothing if there are no rows. `more` is true if the report has further rows.
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
            writeln!(out, " … and more (--limit, or --format=jsonl for all)")
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
            // A fact that is 0 was not recorded, and is left out. The first one is always shown.
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
        // A column without a value in any row was not recorded, and is left out.
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

/// True for the text of a value that was not recorded.
fn says_nothing(text: &str) -> bool {
    matches!(text, "" | "-" | "0 B" | "0x0" | "0×0×0" | "0 ns" | "0 ticks")
}

fn aligned(column: &Column, text: String) -> Cell {
    Cell::new(text).set_alignment(alignment(column.show))
}

/// Returns the maximum width of a name so that a line fits the terminal.
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

/// The raw values that mean that there is no id.
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

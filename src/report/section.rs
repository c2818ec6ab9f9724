//! Formats reports as sections of text. A [`Section`] declares which columns of a report are shown, and how.

use std::cmp::Ordering;
use std::io::{self, Write};

use base::printable;
use base::words::OptionStyle;

use super::fit::{self, Fit};
use super::names::shortened;
use super::rows::Row;
use super::text::{bar, bytes, count, counted, duration, percent};

/// A section of the text of a command.
#[derive(Debug)]
pub struct Section {
    /// The name of the report whose rows are shown.
    pub report: &'static str,
    pub form: Form,
    pub columns: &'static [Column],
}

impl Section {
    /// True if all rows of the report decide which are shown.
    pub fn is_ranked(&self) -> bool {
        matches!(self.form, Form::Ranked(..))
    }

    /// Returns rows of the report in the order in which they are shown.
    pub fn in_order<'a>(&self, mut rows: Vec<Row<'a>>) -> Vec<Row<'a>> {
        if let Form::Ranked(_, by) = self.form {
            let value = |row: &Row<'_>, name: &str| row.number(name).unwrap_or_default();
            rows.sort_by(|left, right| {
                let order = by.iter().map(|name| value(right, name).total_cmp(&value(left, name)));
                order.fold(Ordering::Equal, Ordering::then)
            });
        }
        rows
    }
}

/// The layout of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// One line of facts per row.
    Facts,
    /// A table with this title, in the order of the report.
    Table(&'static str),
    /// A table with this title, of the rows that have a nonzero number other than an id.
    Used(&'static str),
    /// A table with this title, sorted by these columns in descending order.
    Ranked(&'static str, &'static [&'static str]),
}

/// A column of a table, or a fact: its head, and what is shown.
pub type Column = (&'static str, Show);

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
    /// Nanoseconds if a flag is set, else ticks: the columns of the flag, the nanoseconds and the ticks.
    Time(&'static str, &'static str, &'static str),
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

/// The limits of the output.
#[derive(Debug, Clone, Copy)]
pub struct Frame {
    /// Maximum number of rows of a table.
    pub limit: usize,
    /// Width of the terminal in columns; `None` if the output is no terminal.
    pub width: Option<usize>,
    /// Whether there are several bundles, so that rows name theirs.
    pub several: bool,
    /// How options are spelled.
    pub options: OptionStyle,
}

/// Width of the bar of a share in characters.
const BAR: usize = 12;

/// The number of columns that outlast the bars on a narrow terminal.
const AFTER_BARS: usize = 4;

/// Maximum width of a name in characters if the output is no terminal.
const NAME: usize = 96;

/// Writes a section, or nothing if there are no rows. `more` is true if the report has further rows.
pub fn draw(
    out: &mut dyn Write,
    section: &Section,
    mut rows: Vec<Row<'_>>,
    more: bool,
    frame: Frame,
) -> io::Result<()> {
    if matches!(section.form, Form::Used(_)) {
        rows.retain(|row| section.columns.iter().any(|(_, show)| !is_none(row, *show)));
    }
    if rows.is_empty() {
        return Ok(());
    }
    let title = match section.form {
        Form::Facts => return facts(out, section, &rows, frame),
        Form::Ranked(title, _) | Form::Table(title) | Form::Used(title) => title,
    };
    let rows = section.in_order(rows);
    write!(out, "\n{title}\n{}", table(section, &rows, frame))?;
    let said = |out: &mut dyn Write, text: &str| writeln!(out, "{}", frame.options.spell(text));
    match (more, rows.len().saturating_sub(frame.limit)) {
        (true, _) => said(out, " … and more (option `limit`, or option `format=jsonl` for all)"),
        (false, 0) => Ok(()),
        (false, left) => said(out, &format!(" … and {} more (option `limit`)", count(left as u64))),
    }
}

fn facts(out: &mut dyn Write, section: &Section, rows: &[Row<'_>], frame: Frame) -> io::Result<()> {
    for row in rows {
        if frame.several {
            write!(out, "{}: ", printable(&row.text("bundle")))?;
        }
        // A fact that is 0 was not recorded, and is left out. The first one is always shown.
        let told = section.columns.iter().enumerate().filter(|(nth, (_, show))| {
            *nth == 0 || matches!(show, Show::Id(_) | Show::Ref(_)) || !is_none(row, *show)
        });
        let facts: Vec<String> = told.map(|(_, column)| fact(row, column)).collect();
        writeln!(out, "{}", facts.join(", "))?;
    }
    Ok(())
}

fn is_none(row: &Row<'_>, show: Show) -> bool {
    match show {
        Show::Text(name) | Show::Prose(name) => matches!(row.text(name).as_str(), "" | "*"),
        Show::Count(name)
        | Show::Said(name)
        | Show::Bytes(name)
        | Show::Ns(name)
        | Show::Ticks(name)
        | Show::Number(name) => row.number(name).unwrap_or_default() == 0.0,
        Show::YesNo(name) => !row.is(name),
        Show::Triple(name) => row.numbers(name).iter().all(|size| *size == 0),
        Show::Id(_) | Show::Ref(_) => true,
        _ => false,
    }
}

fn fact(row: &Row<'_>, (head, show): &Column) -> String {
    match *show {
        Show::Count(name) => counted(row.count(name), head),
        Show::Said(name) => format!("{} {head}", count(row.count(name))),
        Show::YesNo(_) => (*head).to_owned(),
        show if head.is_empty() => cell(row, show, 0.0),
        show => format!("{head} {}", cell(row, show, 0.0)),
    }
}

fn table(section: &Section, rows: &[Row<'_>], frame: Frame) -> String {
    let shown = rows.get(..frame.limit).unwrap_or(rows);
    let mut columns = Vec::new();
    if frame.several {
        let cells = shown.iter().map(|row| printable(&row.text("bundle"))).collect();
        columns.push(fit::Column { head: "bundle".into(), cells, is_left: true, fit: Fit::Stays });
    }
    for (place, (head, show)) in section.columns.iter().enumerate() {
        let total = match *show {
            Show::Share(name) => rows.iter().filter_map(|row| row.number(name)).sum(),
            _ => 0.0,
        };
        let mut cells: Vec<String> = shown.iter().map(|row| cell(row, *show, total)).collect();
        if frame.width.is_none() && matches!(show, Show::Text(_)) {
            cells = shortened(&cells, NAME);
        }
        // A column without a value in any row was not recorded, and is left out.
        if cells.iter().all(|text| says_nothing(text)) {
            continue;
        }
        let is_left = matches!(show, Show::Text(_) | Show::Prose(_));
        let fit = fit(*show, place);
        columns.push(fit::Column { head: (*head).to_owned(), cells, is_left, fit });
        columns.extend(bars(shown, *show, total));
    }
    fit::table(columns, frame.width)
}

/// The columns whose texts may be shortened.
const NAMES: [&str; 4] = ["key", "name", "function_name", "instruction"];

/// Decides what a narrow terminal does with the column at a place: the last figures go first, and the bars after the
/// first few.
fn fit(show: Show, place: usize) -> Fit {
    match show {
        Show::Text(name) if NAMES.contains(&name) => Fit::Name,
        Show::Prose(_) => Fit::Prose,
        _ if place == 0 => Fit::Stays,
        _ => Fit::Goes(place),
    }
}

/// True for the text of a value that was not recorded.
fn says_nothing(text: &str) -> bool {
    matches!(text, "" | "-" | "0 B" | "0x0" | "0×0×0" | "0 ns" | "0 ticks")
}

/// The raw values that mean that there is no id.
const NO_IDS: [u64; 2] = [u32::MAX as u64, u64::MAX];

fn cell(row: &Row<'_>, show: Show, total: f64) -> String {
    let number = |name, print: fn(f64) -> String| row.number(name).map_or_else(dash, print);
    match show {
        Show::Text(name) | Show::Prose(name) => printable(&row.text(name)),
        Show::Percent(name) => number(name, percent),
        Show::Count(name) | Show::Said(name) => {
            row.number(name).map_or_else(dash, |_| count(row.count(name)))
        }
        Show::Ref(name) if row.count(name) == 0 => dash(),
        Show::Ref(name) | Show::Id(name) => match row.count(name) {
            none if NO_IDS.contains(&none) => dash(),
            id => id.to_string(),
        },
        Show::Ns(name) => number(name, duration),
        Show::Time(available, ns, _) if row.is(available) => number(ns, duration),
        Show::Ticks(name) | Show::Time(_, _, name) => {
            number(name, |ticks| format!("{ticks:.0} ticks"))
        }
        Show::Bytes(name) => number(name, bytes),
        Show::Number(name) => number(name, |number| format!("{number:.2}")),
        Show::Share(name) => percent(share(row, name, total)),
        Show::YesNo(name) => if row.is(name) { "yes" } else { "no" }.to_owned(),
        Show::Triple(name) => {
            let sizes: Vec<String> = row.numbers(name).iter().map(u64::to_string).collect();
            sizes.join("×")
        }
        Show::Bits(name) => format!("0x{:x}", row.count(name)),
    }
}

/// Returns the bars beside a share.
fn bars(rows: &[Row<'_>], show: Show, total: f64) -> Option<fit::Column> {
    let Show::Share(name) = show else { return None };
    let cells = rows.iter().map(|row| bar(share(row, name, total), BAR)).collect();
    Some(fit::Column { head: String::new(), cells, is_left: true, fit: Fit::Goes(AFTER_BARS) })
}

fn share(row: &Row<'_>, name: &str, total: f64) -> f64 {
    let own = row.number(name).unwrap_or_default();
    if total > 0.0 { own / total } else { 0.0 }
}

fn dash() -> String {
    "-".to_owned()
}

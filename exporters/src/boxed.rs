//! `box`: a table drawn with lines. Rows are drawn in blocks, so that a long result is streamed.
//!
//! The first block sets the column widths. Later blocks keep them while their values fit; a block that needs more width
//! starts a new table. On a terminal, long texts are truncated, and columns that do not fit are dropped from the
//! middle; a note below the table then gives the numbers of all columns and of those shown.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, Table, Width};
use unicode_width::UnicodeWidthStr;

use crate::cells;
use crate::encoder::{EncodeError, Encoder, Output, Target};

const BLOCK: usize = 1000;

/// Maximum width of a value on a terminal; longer values are truncated.
const CELL: usize = 60;

/// The encoder of `box`.
pub struct Boxed {
    output: Output,
    names: Vec<String>,
    numbers: Vec<bool>,
    width: Option<usize>,
    rows: Vec<Vec<String>>,
    /// The columns of the current table; `None` before the first block.
    layout: Option<Layout>,
    /// The lower border of the table that is being drawn.
    border: String,
}

/// The columns that are shown, and their widths.
struct Layout {
    columns: Vec<usize>,
    widths: Vec<usize>,
}

impl Layout {
    /// True if this layout shows all columns of `other`, each at least as wide.
    fn holds(&self, other: &Self) -> bool {
        other.columns.iter().zip(&other.widths).all(|(column, width)| {
            let own = self.columns.iter().zip(&self.widths).find(|(known, _)| *known == column);
            own.is_some_and(|(_, own)| own >= width)
        })
    }
}

impl Boxed {
    /// Creates an encoder for the schema's columns.
    pub fn new(schema: &SchemaRef, output: Output, target: Target) -> Self {
        Self {
            output,
            names: cells::names(schema),
            numbers: schema.fields().iter().map(|field| field.data_type().is_numeric()).collect(),
            width: target.width,
            rows: Vec::new(),
            layout: None,
            border: String::new(),
        }
    }

    /// Draws the buffered rows as a block. `last` ends the table with its lower border.
    fn draw(&mut self, last: bool) -> Result<(), EncodeError> {
        let fresh = self.settle();
        // A block that needs more width starts a new table, so that no value is truncated to fit an older layout.
        let kept = self.layout.take().filter(|layout| layout.holds(&fresh));
        let starts = kept.is_none();
        if starts && !self.border.is_empty() {
            writeln!(self.output, "{}", self.border)?;
        }
        let layout = kept.unwrap_or(fresh);
        let text = self.table(&layout).to_string();
        let lines: Vec<&str> = text.lines().collect();
        // Upper border, header and separator are written above the first block of a table only, the lower border below
        // the last.
        let skip = if starts { 0 } else { 3 };
        let keep = if last { lines.len() } else { lines.len().saturating_sub(1) };
        for line in lines.iter().take(keep).skip(skip) {
            writeln!(self.output, "{line}")?;
        }
        self.border = lines.last().map_or_else(String::new, |line| (*line).to_owned());
        if last && layout.columns.len() < self.names.len() {
            let (all, shown) = (self.names.len(), layout.columns.len());
            writeln!(
                self.output,
                "{shown} of {all} columns shown; the formats `line` and `csv` show all"
            )?;
        }
        self.layout = Some(layout);
        self.rows.clear();
        Ok(())
    }

    /// Returns the layout that the buffered rows need.
    fn settle(&self) -> Layout {
        let cap = if self.width.is_some() { CELL } else { usize::MAX };
        let widths: Vec<usize> = self
            .names
            .iter()
            .enumerate()
            .map(|(column, name)| {
                let cells =
                    self.rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.width());
                cells.max().unwrap_or(0).min(cap).max(name.width())
            })
            .collect();
        let columns = fit(&widths, self.width);
        let widths = columns.iter().filter_map(|column| widths.get(*column).copied()).collect();
        Layout { columns, widths }
    }

    /// Builds the table of the buffered rows in a layout.
    fn table(&self, layout: &Layout) -> Table {
        let mut table = Table::new();
        table.load_preset(UTF8_FULL_CONDENSED);
        let pick = |row: &[String]| -> Vec<Cell> {
            let shown = layout.columns.iter().zip(&layout.widths);
            shown
                .map(|(column, width)| {
                    let text = row.get(*column).map(|text| cut(text, *width)).unwrap_or_default();
                    let number = self.numbers.get(*column).copied().unwrap_or(false);
                    let side = if number { CellAlignment::Right } else { CellAlignment::Left };
                    Cell::new(text).set_alignment(side)
                })
                .collect()
        };
        table.set_header(pick(&self.names));
        table.add_rows(self.rows.iter().map(|row| pick(row)));
        for (column, width) in table.column_iter_mut().zip(&layout.widths) {
            let width = u16::try_from(width + 2).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
        table
    }
}

/// Returns the columns that fit into `limit`, taken alternately from the front and the back; at least the first one.
fn fit(widths: &[usize], limit: Option<usize>) -> Vec<usize> {
    let drawn = |width: &usize| width + 3;
    let all: Vec<usize> = (0..widths.len()).collect();
    let Some(limit) = limit.filter(|limit| widths.iter().map(drawn).sum::<usize>() + 1 > *limit)
    else {
        return all;
    };
    let mut left = limit.saturating_sub(1);
    let (mut front, mut back) = (Vec::new(), Vec::new());
    let mut rest: std::collections::VecDeque<usize> = all.into();
    while let Some(column) =
        if front.len() <= back.len() { rest.pop_front() } else { rest.pop_back() }
    {
        let width = widths.get(column).map_or(0, drawn);
        if width > left && !front.is_empty() {
            break;
        }
        left = left.saturating_sub(width);
        if front.len() <= back.len() { front.push(column) } else { back.push(column) }
    }
    front.extend(back.into_iter().rev());
    front
}

/// Truncates a text to a width, with an ellipsis at the end.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        kept.push(letter);
        if kept.width() + 1 > width {
            kept.pop();
            break;
        }
    }
    kept + "…"
}

impl Encoder for Boxed {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        for row in cells::rows(batch, cells::NULL)? {
            if self.rows.len() == BLOCK {
                self.draw(false)?;
            }
            self.rows.push(row);
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        self.draw(true)?;
        Ok(self.output.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_from_the_middle() {
        assert_eq!(fit(&[5, 5, 5, 5], None), [0, 1, 2, 3]);
        assert_eq!(fit(&[5, 5, 5, 5], Some(33)), [0, 1, 2, 3]);
        assert_eq!(fit(&[5, 5, 5, 5], Some(25)), [0, 1, 3]);
        assert_eq!(fit(&[500, 5], Some(20)), [0]);
    }

    #[test]
    fn a_cut_cell_ends_with_an_ellipsis() {
        assert_eq!(cut("abcdef", 4), "abc…");
        assert_eq!(cut("abcd", 4), "abcd");
        for (width, kept) in [(1, "…"), (2, "…"), (3, "漢…"), (4, "漢…"), (5, "漢字…")]
        {
            assert_eq!(cut("漢字漢字", width), kept);
        }
    }
}

//! `box`: a table drawn with lines. Rows are drawn in blocks, so that a long result is streamed.
//!
//! The first block sets the column widths. Later blocks keep them while their values fit; a block that needs more width
//! starts a new table. On a terminal, types stand below the names, and long texts lose their middle. The last columns
//! are hidden if they do not fit: a column `…` takes their place, and a line below the table gives their number, and that
//! of the rows above the limit.

use std::iter::repeat;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use base::grouped;
use comfy_table::presets::UTF8_FULL_CONDENSED;
use comfy_table::{Cell, CellAlignment, ColumnConstraint, Table, Width};
use schemas::docs::type_name;
use unicode_width::UnicodeWidthStr;

use crate::cells;
use crate::encoder::{EncodeError, Encoder, Output, Target};

const BLOCK: usize = 1000;

/// Maximum width of a value on a terminal.
const CELL: usize = 60;

/// Maximum share of the width that a value has if not all columns fit.
const SHARE: f64 = 0.4;

/// The head of the column that stands for hidden ones.
const HIDDEN: &str = "…";

/// The encoder of `box`.
pub struct Boxed {
    output: Output,
    names: Vec<String>,
    /// The types of the columns, if they are shown.
    types: Option<Vec<String>>,
    numbers: Vec<bool>,
    target: Target,
    rows: Vec<Vec<String>>,
    /// Number of rows so far, with those that are not shown.
    count: usize,
    /// The widths of the columns that the current table shows; `None` before the first block.
    layout: Option<Vec<usize>>,
    /// The lower border of the table that is being drawn.
    border: String,
}

impl Boxed {
    /// Creates an encoder for the schema's columns.
    pub fn new(schema: &SchemaRef, output: Output, target: Target) -> Self {
        let types = || schema.fields().iter().map(|field| type_name(field.data_type())).collect();
        Self {
            output,
            names: cells::names(schema),
            types: target.width.map(|_| types()),
            numbers: schema.fields().iter().map(|field| field.data_type().is_numeric()).collect(),
            target,
            rows: Vec::new(),
            count: 0,
            layout: None,
            border: String::new(),
        }
    }

    /// Draws the buffered rows as a block. `last` ends the table with its lower border.
    fn draw(&mut self, last: bool) -> Result<(), EncodeError> {
        let fresh = self.settle();
        // A block that needs more width starts a new table, so that no value is truncated to fit an older layout.
        let kept = self.layout.take().filter(|kept| {
            kept.len() >= fresh.len() && kept.iter().zip(&fresh).all(|(kept, fresh)| kept >= fresh)
        });
        let starts = kept.is_none();
        if starts && !self.border.is_empty() {
            writeln!(self.output, "{}", self.border)?;
        }
        let layout = kept.unwrap_or(fresh);
        let text = self.table(&layout).to_string();
        let lines: Vec<&str> = text.lines().collect();
        // Upper border, heads and separator are written above the first block of a table only, the lower border below
        // the last.
        let heads = if self.types.is_some() { 4 } else { 3 };
        let skip = if starts { 0 } else { heads };
        let keep = if last { lines.len() } else { lines.len().saturating_sub(1) };
        for line in lines.iter().take(keep).skip(skip) {
            writeln!(self.output, "{line}")?;
        }
        self.border = lines.last().map_or_else(String::new, |line| (*line).to_owned());
        if last {
            let rows = self.count.saturating_sub(self.target.rows.unwrap_or(usize::MAX));
            self.more(rows, "row", "--max-rows=0, or .maxrows 0 in the shell, prints all")?;
            let columns = self.names.len() - layout.len();
            self.more(columns, "column", "--format=line prints all")?;
        }
        self.layout = Some(layout);
        self.rows.clear();
        Ok(())
    }

    /// Writes how many rows or columns are not shown, if any, and how they are.
    fn more(&mut self, count: usize, noun: &str, how: &str) -> Result<(), EncodeError> {
        if count > 0 {
            let plural = if count == 1 { "" } else { "s" };
            let count = grouped(&count.to_string());
            writeln!(self.output, "… {count} more {noun}{plural} ({how})")?;
        }
        Ok(())
    }

    /// Returns the layout that the buffered rows need.
    fn settle(&self) -> Vec<usize> {
        let Some(width) = self.target.width else {
            return self.widths(usize::MAX);
        };
        let widths = self.widths(CELL);
        if fit(&widths, width) == widths.len() {
            return widths;
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a share of the width of a terminal"
        )]
        let mut widths = self.widths(CELL.min((width as f64 * SHARE) as usize));
        widths.truncate(fit(&widths, width));
        widths
    }

    /// Returns the widths that the columns need, with values of at most `cap`.
    fn widths(&self, cap: usize) -> Vec<usize> {
        let heads =
            self.names.iter().zip(self.types.iter().flatten().map(Some).chain(repeat(None)));
        let widths = heads.enumerate().map(|(column, (name, kind))| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let widest = cells.map(|cell| cell.width()).max().unwrap_or_default().min(cap);
            widest.max(name.width()).max(kind.map_or(0, |kind| kind.width()))
        });
        widths.collect()
    }

    /// Builds the table of the buffered rows in a layout.
    fn table(&self, layout: &[usize]) -> Table {
        let mut table = Table::new();
        table.load_preset(UTF8_FULL_CONDENSED);
        let pick = |row: &[String], hidden: &str| -> Vec<Cell> {
            let cells = row.iter().zip(&self.numbers).zip(layout);
            let cells = cells.map(|((text, is_number), width)| {
                let side = if *is_number { CellAlignment::Right } else { CellAlignment::Left };
                Cell::new(cut_lines(text, *width)).set_alignment(side)
            });
            let mark = (layout.len() < row.len()).then(|| Cell::new(hidden));
            cells.chain(mark).collect()
        };
        let heads = |(name, kind): (&String, &String)| format!("{name}\n{kind}");
        let types = self.types.as_ref();
        table.set_header(match types {
            Some(types) => {
                pick(&self.names.iter().zip(types).map(heads).collect::<Vec<_>>(), HIDDEN)
            }
            None => pick(&self.names, HIDDEN),
        });
        table.add_rows(self.rows.iter().map(|row| pick(row, "")));
        for (column, width) in table.column_iter_mut().zip(layout.iter().chain([&1])) {
            let width = u16::try_from(width + 2).unwrap_or(u16::MAX);
            column.set_constraint(ColumnConstraint::Absolute(Width::Fixed(width)));
        }
        table
    }
}

/// Returns the number of columns that fit into `limit`, with one for the mark if it is not all; at least 1.
fn fit(widths: &[usize], limit: usize) -> usize {
    // A column has two blanks and a line, the table one line more.
    let ends = widths.iter().scan(1, |end, width| {
        *end += width + 3;
        Some(*end)
    });
    let ends: Vec<usize> = ends.collect();
    if ends.last().is_none_or(|end| *end <= limit) {
        return widths.len();
    }
    let mark = HIDDEN.width() + 3;
    ends.iter().filter(|end| *end + mark <= limit).count().max(1)
}

/// Shortens each line of a head, which has a name and a type, or of a cell, which has one line.
fn cut_lines(text: &str, width: usize) -> String {
    text.lines().map(|line| cut(line, width)).collect::<Vec<_>>().join("\n")
}

/// Shortens a text to a width by leaving out its middle.
fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let half = width.saturating_sub(1);
    let front = head(text.chars(), half - half / 2);
    let back: String = head(text.chars().rev(), half / 2).chars().rev().collect();
    format!("{front}…{back}")
}

/// Returns the first letters that fit into a width.
fn head(letters: impl Iterator<Item = char>, width: usize) -> String {
    let mut kept = String::new();
    for letter in letters {
        kept.push(letter);
        if kept.width() > width {
            kept.pop();
            break;
        }
    }
    kept
}

impl Encoder for Boxed {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        let shown = self.target.rows.map_or(usize::MAX, |rows| rows.saturating_sub(self.count));
        self.count += batch.num_rows();
        for row in cells::rows(&batch.slice(0, batch.num_rows().min(shown)), cells::NULL)? {
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
    fn the_last_columns_go() {
        assert_eq!(fit(&[5, 5, 5, 5], 33), 4);
        assert_eq!(fit(&[5, 5, 5, 5], 32), 3);
        assert_eq!(fit(&[5, 5, 5, 5], 29), 3);
        assert_eq!(fit(&[5, 5, 5, 5], 28), 2);
        assert_eq!(fit(&[500, 5], 20), 1);
        assert_eq!(fit(&[], 20), 0);
    }

    #[test]
    fn a_cut_cell_loses_its_middle() {
        assert_eq!(cut("abcdef", 4), "ab…f");
        assert_eq!(cut("abcdef", 5), "ab…ef");
        assert_eq!(cut("abcd", 4), "abcd");
        for (width, kept) in [(1, "…"), (2, "…"), (3, "…"), (4, "漢…"), (5, "漢…字")] {
            assert_eq!(cut("漢字漢字", width), kept);
        }
    }
}

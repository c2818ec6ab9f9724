//! The rows that `spec` prints: for people as a table, else in the formats of queries.

use std::io::{self, Write};
use std::sync::Arc;

use arrow::array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use exporters::EncodeError;

use crate::base::printable;
use crate::cli::encode;
use crate::cli::error::CliError;
use crate::cli::printing::Printing;
use crate::report::fit::{Column, Fit, table};
use crate::report::text::{count, duration, percent};

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Text(String),
    Count(Option<u64>),
    /// In nanoseconds.
    Time(Option<f64>),
    /// Of one.
    Share(Option<f64>),
}

impl Cell {
    fn shown(&self) -> String {
        match self {
            Self::Text(text) => printable(text),
            Self::Count(number) => number.map(count).unwrap_or_default(),
            Self::Time(ns) => ns.map(duration).unwrap_or_default(),
            Self::Share(share) => share.map(percent).unwrap_or_default(),
        }
    }
}

/// Rows with the names of their columns.
pub struct Relation {
    pub columns: Vec<(&'static str, Fit)>,
    pub rows: Vec<Vec<Cell>>,
    /// How many of the first columns are shown to people once, where they repeat.
    pub grouped: usize,
    /// Columns that people do not see.
    pub hidden: Vec<&'static str>,
}

impl Relation {
    /// Prints the rows, in text with lines behind them.
    pub fn print(&self, printing: &Printing, behind: &str) -> Result<(), CliError> {
        let destination = printing.destination([])?;
        if let Some(format) = printing.of_report() {
            let batch = self.batch()?;
            return encode::write_all(&batch.schema(), vec![batch], format, destination);
        }
        let width = destination.target().width;
        destination.text(|out| self.draw(out, width, behind))
    }

    fn draw(&self, out: &mut dyn Write, width: Option<usize>, behind: &str) -> io::Result<()> {
        if !self.rows.is_empty() {
            let columns = (0..self.columns.len()).filter_map(|nth| self.column(nth)).collect();
            writeln!(out, "{}", table(columns, width).trim_end())?;
        }
        if behind.is_empty() { Ok(()) } else { writeln!(out, "{behind}") }
    }

    /// Returns a column as people see it.
    fn column(&self, nth: usize) -> Option<Column> {
        let (name, fit) = self.columns.get(nth).filter(|(name, _)| !self.hidden.contains(name))?;
        let group = |row: &Vec<Cell>| row.get(..self.grouped).map(<[Cell]>::to_vec);
        let mut cells = Vec::new();
        let mut last = None;
        for row in &self.rows {
            let own = group(row);
            let repeats = nth < self.grouped && own.is_some() && own == last;
            cells.push(match row.get(nth) {
                Some(cell) if !repeats => cell.shown(),
                _ => String::new(),
            });
            last = own;
        }
        let is_left = matches!(self.rows.first().and_then(|row| row.get(nth)), Some(Cell::Text(_)));
        Some(Column { head: name.replace("_ns", "").replace('_', " "), cells, is_left, fit: *fit })
    }

    fn batch(&self) -> Result<RecordBatch, CliError> {
        let array = |nth: usize, name: &str| -> ArrayRef {
            let cells = || self.rows.iter().filter_map(move |row| row.get(nth));
            let number = |cell: &Cell| match cell {
                Cell::Time(number) | Cell::Share(number) => *number,
                _ => None,
            };
            let text = |cell: &Cell| match cell {
                Cell::Text(text) => Some(text.clone()).filter(|text| !text.is_empty()),
                _ => None,
            };
            let whole = |cell: &Cell| match cell {
                Cell::Count(number) => *number,
                _ => None,
            };
            match name {
                name if name == "share" || name.ends_with("_ns") => {
                    Arc::new(cells().map(number).collect::<Float64Array>())
                }
                name if name.ends_with("count") => {
                    Arc::new(cells().map(whole).collect::<UInt64Array>())
                }
                _ => Arc::new(cells().map(text).collect::<StringArray>()),
            }
        };
        let arrays = self.columns.iter().enumerate();
        let arrays = arrays.map(|(nth, (name, _))| (*name, array(nth, name), true));
        Ok(RecordBatch::try_from_iter_with_nullable(arrays).map_err(EncodeError::from)?)
    }
}

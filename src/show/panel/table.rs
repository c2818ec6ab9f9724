//! Tables of panels.

use report::text::{bytes, count, duration, percent};

/// A table.
#[derive(Debug, Clone, Default)]
pub struct Table {
    pub caption: String,
    pub columns: Vec<Column>,
    pub rows: Vec<Vec<Cell>>,
}

/// A column.
#[derive(Debug, Clone)]
pub struct Column {
    pub name: &'static str,
    pub is_number: bool,
}

/// A cell: its text and, for numbers, the value that it is sorted by.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    pub text: String,
    pub value: Option<f64>,
}

impl Table {
    /// A table with these columns; names that begin with `#` are those of numbers.
    pub fn new(caption: impl Into<String>, columns: &[&'static str]) -> Self {
        let column = |name: &&'static str| match name.strip_prefix('#') {
            Some(name) => Column { name, is_number: true },
            None => Column { name, is_number: false },
        };
        let columns = columns.iter().map(column).collect();
        Self { caption: caption.into(), columns, rows: Vec::new() }
    }
}

impl Cell {
    /// A text.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), value: None }
    }

    fn of(value: Option<f64>, text: impl Fn(f64) -> String) -> Self {
        let text = value.map_or_else(|| "–".to_owned(), text);
        Self { text, value }
    }

    /// A time in nanoseconds.
    pub fn ns(value: Option<f64>) -> Self {
        Self::of(value, duration)
    }

    /// A number of things.
    #[expect(clippy::cast_precision_loss, reason = "rows are sorted by it")]
    pub fn count(number: u64) -> Self {
        Self { text: count(number), value: Some(number as f64) }
    }

    /// A number of bytes.
    pub fn bytes(value: Option<f64>) -> Self {
        Self::of(value, bytes)
    }

    /// A share of one.
    pub fn share(value: Option<f64>) -> Self {
        Self::of(value, percent)
    }
}

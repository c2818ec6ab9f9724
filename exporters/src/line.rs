//! `line`: one `column = value` per line, with an empty line between rows.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use unicode_width::UnicodeWidthStr;

use crate::cells;
use crate::encoder::{EncodeError, Encoder, Output};

/// The encoder of `line`.
pub struct Line {
    output: Output,
    names: Vec<String>,
    started: bool,
}

impl Line {
    /// Creates an encoder for the schema's columns, whose names are padded to one width.
    pub fn new(schema: &SchemaRef, output: Output) -> Self {
        let names = cells::names(schema);
        let width = names.iter().map(|name| name.width()).max().unwrap_or(0);
        let names = names.iter().map(|name| format!("{name:>width$}")).collect();
        Self { output, names, started: false }
    }
}

impl Encoder for Line {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        for row in cells::rows(batch, cells::NULL)? {
            if self.started {
                writeln!(self.output)?;
            }
            self.started = true;
            for (name, cell) in self.names.iter().zip(row) {
                writeln!(self.output, "{name} = {cell}")?;
            }
        }
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        Ok(self.output.flush()?)
    }
}

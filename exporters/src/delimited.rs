//! `csv` and `tsv`: a header, then one line per row. NULL is an empty field, nested values are text.

use arrow::array::RecordBatch;
use arrow::csv::WriterBuilder;
use arrow::datatypes::SchemaRef;

use crate::encoder::{EncodeError, Encoder, Output};
use crate::plain;

/// The encoder of `csv` and `tsv`.
pub struct Delimited {
    output: Output,
    format: WriterBuilder,
    schema: SchemaRef,
    started: bool,
}

impl Delimited {
    /// Creates an encoder for the schema's columns.
    pub fn new(schema: &SchemaRef, output: Output, delimiter: u8) -> Self {
        let format = WriterBuilder::new().with_delimiter(delimiter);
        Self { output, format, schema: plain::without_nesting(schema), started: false }
    }

    /// Writes a batch, the first one with the header. Arrow's writer reports errors of the output as texts, so it writes
    /// into memory.
    fn write(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        let mut text = Vec::new();
        self.format.clone().with_header(!self.started).build(&mut text).write(batch)?;
        self.started = true;
        Ok(self.output.write_all(&text)?)
    }
}

impl Encoder for Delimited {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        self.write(&plain::convert(batch, &self.schema)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        if !self.started {
            let empty = RecordBatch::new_empty(self.schema.clone());
            self.write(&empty)?;
        }
        Ok(self.output.flush()?)
    }
}

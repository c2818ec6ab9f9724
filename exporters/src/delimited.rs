//! `csv` and `tsv`: a header, then one line per row. NULL is an empty field, nested values are text.

use arrow::array::RecordBatch;
use arrow::csv::{Writer, WriterBuilder};
use arrow::datatypes::SchemaRef;

use crate::encoder::{EncodeError, Encoder, Output};
use crate::plain;

/// The encoder of `csv` and `tsv`.
pub struct Delimited {
    writer: Writer<Output>,
    schema: SchemaRef,
    started: bool,
}

impl Delimited {
    /// Creates an encoder for the schema's columns.
    pub fn new(schema: &SchemaRef, output: Output, delimiter: u8) -> Self {
        let writer = WriterBuilder::new().with_header(true).with_delimiter(delimiter).build(output);
        Self { writer, schema: plain::without_nesting(schema), started: false }
    }
}

impl Encoder for Delimited {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        self.started = true;
        Ok(self.writer.write(&plain::convert(batch, &self.schema)?)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        if !self.started {
            // The writer emits the header with the first batch.
            self.writer.write(&RecordBatch::new_empty(self.schema.clone()))?;
        }
        Ok(self.writer.into_inner().flush()?)
    }
}

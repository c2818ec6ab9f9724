//! `arrow`: the IPC file format (with a footer, for `-o`) and the IPC stream format (for pipes).

use arrow::array::{RecordBatch, RecordBatchWriter};
use arrow::datatypes::{Schema, SchemaRef};
use arrow::error::ArrowError;

use crate::encoder::{EncodeError, Encoder, Output};
use crate::plain;

/// The encoder of both formats; `W` is the writer of one.
pub struct Ipc<W> {
    writer: W,
    schema: SchemaRef,
}

impl<W: RecordBatchWriter> Ipc<W> {
    /// Creates an encoder for the schema's columns. `open` creates the writer, which writes the schema.
    pub fn new(
        schema: &SchemaRef,
        output: Output,
        open: impl FnOnce(Output, &Schema) -> Result<W, ArrowError>,
    ) -> Result<Self, EncodeError> {
        let schema = plain::without_views(schema);
        Ok(Self { writer: open(output, &schema)?, schema })
    }
}

impl<W: RecordBatchWriter + Send> Encoder for Ipc<W> {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        Ok(self.writer.write(&plain::convert(batch, &self.schema)?)?)
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        // Closing the writer flushes the output.
        Ok(self.writer.close()?)
    }
}

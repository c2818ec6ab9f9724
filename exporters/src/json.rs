//! `json` and `jsonl`: one object per row. NULL is written as `null`, so that every row has every key.

use arrow::array::RecordBatch;
use arrow::json::WriterBuilder;
use arrow::json::writer::{JsonFormat, Writer};

use crate::encoder::{EncodeError, Encoder, Output};

/// The encoder of both formats; `F` is the format.
pub struct Json<F: JsonFormat> {
    writer: Writer<Output, F>,
    end: &'static [u8],
}

impl<F: JsonFormat> Json<F> {
    /// Creates an encoder that writes `end` after the last object.
    pub fn new(output: Output, end: &'static [u8]) -> Self {
        Self { writer: WriterBuilder::new().with_explicit_nulls(true).build(output), end }
    }
}

impl<F: JsonFormat + Send> Encoder for Json<F> {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        Ok(self.writer.write(batch)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        self.writer.finish()?;
        let mut output = self.writer.into_inner();
        output.write_all(self.end)?;
        Ok(output.flush()?)
    }
}

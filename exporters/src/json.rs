//! `json` and `jsonl`: one object per row. NULL is written as `null`, so that every row has every key.

use arrow::array::RecordBatch;
use arrow::json::WriterBuilder;
use arrow::json::writer::{JsonArray, LineDelimited, Writer};

use crate::encoder::{EncodeError, Encoder, Output};

/// The encoder of `json` and `jsonl`.
pub enum Json {
    Array(Writer<Output, JsonArray>),
    Lines(Writer<Output, LineDelimited>),
}

impl Json {
    /// Creates an encoder that writes one array of objects.
    pub fn array(output: Output) -> Self {
        Self::Array(WriterBuilder::new().with_explicit_nulls(true).build(output))
    }

    /// Creates an encoder that writes one object per line.
    pub fn lines(output: Output) -> Self {
        Self::Lines(WriterBuilder::new().with_explicit_nulls(true).build(output))
    }
}

impl Encoder for Json {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        match self {
            Self::Array(writer) => writer.write(batch)?,
            Self::Lines(writer) => writer.write(batch)?,
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<(), EncodeError> {
        match *self {
            Self::Array(mut writer) => {
                writer.finish()?;
                let mut output = writer.into_inner();
                output.write_all(b"\n")?;
                Ok(output.flush()?)
            }
            Self::Lines(mut writer) => {
                writer.finish()?;
                Ok(writer.into_inner().flush()?)
            }
        }
    }
}

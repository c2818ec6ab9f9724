//! `arrow`: the IPC file format (with a footer, for `-o`) and the IPC stream format (for pipes).

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use arrow::ipc::writer::{FileWriter, StreamWriter};

use crate::encoder::{EncodeError, Encoder, Output};
use crate::plain;

/// The encoder of the file format.
pub struct IpcFile {
    writer: FileWriter<Output>,
    schema: SchemaRef,
}

/// The encoder of the stream format.
pub struct IpcStream {
    writer: StreamWriter<Output>,
    schema: SchemaRef,
}

impl IpcFile {
    /// Creates an encoder for the schema's columns and writes the schema.
    pub fn new(schema: &SchemaRef, output: Output) -> Result<Self, EncodeError> {
        let schema = plain::without_views(schema);
        Ok(Self { writer: FileWriter::try_new(output, &schema)?, schema })
    }
}

impl IpcStream {
    /// Creates an encoder for the schema's columns and writes the schema.
    pub fn new(schema: &SchemaRef, output: Output) -> Result<Self, EncodeError> {
        let schema = plain::without_views(schema);
        Ok(Self { writer: StreamWriter::try_new(output, &schema)?, schema })
    }
}

impl Encoder for IpcFile {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        Ok(self.writer.write(&plain::convert(batch, &self.schema)?)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        self.writer.finish()?;
        Ok(self.writer.get_mut().flush()?)
    }
}

impl Encoder for IpcStream {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        Ok(self.writer.write(&plain::convert(batch, &self.schema)?)?)
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        self.writer.finish()?;
        Ok(self.writer.get_mut().flush()?)
    }
}

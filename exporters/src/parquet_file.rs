//! `parquet`: one file, zstd, with the documentation and units of the columns as field metadata.

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use crate::{EncodeError, Encoder, Output, plain};

/// Rows of a row group: small enough to stay in bounded memory, large enough to scan well.
const ROW_GROUP: usize = 256 * 1024;

/// The encoder.
pub struct Parquet {
    writer: ArrowWriter<Output>,
    schema: SchemaRef,
}

impl Parquet {
    /// A file of the schema's columns.
    pub fn new(schema: &SchemaRef, output: Output) -> Result<Self, EncodeError> {
        let schema = plain::without_views(schema);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_created_by(concat!("ireescope ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let writer =
            ArrowWriter::try_new(output, schema.clone(), Some(properties)).map_err(failure)?;
        Ok(Self { writer, schema })
    }
}

fn failure(error: ParquetError) -> EncodeError {
    match error {
        ParquetError::External(source) => match source.downcast::<std::io::Error>() {
            Ok(io) => EncodeError::Io(*io),
            Err(other) => EncodeError::Unsupported(other.to_string()),
        },
        other => EncodeError::Unsupported(other.to_string()),
    }
}

impl Encoder for Parquet {
    fn batch(&mut self, batch: &RecordBatch) -> Result<(), EncodeError> {
        self.writer.write(&plain::convert(batch, &self.schema)?).map_err(failure)
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        self.writer.finish().map_err(failure)?;
        Ok(self.writer.inner_mut().flush()?)
    }
}

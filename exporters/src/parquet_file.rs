//! `parquet`: one file, compressed with zstd unless it has few rows. The schema's field metadata, with the
//! documentation and units of the columns, is stored in the file.

use std::collections::HashSet;
use std::mem::take;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Decimal128Type, SchemaRef};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterPropertiesBuilder};
use parquet::schema::types::ColumnPath;

use crate::encoder::{EncodeError, Encoder, Output};
use crate::plain;

/// Rows of a row group: few enough to bound the memory of the writer, enough for efficient scans.
const ROW_GROUP: usize = 256 * 1024;

/// Maximum number of rows that are written uncompressed. A compressor is created for each column, which takes longer
/// than writing so few values, and saves only some kilobytes.
const FEW: usize = 256;

/// The encoder of `parquet`.
pub struct Parquet {
    schema: SchemaRef,
    /// The batches that are buffered until there are more than [`FEW`] rows.
    first: Vec<RecordBatch>,
    output: Option<Output>,
    writer: Option<ArrowWriter<Output>>,
}

impl Parquet {
    /// Creates an encoder for the schema's columns. Nothing is written yet.
    pub fn new(schema: &SchemaRef, output: Output) -> Self {
        let schema = plain::without_views(schema);
        Self { schema, first: Vec::new(), output: Some(output), writer: None }
    }

    /// Creates the writer with the properties for few or many rows, and writes the buffered batches. Does nothing if
    /// the writer exists.
    fn begin(&mut self, are_few: bool) -> Result<(), EncodeError> {
        let Some(output) = self.output.take() else { return Ok(()) };
        let mut properties = WriterProperties::builder()
            .set_max_row_group_row_count(Some(ROW_GROUP))
            .set_created_by(concat!("ireescope ", env!("CARGO_PKG_VERSION")).to_owned());
        properties = if are_few { self.of_few(properties) } else { self.of_many(properties) };
        let properties = properties.build();
        let schema = self.schema.clone();
        let mut writer = ArrowWriter::try_new(output, schema, Some(properties)).map_err(failure)?;
        for batch in take(&mut self.first) {
            writer.write(&batch).map_err(failure)?;
        }
        self.writer = Some(writer);
        Ok(())
    }

    /// Sets the properties for many rows. Integers that differ in most rows, such as times, IDs and offsets, are stored as differences from
    /// row to row: in less space and time than with dictionaries, which such columns fill without repeating their values.
    fn of_many(&self, properties: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
        let properties = properties.set_compression(Compression::ZSTD(ZstdLevel::default()));
        let Some(batch) = self.first.iter().max_by_key(|batch| batch.num_rows()) else {
            return properties;
        };
        let columns = self.schema.fields().iter().enumerate();
        let integers = columns
            .filter(|(nth, field)| field.data_type().is_integer() && is_distinct(batch, *nth));
        integers.fold(properties, |properties, (_, field)| {
            let column = || ColumnPath::from(field.name().as_str());
            properties
                .set_column_dictionary_enabled(column(), false)
                .set_column_encoding(column(), Encoding::DELTA_BINARY_PACKED)
        })
    }

    /// Sets the properties for few rows, which fill one page per column: no page index, no compression, and
    /// dictionaries for texts only. A dictionary of numbers would allocate a hash table of thousands of slots; integers
    /// use the format's `DELTA_BINARY_PACKED` encoding instead, which is also compact.
    fn of_few(&self, properties: WriterPropertiesBuilder) -> WriterPropertiesBuilder {
        let properties = properties
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_offset_index_disabled(true)
            .set_dictionary_enabled(false);
        self.schema.fields().iter().fold(properties, |properties, field| {
            let column = || ColumnPath::from(field.name().as_str());
            match field.data_type() {
                DataType::Utf8 | DataType::Dictionary(..) => {
                    properties.set_column_dictionary_enabled(column(), true)
                }
                kind if kind.is_integer() => {
                    properties.set_column_encoding(column(), Encoding::DELTA_BINARY_PACKED)
                }
                _ => properties,
            }
        })
    }
}

/// Whether the values of an integer column differ in more than a quarter of its rows.
fn is_distinct(batch: &RecordBatch, column: usize) -> bool {
    let values =
        batch.columns().get(column).and_then(|it| cast(it, &DataType::Decimal128(38, 0)).ok());
    let Some(values) = values else { return false };
    let values: HashSet<i128> = values.as_primitive::<Decimal128Type>().iter().flatten().collect();
    values.len() * 4 > batch.num_rows()
}

/// Converts an error, and unwraps I/O errors so that a closed pipe is recognized.
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
        let batch = plain::convert(batch, &self.schema)?;
        if let Some(writer) = &mut self.writer {
            return writer.write(&batch).map_err(failure);
        }
        self.first.push(batch);
        let rows: usize = self.first.iter().map(RecordBatch::num_rows).sum();
        if rows > FEW { self.begin(false) } else { Ok(()) }
    }

    fn finish(mut self: Box<Self>) -> Result<(), EncodeError> {
        self.begin(true)?;
        let Some(writer) = &mut self.writer else { return Ok(()) };
        writer.finish().map_err(failure)?;
        Ok(writer.inner_mut().flush()?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::sync::Arc;

    use arrow::array::{ArrayRef, AsArray, Float64Array, Int64Array, StringArray, UInt64Array};
    use arrow::datatypes::Int64Type;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    use parquet::file::metadata::ColumnChunkMetaData;

    use super::*;

    /// Writes batches and opens the file.
    fn file_of(batches: &[RecordBatch]) -> ParquetRecordBatchReaderBuilder<File> {
        let file = tempfile::NamedTempFile::new().unwrap();
        let output = Box::new(File::create(file.path()).unwrap());
        let mut encoder = Box::new(Parquet::new(&batches[0].schema(), output));
        for batch in batches {
            encoder.batch(batch).unwrap();
        }
        encoder.finish().unwrap();
        ParquetRecordBatchReaderBuilder::try_new(File::open(file.path()).unwrap()).unwrap()
    }

    /// Writes ascending numbers from 0 in batches of these lengths. Returns the compression of the file and its rows.
    fn written(batches: &[usize]) -> (Option<Compression>, Vec<i64>) {
        let mut next = 0..;
        let batches = batches.iter().map(|rows| {
            let numbers = Int64Array::from_iter_values(next.by_ref().take(*rows));
            RecordBatch::try_from_iter([("n", Arc::new(numbers) as _)]).unwrap()
        });
        let reader = file_of(&batches.collect::<Vec<_>>());
        let group = reader.metadata().row_groups().first();
        let compression = group.map(|group| group.column(0).compression());
        let read = reader.build().unwrap().flat_map(|batch| {
            let batch = batch.unwrap();
            batch.column(0).as_primitive::<Int64Type>().values().to_vec()
        });
        (compression, read.collect())
    }

    #[test]
    fn numbers_of_many_rows_are_differences_if_they_seldom_repeat() {
        let rows = 0..1_000_u64;
        let times: UInt64Array =
            rows.clone().map(|row| (row % 7 != 3).then(|| u64::MAX - row * row)).collect();
        let queues = UInt64Array::from_iter_values(rows.map(|row| row % 100));
        let batch = RecordBatch::try_from_iter([
            ("times", Arc::new(times) as ArrayRef),
            ("queues", Arc::new(queues)),
        ]);
        let batch = batch.unwrap();
        let reader = file_of(&[batch.slice(0, 900), batch.slice(900, 100)]);
        let columns = reader.metadata().row_group(0).columns();
        let is_dictionary = |column: &ColumnChunkMetaData| {
            column.encodings().any(|used| used == Encoding::RLE_DICTIONARY)
        };
        assert_eq!(columns.iter().map(is_dictionary).collect::<Vec<_>>(), [false, true]);
        let read: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
        assert_eq!(read, [batch]);
    }

    #[test]
    fn numbers_of_few_rows_are_differences_and_texts_have_dictionaries() {
        let numbers = UInt64Array::from(vec![Some(u64::MAX), None, Some(0), Some(1 << 63)]);
        let signed = Int64Array::from(vec![i64::MIN, i64::MAX, 0, -1]);
        let texts = StringArray::from(vec![Some("a"), Some("a"), None, Some("b")]);
        let fractions = Float64Array::from(vec![0.5, -0.0, f64::MAX, 0.5]);
        let batch = RecordBatch::try_from_iter([
            ("numbers", Arc::new(numbers) as ArrayRef),
            ("signed", Arc::new(signed)),
            ("texts", Arc::new(texts)),
            ("fractions", Arc::new(fractions)),
        ]);
        let batch = batch.unwrap();
        let reader = file_of(std::slice::from_ref(&batch));
        let columns = reader.metadata().row_group(0).columns();
        let uses = |encoding: Encoding| -> Vec<bool> {
            columns.iter().map(|column| column.encodings().any(|used| used == encoding)).collect()
        };
        assert_eq!(uses(Encoding::DELTA_BINARY_PACKED), [true, true, false, false]);
        assert_eq!(uses(Encoding::RLE_DICTIONARY), [false, false, true, false]);
        let read: Vec<RecordBatch> = reader.build().unwrap().map(Result::unwrap).collect();
        assert_eq!(read, [batch]);
    }

    #[test]
    fn many_rows_are_compressed_and_few_are_not() {
        let zstd = Compression::ZSTD(ZstdLevel::default());
        for (batches, compression) in [
            (&[0][..], None),
            (&[FEW], Some(Compression::UNCOMPRESSED)),
            (&[FEW - 1, 1], Some(Compression::UNCOMPRESSED)),
            (&[FEW + 1], Some(zstd)),
            (&[1, 0, FEW, 5], Some(zstd)),
        ] {
            let (found, rows) = written(batches);
            assert_eq!(found, compression, "{batches:?}");
            let expected: Vec<i64> = (0..).take(batches.iter().sum()).collect();
            assert_eq!(rows, expected);
        }
    }
}

//! Builds the columns that have one value per chunk. Filters on these columns skip whole chunks.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use arrow::error::ArrowError;
use schemas::spec::{Column, Read, Table};

use super::builder::Builder;
use super::decoder::values;
use crate::record::{BundleChunks, RowOffsets};

/// Whether a column has one value per chunk.
pub const fn is_chunk_column(column: &Column) -> bool {
    matches!(column.read, Read::Bundle | Read::Chunk(_) | Read::RecordIndex)
}

/// Returns a batch with one row per chunk and the columns of `table` that have one value per chunk.
pub fn chunk_columns(table: &Table, chunks: &[BundleChunks]) -> Result<RecordBatch, ArrowError> {
    let columns: Vec<Column> = table.columns().into_iter().filter(is_chunk_column).collect();
    let fields: Vec<_> = columns.iter().map(schemas::arrow::field).collect();
    let array = |column: &Column| {
        let mut builder = Builder::new(column);
        for chunks in chunks {
            append(column, chunks, &mut builder);
        }
        builder.finish()
    };
    let arrays = columns.iter().map(array).collect::<Result<_, _>>()?;
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

fn append(column: &Column, chunks: &BundleChunks, builder: &mut Builder) {
    let BundleChunks { bundle, records } = chunks;
    match (column.read, builder) {
        (Read::Bundle, Builder::Picked(picked)) => picked.repeat(&bundle.label, records.len()),
        (Read::RecordIndex, Builder::U64(numbers)) => {
            numbers.values.extend(records.iter().copied().map(u64::from));
        }
        (Read::Chunk(at), builder) => {
            let headers = RowOffsets::headers(bundle, records.iter().map(|record| (*record, 1)));
            values(column.kind, bundle.bytes(), &headers, at, builder);
        }
        (read, _) => debug_assert!(false, "column {} cannot be read from {read:?}", column.name),
    }
}

//! Builds the columns that have one value per chunk. Filters on these columns skip whole chunks.

use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::Schema;
use arrow::error::ArrowError;
use schemas::spec::{Column, Read, Table};

use super::builder::Builder;
use super::decoder::values;
use crate::record::{Chunk, Rows};

/// Whether a column has one value per chunk.
pub const fn is_chunk_column(column: &Column) -> bool {
    matches!(column.read, Read::Bundle | Read::Chunk(_) | Read::RecordIndex)
}

/// Returns a batch with one row per chunk and the columns of `table` that have one value per chunk.
pub fn chunk_columns(table: &Table, chunks: &[Chunk]) -> Result<RecordBatch, ArrowError> {
    let columns: Vec<Column> = table.columns().into_iter().filter(is_chunk_column).collect();
    let fields: Vec<_> = columns.iter().map(schemas::arrow::field).collect();
    let array = |column: &Column| {
        let mut builder = Builder::new(column);
        for chunk in chunks {
            append(column, chunk, &mut builder);
        }
        builder.finish()
    };
    let arrays = columns.iter().map(array).collect::<Result<_, _>>()?;
    RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays)
}

fn append(column: &Column, chunk: &Chunk, builder: &mut Builder) {
    let header = chunk.entry().map(|entry| chunk.bundle.record(entry)).unwrap_or_default();
    match (column.read, builder) {
        (Read::Bundle, Builder::Picked(picked)) => picked.repeat(&chunk.bundle.label, 1),
        (Read::RecordIndex, Builder::U64(numbers)) => numbers.push(Some(chunk.record.into())),
        (Read::Chunk(at), builder) => values(column.kind, header, &Rows::At(vec![0]), at, builder),
        (read, _) => debug_assert!(false, "column {} cannot be read from {read:?}", column.name),
    }
}

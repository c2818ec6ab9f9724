//! Reads the rows of a history.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, RecordBatch, RecordBatchOptions, new_null_array,
};
use arrow::compute::{cast, max};
use arrow::datatypes::{DataType, SchemaRef, UInt64Type};
use arrow::error::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicate, ArrowPredicateFn, ParquetRecordBatchReaderBuilder, RowFilter,
};

use super::error::HistoryError;
use super::folder::{History, Piece};

/// The column by which rows are selected.
const ENTRY: &str = "entry";

/// What is read of a table.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub table: &'a str,
    /// Only the rows of these entries; `None` for all.
    pub entries: Option<&'a BTreeSet<String>>,
    /// Only these columns; `None` for all. Their order is that of the table.
    pub columns: Option<&'a [&'a str]>,
}

/// Returns the files of a table, by month and piece.
pub fn stored(history: &History, table: &str) -> Result<Vec<PathBuf>, HistoryError> {
    let paths = history.pieces()?.into_iter().map(|piece| piece.file(table));
    Ok(paths.filter(|path| path.exists()).collect())
}

/// Reads the rows of a table in a piece; none if it has no such file.
pub fn batches(piece: &Piece, asked: Asked<'_>) -> Result<Vec<RecordBatch>, HistoryError> {
    let path = piece.file(asked.table);
    let Some(table) = schemas::find(asked.table).filter(|_| path.exists()) else {
        return Ok(Vec::new());
    };
    let all = schemas::arrow::schema(table);
    let is_asked = |name: &str| asked.columns.is_none_or(|columns| columns.contains(&name));
    let wanted = (0..all.fields().len()).filter(|nth| is_asked(all.field(*nth).name()));
    let wanted =
        Arc::new(all.project(&wanted.collect::<Vec<_>>()).map_err(HistoryError::damaged(&path))?);
    read(&path, &wanted, asked.entries)?.collect()
}

/// Returns the number of the next addition to a table. Two that are made at once may have the same.
pub fn next_addition(history: &History, table: &str) -> Result<u64, HistoryError> {
    let asked = Asked { table, entries: None, columns: Some(&["addition"]) };
    let mut last = 0;
    for piece in history.pieces()? {
        for batch in batches(&piece, asked)? {
            let numbers =
                batch.columns().first().and_then(|it| it.as_primitive_opt::<UInt64Type>());
            last = numbers.and_then(max).unwrap_or_default().max(last);
        }
    }
    Ok(last + 1)
}

/// The batches of a file.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch, HistoryError>> + Send>;

/// Reads columns of a file, with the types of the schema. Those that an older file lacks are NULL.
pub fn read(
    path: &Path,
    schema: &SchemaRef,
    entries: Option<&BTreeSet<String>>,
) -> Result<Batches, HistoryError> {
    let (failed, damaged) = (HistoryError::reading(path), HistoryError::damaged(path));
    let file = File::open(path).map_err(failed)?;
    let builder = ParquetRecordBatchReaderBuilder::try_new(file).map_err(damaged)?;
    let columns = builder.parquet_schema();
    let names = schema.fields().iter().map(|field| field.name().as_str());
    let mask = ProjectionMask::columns(columns, names);
    let mut filters: Vec<Box<dyn ArrowPredicate>> = Vec::new();
    if let Some(entries) = entries.cloned() {
        let only = ProjectionMask::columns(columns, [ENTRY]);
        filters.push(Box::new(ArrowPredicateFn::new(only, move |batch| is_of(&batch, &entries))));
    }
    let reader = builder
        .with_projection(mask)
        .with_row_filter(RowFilter::new(filters))
        .build()
        .map_err(damaged)?;
    let (path, schema) = (path.to_owned(), Arc::clone(schema));
    Ok(Box::new(reader.map(move |batch| {
        batch.and_then(|batch| with_schema(&batch, &schema)).map_err(HistoryError::damaged(&path))
    })))
}

fn is_of(batch: &RecordBatch, entries: &BTreeSet<String>) -> Result<BooleanArray, ArrowError> {
    let column =
        batch.columns().first().ok_or_else(|| ArrowError::SchemaError("no entries".into()))?;
    let texts = cast(column, &DataType::Utf8View)?;
    let texts = texts.as_string_view();
    Ok(texts.iter().map(|text| Some(text.is_some_and(|text| entries.contains(text)))).collect())
}

/// Converts a batch to a schema. Columns that it lacks are NULL.
pub fn with_schema(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let arrays = schema.fields().iter().map(|field| -> Result<ArrayRef, ArrowError> {
        match batch.column_by_name(field.name()) {
            Some(column) if column.data_type() == field.data_type() => Ok(Arc::clone(column)),
            Some(column) => cast(column, field.data_type()),
            None => Ok(new_null_array(field.data_type(), batch.num_rows())),
        }
    });
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let arrays = arrays.collect::<Result<Vec<_>, _>>()?;
    RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)
}

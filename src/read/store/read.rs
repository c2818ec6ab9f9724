//! Reads the rows of a file.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{AsArray, BooleanArray, RecordBatch};
use arrow::compute::cast;
use arrow::datatypes::{DataType, SchemaRef};
use arrow::error::ArrowError;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowPredicate, ArrowPredicateFn, ParquetRecordBatchReaderBuilder, RowFilter,
};
use serde::de::DeserializeOwned;

use super::error::StoreError;
use super::guard::guarded;
use super::row::rows;
use super::schema::with_schema;

/// The batches of a file.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch, StoreError>> + Send>;

/// Selects the rows that have one of these values in a column of text.
#[derive(Debug, Clone)]
pub struct Only {
    pub column: &'static str,
    pub values: BTreeSet<String>,
}

impl Only {
    fn of(&self, batch: &RecordBatch) -> Result<BooleanArray, ArrowError> {
        let missing = || ArrowError::SchemaError(format!("there is no column `{}`", self.column));
        let texts = cast(batch.columns().first().ok_or_else(missing)?, &DataType::Utf8View)?;
        let is_one = |text: Option<&str>| Some(text.is_some_and(|it| self.values.contains(it)));
        Ok(texts.as_string_view().iter().map(is_one).collect())
    }
}

/// Reads columns of a file, with the types of the schema. Columns that an older file lacks are NULL.
pub fn batches(path: &Path, schema: &SchemaRef, only: Option<Only>) -> Result<Batches, StoreError> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
    let columns = builder.parquet_schema();
    let names = schema.fields().iter().map(|field| field.name().as_str());
    let mask = ProjectionMask::columns(columns, names);
    let mut filters: Vec<Box<dyn ArrowPredicate>> = Vec::new();
    if let Some(only) = only {
        let column = ProjectionMask::columns(columns, [only.column]);
        filters.push(Box::new(ArrowPredicateFn::new(column, move |batch| only.of(&batch))));
    }
    let reader = builder.with_projection(mask).with_row_filter(RowFilter::new(filters)).build()?;
    let schema = Arc::clone(schema);
    Ok(Box::new(guarded(reader).map(move |batch| Ok(with_schema(&batch?, &schema)?))))
}

/// Reads all rows of a file.
pub fn read<Row: DeserializeOwned>(
    path: &Path,
    schema: &SchemaRef,
) -> Result<Vec<Row>, StoreError> {
    let mut all = Vec::new();
    for batch in batches(path, schema, None)? {
        all.extend(rows(&batch?)?);
    }
    Ok(all)
}

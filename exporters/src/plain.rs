//! Converts result columns to types that readers of the output format support.

use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;
use arrow::util::display::{ArrayFormatter, FormatOptions};

/// Returns the schema with string and binary views replaced by the offset-based types.
pub(crate) fn without_views(schema: &SchemaRef) -> SchemaRef {
    map_types(schema, |data_type| match data_type {
        DataType::Utf8View => DataType::Utf8,
        DataType::BinaryView => DataType::Binary,
        other => other.clone(),
    })
}

/// Returns the schema with nested columns replaced by text.
pub(crate) fn without_nesting(schema: &SchemaRef) -> SchemaRef {
    map_types(schema, |data_type| match data_type {
        nested if nested.is_nested() => DataType::Utf8,
        other => other.clone(),
    })
}

fn map_types(schema: &SchemaRef, map: impl Fn(&DataType) -> DataType) -> SchemaRef {
    let fields: Vec<Field> = schema
        .fields()
        .iter()
        .map(|field| field.as_ref().clone().with_data_type(map(field.data_type())))
        .collect();
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Converts a batch to the types of `schema`: casts columns whose types differ, and formats nested ones as text.
pub fn convert(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, ArrowError> {
    let columns: Vec<ArrayRef> = batch
        .columns()
        .iter()
        .zip(schema.fields())
        .map(|(column, field)| match column.data_type() {
            same if same == field.data_type() => Ok(Arc::clone(column)),
            nested if nested.is_nested() => printed::<StringArray>(column),
            _ => cast(column, field.data_type()),
        })
        .collect::<Result<_, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    RecordBatch::try_new_with_options(Arc::clone(schema), columns, &options)
}

/// Formats a column of any type as text.
pub fn printed<T>(column: &ArrayRef) -> Result<ArrayRef, ArrowError>
where
    T: Array + FromIterator<Option<String>> + 'static,
{
    let options = FormatOptions::default();
    let formatter = ArrayFormatter::try_new(column.as_ref(), &options)?;
    let text = |row| column.is_valid(row).then(|| formatter.value(row).to_string());
    Ok(Arc::new((0..column.len()).map(text).collect::<T>()))
}

//! The columns of files, and the conversion of batches to other columns.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, new_null_array};
use arrow::compute::cast;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::error::ArrowError;

/// Returns the schema of the file of a table: all columns, with their documentation and plain types.
pub fn schema(table: &str) -> SchemaRef {
    let columns = schemas::find(table).map(schemas::Table::columns).unwrap_or_default();
    let fields = columns.iter().map(|column| {
        let found = schemas::arrow::data_type(column.kind);
        let plain = if found == DataType::Utf8View { DataType::Utf8 } else { found };
        let metadata = schemas::arrow::metadata(&column.doc, column.unit.name());
        Field::new(&column.name, plain, true).with_metadata(metadata)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
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

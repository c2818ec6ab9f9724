//! `pg_settings`: the settings with their initial values.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray, new_null_array};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::{MemTable, TableProvider};
use datafusion::common::Result;

use crate::postgres::settings::SETTINGS;

/// The columns of `pg_settings` beside the name and the value, which tell nothing here.
const OTHERS: &[(&str, DataType)] = &[
    ("unit", DataType::Utf8),
    ("category", DataType::Utf8),
    ("short_desc", DataType::Utf8),
    ("extra_desc", DataType::Utf8),
    ("context", DataType::Utf8),
    ("vartype", DataType::Utf8),
    ("source", DataType::Utf8),
    ("min_val", DataType::Utf8),
    ("max_val", DataType::Utf8),
    ("enumvals", DataType::Utf8),
    ("boot_val", DataType::Utf8),
    ("reset_val", DataType::Utf8),
    ("sourcefile", DataType::Utf8),
    ("sourceline", DataType::Int32),
    ("pending_restart", DataType::Boolean),
];

/// Returns `pg_settings`.
pub fn table() -> Result<Arc<dyn TableProvider>> {
    let names = SETTINGS.iter().map(|it| Some(it.name)).collect::<StringArray>();
    let values = SETTINGS.iter().map(|it| Some(it.initial)).collect::<StringArray>();
    let mut fields =
        vec![Field::new("name", DataType::Utf8, true), Field::new("setting", DataType::Utf8, true)];
    let mut columns: Vec<ArrayRef> = vec![Arc::new(names), Arc::new(values)];
    for (name, kind) in OTHERS {
        fields.push(Field::new(*name, kind.clone(), true));
        columns.push(new_null_array(kind, SETTINGS.len()));
    }
    let rows = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns)?;
    Ok(Arc::new(MemTable::try_new(rows.schema(), vec![vec![rows]])?))
}

//! The settings that clients ask for by `pg_settings` and `current_setting()`.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, StringArray, new_null_array};
use datafusion::arrow::datatypes::{DataType, Field, Schema};
use datafusion::catalog::{MemTable, TableProvider};
use datafusion::common::Result;

use crate::serve::postgres::version::VERSION;

/// The settings. Nothing here can be changed but what a connection shows by SHOW.
const SETTINGS: &[(&str, &str)] = &[
    ("client_encoding", "UTF8"),
    ("default_transaction_read_only", "on"),
    ("integer_datetimes", "on"),
    ("is_superuser", "off"),
    ("max_identifier_length", "63"),
    ("max_index_keys", "32"),
    ("search_path", "public"),
    ("server_encoding", "UTF8"),
    ("server_version", VERSION),
    ("server_version_num", "160006"),
    ("standard_conforming_strings", "on"),
    ("transaction_isolation", "repeatable read"),
    ("transaction_read_only", "on"),
];
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

/// Returns the value of a setting.
pub fn setting(name: &str) -> Option<&'static str> {
    SETTINGS.iter().find(|it| it.0.eq_ignore_ascii_case(name)).map(|it| it.1)
}

/// Returns the rows of `pg_settings`.
pub fn table() -> Result<Arc<dyn TableProvider>> {
    let names = SETTINGS.iter().map(|it| Some(it.0)).collect::<StringArray>();
    let values = SETTINGS.iter().map(|it| Some(it.1)).collect::<StringArray>();
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

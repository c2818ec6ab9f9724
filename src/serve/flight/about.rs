//! Answers to questions about the server and what it serves.

use std::sync::Arc;

use arrow_flight::sql::metadata::{SqlInfoData, SqlInfoDataBuilder, XdbcTypeInfoDataBuilder};
use arrow_flight::sql::{
    Command, CommandGetTableTypes, SqlInfo, SqlNullOrdering, SqlSupportedTransaction,
};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use tonic::Status;

use super::relations::{CATALOG, KINDS, schemas, tables};
use crate::service::Service;

/// Returns the columns of the answer; `None` if the command is no question.
pub fn columns(command: &Command) -> Option<SchemaRef> {
    Some(match command {
        Command::CommandGetCatalogs(asked) => (*asked).into_builder().schema(),
        Command::CommandGetDbSchemas(asked) => asked.clone().into_builder().schema(),
        Command::CommandGetTables(asked) => asked.clone().into_builder().schema(),
        Command::CommandGetTableTypes(asked) => (*asked).into_builder().schema(),
        Command::CommandGetSqlInfo(_) => Arc::new(SqlInfoDataBuilder::schema().clone()),
        Command::CommandGetXdbcTypeInfo(_) => XdbcTypeInfoDataBuilder::new().schema(),
        Command::CommandGetPrimaryKeys(_) => primary_keys(),
        Command::CommandGetExportedKeys(_)
        | Command::CommandGetImportedKeys(_)
        | Command::CommandGetCrossReference(_) => foreign_keys(),
        _ => return None,
    })
}

/// Returns the answer.
pub async fn answer(service: &Service, command: Command) -> Result<RecordBatch, Status> {
    Ok(match command {
        Command::CommandGetCatalogs(asked) => {
            let mut answer = asked.into_builder();
            answer.append(CATALOG);
            answer.build()?
        }
        Command::CommandGetDbSchemas(asked) => schemas(service, asked)?,
        Command::CommandGetTables(asked) => tables(service, asked).await?,
        Command::CommandGetTableTypes(asked) => kinds(asked)?,
        Command::CommandGetSqlInfo(asked) => info(service)?.record_batch(asked.info)?,
        // There are no keys, and types are those of Arrow.
        other => match columns(&other) {
            Some(columns) => RecordBatch::new_empty(columns),
            None => {
                return Err(Status::unimplemented(format!("{}: not supported", other.type_url())));
            }
        },
    })
}

fn kinds(asked: CommandGetTableTypes) -> Result<RecordBatch, Status> {
    let mut answer = asked.into_builder();
    for kind in KINDS {
        answer.append(kind);
    }
    Ok(answer.build()?)
}

/// Returns what the server tells of itself.
fn info(service: &Service) -> Result<SqlInfoData, Status> {
    let mut info = SqlInfoDataBuilder::new();
    info.append(SqlInfo::FlightSqlServerName, "ireescope");
    info.append(SqlInfo::FlightSqlServerVersion, env!("CARGO_PKG_VERSION"));
    info.append(SqlInfo::FlightSqlServerReadOnly, true);
    info.append(SqlInfo::FlightSqlServerSql, true);
    info.append(SqlInfo::FlightSqlServerSubstrait, false);
    info.append(SqlInfo::FlightSqlServerBulkIngestion, false);
    info.append(SqlInfo::FlightSqlServerTransaction, SqlSupportedTransaction::None as i32);
    info.append(SqlInfo::FlightSqlServerCancel, true);
    let time = i32::try_from(service.limits.time.as_millis()).unwrap_or(i32::MAX);
    info.append(SqlInfo::FlightSqlServerStatementTimeout, time);
    info.append(SqlInfo::FlightSqlServerTransactionTimeout, 0);
    info.append(SqlInfo::SqlDdlCatalog, false);
    info.append(SqlInfo::SqlDdlSchema, false);
    info.append(SqlInfo::SqlDdlTable, false);
    info.append(SqlInfo::SqlIdentifierQuoteChar, "\"");
    info.append(SqlInfo::SqlAllTablesAreSelectable, true);
    info.append(SqlInfo::SqlNullOrdering, SqlNullOrdering::SqlNullsSortedHigh as i32);
    info.append(SqlInfo::SqlSearchStringEscape, "\\");
    info.append(SqlInfo::SqlSupportsColumnAliasing, true);
    info.append(SqlInfo::SqlCatalogTerm, "catalog");
    info.append(SqlInfo::SqlSchemaTerm, "schema");
    info.append(SqlInfo::SqlCatalogAtStart, true);
    Ok(info.build()?)
}

fn primary_keys() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("catalog_name", DataType::Utf8, true),
        Field::new("db_schema_name", DataType::Utf8, true),
        Field::new("table_name", DataType::Utf8, false),
        Field::new("column_name", DataType::Utf8, false),
        Field::new("key_name", DataType::Utf8, true),
        Field::new("key_sequence", DataType::Int32, false),
    ]))
}

fn foreign_keys() -> SchemaRef {
    Arc::new(Schema::new(vec![
        Field::new("pk_catalog_name", DataType::Utf8, true),
        Field::new("pk_db_schema_name", DataType::Utf8, true),
        Field::new("pk_table_name", DataType::Utf8, false),
        Field::new("pk_column_name", DataType::Utf8, false),
        Field::new("fk_catalog_name", DataType::Utf8, true),
        Field::new("fk_db_schema_name", DataType::Utf8, true),
        Field::new("fk_table_name", DataType::Utf8, false),
        Field::new("fk_column_name", DataType::Utf8, false),
        Field::new("key_sequence", DataType::Int32, false),
        Field::new("fk_key_name", DataType::Utf8, true),
        Field::new("pk_key_name", DataType::Utf8, true),
        Field::new("update_rule", DataType::UInt8, false),
        Field::new("delete_rule", DataType::UInt8, false),
    ]))
}

//! The tables and views that clients list.

use std::sync::Arc;

use arrow_flight::sql::{CommandGetDbSchemas, CommandGetTables};
use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::{Schema, SchemaRef};
use datafusion::datasource::TableType;
use engine::{Engine, EngineError, documented_columns};
use tonic::Status;

use super::errors::told;
use super::sending::plain;
use crate::service::Service;

/// The name of the catalog.
pub const CATALOG: &str = "ireescope";
/// The kinds of relations.
pub const KINDS: [&str; 2] = ["TABLE", "VIEW"];

struct Relation {
    schema: String,
    name: String,
    kind: &'static str,
    columns: SchemaRef,
}

/// Returns the schemas that a client asks for.
pub fn schemas(service: &Service, asked: CommandGetDbSchemas) -> Result<RecordBatch, Status> {
    let mut answer = asked.into_builder();
    let known = service.snapshot().engine.schemas().map_err(|error| told(&error.into()))?;
    for (name, _) in &known {
        answer.append(CATALOG, name);
    }
    Ok(answer.build()?)
}

/// Returns the tables and views that a client asks for.
pub async fn tables(service: &Service, asked: CommandGetTables) -> Result<RecordBatch, Status> {
    let engine = Arc::clone(&service.snapshot().engine);
    // Views are planned for their columns.
    let all = service.on_statement_thread(move || async move { relations(&engine).await });
    let all = all.await.map_err(|error| told(&error))?;
    let mut answer = asked.into_builder();
    for Relation { schema, name, kind, columns } in &all {
        answer.append(CATALOG, schema, name, kind, columns)?;
    }
    Ok(answer.build()?)
}

/// Returns the columns of a relation with what clients look for in their metadata: their documentation, and whether they may be
/// NULL.
fn told_columns(schema: &str, name: &str, columns: &Schema) -> SchemaRef {
    let documented = documented_columns(schema, name, columns);
    let plain = plain(&documented);
    let fields = plain.fields().iter().zip(documented.fields()).map(|(field, known)| {
        let of = |key: &str| known.metadata().get(key).cloned().unwrap_or_default();
        let (doc, unit) = (of("doc"), of("unit"));
        let remarks = if unit.is_empty() { doc } else { format!("{doc} [{unit}]") };
        let [number, word] = if known.is_nullable() { ["1", "YES"] } else { ["0", "NO"] };
        let told = [
            ("ARROW:FLIGHT:SQL:REMARKS", remarks),
            ("XDBC_NULLABLE", number.to_owned()),
            ("XDBC_IS_NULLABLE", word.to_owned()),
        ];
        let told = told.into_iter().filter(|(_, text)| !text.is_empty());
        let mut metadata = field.metadata().clone();
        metadata.extend(told.map(|(key, text)| (key.to_owned(), text)));
        field.as_ref().clone().with_metadata(metadata)
    });
    Arc::new(Schema::new_with_metadata(fields.collect::<Vec<_>>(), plain.metadata().clone()))
}

async fn relations(engine: &Engine) -> Result<Vec<Relation>, EngineError> {
    let mut all = Vec::new();
    for (schema, provider) in engine.schemas()? {
        for name in provider.table_names() {
            let Some(table) = provider.table(&name).await? else { continue };
            let kind = if table.table_type() == TableType::View { "VIEW" } else { "TABLE" };
            let columns = told_columns(&schema, &name, &table.schema());
            let schema = schema.clone();
            all.push(Relation { schema, name, kind, columns });
        }
    }
    Ok(all)
}

//! Documentation and units travel with an answer: as field metadata, which Arrow and Parquet files keep.
//!
//! They are put on at the end, by where a column comes from, and not on the tables' schemas: DataFusion's optimizer
//! takes two plans for different where only metadata differs.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::common::TableReference;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;

/// The stream, its columns documented where they are a table's or a view's own.
pub fn documented(
    plan_columns: &[Option<String>],
    stream: SendableRecordBatchStream,
) -> SendableRecordBatchStream {
    let schema = stream.schema();
    // Columns of one relation follow each other: its documentation is looked up once.
    let mut known: (Option<&str>, Docs) = (None, Docs::new());
    let mut fields: Vec<Field> = Vec::with_capacity(schema.fields().len());
    for (field, relation) in
        schema.fields().iter().zip(plan_columns.iter().chain(std::iter::repeat(&None)))
    {
        if known.0 != relation.as_deref() {
            known = (relation.as_deref(), relation.as_deref().map_or_else(Docs::new, docs));
        }
        let metadata = known.1.get(field.name()).cloned().unwrap_or_default();
        fields.push(field.as_ref().clone().with_metadata(metadata));
    }
    let schema: SchemaRef = Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()));
    let documented = Arc::clone(&schema);
    let batches = stream.map(move |batch| Ok(batch?.with_schema(Arc::clone(&documented))?));
    Box::pin(RecordBatchStreamAdapter::new(schema, batches))
}

/// For each column of a plan, the table or view that it comes from.
pub fn relations(plan: &LogicalPlan) -> Vec<Option<String>> {
    let name =
        |relation: Option<&TableReference>| relation.map(|relation| relation.table().to_owned());
    plan.schema().iter().map(|(relation, _)| name(relation)).collect()
}

/// For each column, its metadata.
type Docs = HashMap<String, HashMap<String, String>>;

fn docs(relation: &str) -> Docs {
    if let Some(table) = schemas::find(relation) {
        let metadata =
            |column: &schemas::Column| schemas::arrow::metadata(&column.doc, column.unit.name());
        return table
            .columns()
            .into_iter()
            .map(|column| (column.name.clone(), metadata(&column)))
            .collect();
    }
    let view = sql::all().iter().find(|view| view.name == relation);
    let columns = view.into_iter().flat_map(|view| &view.header.columns);
    columns
        .map(|column| (column.name.clone(), schemas::arrow::metadata(&column.doc, &column.unit)))
        .collect()
}

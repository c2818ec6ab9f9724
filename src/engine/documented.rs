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
    let fields = schema.fields().iter().zip(plan_columns.iter().chain(std::iter::repeat(&None)));
    let fields: Vec<Field> =
        fields.map(|(field, relation)| document(field, relation.as_deref())).collect();
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

fn document(field: &Field, relation: Option<&str>) -> Field {
    let metadata = relation.and_then(|relation| metadata(relation, field.name()));
    field.clone().with_metadata(metadata.unwrap_or_default())
}

fn metadata(relation: &str, name: &str) -> Option<HashMap<String, String>> {
    if let Some(table) = schemas::find(relation) {
        let column = table.columns().into_iter().find(|column| column.name == name)?;
        return Some(schemas::arrow::metadata(&column.doc, column.unit.name()));
    }
    let view = sql::all().iter().find(|view| view.name == relation)?;
    let column = view.header.columns.iter().find(|column| column.name == name)?;
    Some(schemas::arrow::metadata(&column.doc, &column.unit))
}

//! Adds documentation and units to the columns of a result, as field metadata, which Arrow and Parquet files keep.
//!
//! They are added to the finished stream instead of the schemas of tables, because DataFusion's optimizer treats
//! plans that differ only in metadata as different.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Fields, Schema, SchemaRef};
use datafusion::common::TableReference;
use datafusion::execution::SendableRecordBatchStream;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use futures::StreamExt;

/// Documents the columns of a stream that come unchanged from a table or view. If `planned` is given, nullability is
/// taken from it: the optimizer may have removed parts that no bundle has, which makes columns non-nullable.
pub fn documented(
    plan_columns: &[Option<TableReference>],
    planned: Option<&Fields>,
    stream: SendableRecordBatchStream,
) -> SendableRecordBatchStream {
    let schema = document(plan_columns, planned, &stream.schema());
    let documented = Arc::clone(&schema);
    let batches = stream.map(move |batch| Ok(batch?.with_schema(Arc::clone(&documented))?));
    Box::pin(RecordBatchStreamAdapter::new(schema, batches))
}

/// Documents the columns of a schema, as [`documented`] does those of a stream.
pub fn document(
    plan_columns: &[Option<TableReference>],
    planned: Option<&Fields>,
    schema: &Schema,
) -> SchemaRef {
    // Columns of one relation are usually adjacent, so the last documentation is kept.
    let mut known: (Option<&TableReference>, Docs) = (None, Docs::new());
    let mut fields: Vec<Field> = Vec::with_capacity(schema.fields().len());
    // The plan of `EXECUTE` does not list the columns of the result.
    let relations = plan_columns.iter().chain(std::iter::repeat(&None));
    for (nth, (field, relation)) in schema.fields().iter().zip(relations).enumerate() {
        if known.0 != relation.as_ref() {
            known = (relation.as_ref(), relation.as_ref().map_or_else(Docs::new, docs));
        }
        let metadata = known.1.get(field.name()).cloned().unwrap_or_default();
        let is_nullable =
            planned.and_then(|planned| planned.get(nth)).unwrap_or(field).is_nullable();
        fields.push(field.as_ref().clone().with_nullable(is_nullable).with_metadata(metadata));
    }
    Arc::new(Schema::new_with_metadata(fields, schema.metadata().clone()))
}

/// Documents the columns of a table or view, as those of a result are.
pub fn documented_columns(schema: &str, name: &str, columns: &Schema) -> SchemaRef {
    let relation = TableReference::partial(schema, name);
    document(&vec![Some(relation); columns.fields().len()], None, columns)
}

/// Returns, for each column of a plan, the table or view that it comes from.
pub fn relations(plan: &LogicalPlan) -> Vec<Option<TableReference>> {
    plan.schema().iter().map(|(relation, _)| relation.cloned()).collect()
}

/// The field metadata by column.
type Docs = HashMap<String, HashMap<String, String>>;

fn docs(relation: &TableReference) -> Docs {
    let (schema, name) = (relation.schema(), relation.table());
    let kind = sql::Kind::ALL.into_iter().find(|kind| kind.schema() == schema);
    let kind = kind.unwrap_or(sql::Kind::View);
    if let Some(table) = schemas::find(name).filter(|_| kind == sql::Kind::View) {
        let metadata =
            |column: &schemas::Column| schemas::arrow::metadata(&column.doc, column.unit.name());
        return table
            .columns()
            .into_iter()
            .map(|column| (column.name.clone(), metadata(&column)))
            .collect();
    }
    let columns = sql::find(kind, name).into_iter().flat_map(|view| &view.header().columns);
    columns
        .map(|column| (column.name.clone(), schemas::arrow::metadata(&column.doc, &column.unit)))
        .collect()
}

//! `pg_attribute` with the types that clients get: `datafusion-pg-catalog` has others for lists, structs and decimals.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int32Array, RecordBatch};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int32Type};
use datafusion::catalog::{CatalogProvider, MemTable, TableProvider};
use datafusion::error::DataFusionError;
use datafusion::execution::context::SessionContext;
use engine::EngineError;

use super::docs::Relation;
use crate::postgres::values::Kind;

/// The numbers of the types of columns and their modifiers, by the numbers of their relation and of the column.
type Types = HashMap<(i32, i32), [i32; 2]>;

/// Returns the rows of `pg_attribute`, whose rows are these in `datafusion-pg-catalog`.
pub async fn table(
    context: &SessionContext,
    attributes: Arc<dyn TableProvider>,
    catalog: &dyn CatalogProvider,
    relations: &[Relation],
) -> Result<Arc<dyn TableProvider>, EngineError> {
    let types = sent(catalog, relations).await?;
    let read = context.read_table(attributes)?;
    let schema = Arc::clone(read.schema().inner());
    let batches = read.collect().await?;
    let batches =
        batches.iter().map(|batch| typed(batch, &types)).collect::<Result<_, DataFusionError>>()?;
    Ok(Arc::new(MemTable::try_new(schema, vec![batches])?))
}

/// Returns the types of the columns of the engine as they are sent.
async fn sent(catalog: &dyn CatalogProvider, relations: &[Relation]) -> Result<Types, EngineError> {
    let mut types = Types::new();
    for Relation { number, schema, name } in relations {
        if schema == "pg_catalog" {
            continue;
        }
        let Some(schema) = catalog.schema(schema) else { continue };
        let Some(table) = schema.table(name).await? else { continue };
        for (nth, field) in (1..).zip(table.schema().fields()) {
            if let Some(kind) = Kind::of(field.data_type())
                && let Ok(number_of_type) = i32::try_from(kind.pg().oid())
            {
                types.insert((*number, nth), [number_of_type, kind.modifier()]);
            }
        }
    }
    Ok(types)
}

fn typed(batch: &RecordBatch, types: &Types) -> Result<RecordBatch, DataFusionError> {
    let numbers = |name: &str| -> Result<Int32Array, DataFusionError> {
        let index = batch.schema().index_of(name)?;
        let column = cast(batch.column(index), &DataType::Int32)?;
        Ok(column.as_primitive::<Int32Type>().clone())
    };
    let (relations, columns) = (numbers("attrelid")?, numbers("attnum")?);
    let mut all: Vec<ArrayRef> = batch.columns().to_vec();
    for (name, part) in [("atttypid", 0), ("atttypmod", 1)] {
        let known = numbers(name)?;
        let kinds =
            relations.iter().zip(&columns).zip(&known).map(|((relation, column), known)| {
                let of = relation.zip(column).and_then(|place| types.get(&place));
                of.and_then(|kind| kind.get(part).copied()).or(known)
            });
        let kinds: Int32Array = kinds.collect();
        if let Some(column) = all.get_mut(batch.schema().index_of(name)?) {
            *column = cast(&kinds, column.data_type())?;
        }
    }
    Ok(RecordBatch::try_new(batch.schema(), all)?)
}

//! Filters on columns that are constant per chunk. They exclude whole chunks and are not evaluated again on the rows.

use datafusion::arrow::array::{AsArray, BooleanArray, RecordBatch};
use datafusion::catalog::Session;
use datafusion::common::cast::as_boolean_array;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, internal_err};
use datafusion::error::Result;
use datafusion::logical_expr::Expr;
use read::record::BundleChunks;
use read::table::{chunk_columns, is_chunk_column};
use schemas::Table;

/// Whether `filter` is not volatile and reads only columns that have one value per chunk.
pub(crate) fn is_decided_by_chunk(table: &Table, filter: &Expr) -> bool {
    let decided: Vec<String> =
        table.columns().into_iter().filter(is_chunk_column).map(|column| column.name).collect();
    !filter.is_volatile()
        && filter.column_refs().iter().all(|column| decided.contains(&column.name))
}

/// Returns the chunks that satisfy the filters. All filters are evaluated: since they were accepted for pushdown, the
/// optimizer may have simplified them, even to constants.
pub fn keep(
    session: &dyn Session,
    table: &Table,
    filters: &[Expr],
    mut chunks: Vec<BundleChunks>,
) -> Result<Vec<BundleChunks>> {
    if filters.is_empty() || chunks.is_empty() {
        return Ok(chunks);
    }
    let batch = chunk_columns(table, &chunks)?;
    // One row per chunk, on which DataFusion evaluates the filters.
    let schema = DFSchema::try_from(batch.schema())?;
    let mut kept = vec![true; batch.num_rows()];
    for filter in filters {
        if !is_decided_by_chunk(table, filter) {
            return internal_err!("{} cannot decide {filter} by chunk", table.name);
        }
        let mask = evaluate(session, filter, &schema, &batch)?;
        // NULL excludes a row, like false.
        kept.iter_mut().zip(&mask).for_each(|(kept, answer)| *kept &= answer == Some(true));
    }
    let mut kept = kept.into_iter();
    for chunks in &mut chunks {
        chunks.records.retain(|_| kept.next() == Some(true));
    }
    chunks.retain(|chunks| !chunks.records.is_empty());
    Ok(chunks)
}

fn evaluate(
    session: &dyn Session,
    filter: &Expr,
    schema: &DFSchema,
    batch: &RecordBatch,
) -> Result<BooleanArray> {
    let expression = session.create_physical_expr(without_relations(filter)?, schema)?;
    let values = expression.evaluate(batch)?.into_array(batch.num_rows())?;
    debug_assert!(values.as_boolean_opt().is_some(), "a filter is a boolean");
    Ok(as_boolean_array(&values)?.clone())
}

/// Removes the qualifiers of column names; the batch of chunks has none.
fn without_relations(filter: &Expr) -> Result<Expr> {
    let unqualified = filter.clone().transform(|expression| {
        Ok(match expression {
            Expr::Column(column) => Transformed::yes(Expr::Column(Column::from_name(column.name))),
            other => Transformed::no(other),
        })
    })?;
    Ok(unqualified.data)
}

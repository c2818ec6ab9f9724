//! Filters that the record header of a chunk decides: they skip whole chunks and need no second look at the rows.

use datafusion::arrow::array::{AsArray, BooleanArray, RecordBatch};
use datafusion::arrow::compute::and_kleene;
use datafusion::catalog::Session;
use datafusion::common::cast::as_boolean_array;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema};
use datafusion::error::Result;
use datafusion::logical_expr::Expr;
use schemas::Table;

use crate::record::Chunk;
use crate::table::{chunk_columns, is_chunk_column};

/// Whether `filter` reads only columns that have one value a chunk, and always gives the same answer.
pub fn is_decided_by_chunk(table: &Table, filter: &Expr) -> bool {
    let decided: Vec<String> =
        table.columns().into_iter().filter(is_chunk_column).map(|column| column.name).collect();
    let columns = filter.column_refs();
    !columns.is_empty()
        && !filter.is_volatile()
        && columns.iter().all(|column| decided.contains(&column.name))
}

/// The chunks that the filters leave over.
pub fn keep(
    session: &dyn Session,
    table: &Table,
    filters: &[Expr],
    chunks: Vec<Chunk>,
) -> Result<Vec<Chunk>> {
    let filters: Vec<&Expr> =
        filters.iter().filter(|filter| is_decided_by_chunk(table, filter)).collect();
    if filters.is_empty() || chunks.is_empty() {
        return Ok(chunks);
    }
    let batch = chunk_columns(table, &chunks)?;
    let schema = DFSchema::try_from(batch.schema())?;
    let mut mask: Option<BooleanArray> = None;
    for filter in filters {
        let next = evaluate(session, filter, &schema, &batch)?;
        mask = Some(match mask {
            Some(mask) => and_kleene(&mask, &next)?,
            None => next,
        });
    }
    let Some(mask) = mask else { return Ok(chunks) };
    Ok(chunks
        .into_iter()
        .zip(mask.iter())
        .filter(|(_, kept)| *kept == Some(true))
        .map(|(chunk, _)| chunk)
        .collect())
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

/// Drops the relation of column names: the batch of chunks has none.
fn without_relations(filter: &Expr) -> Result<Expr> {
    let unqualified = filter.clone().transform(|expression| {
        Ok(match expression {
            Expr::Column(column) => Transformed::yes(Expr::Column(Column::from_name(column.name))),
            other => Transformed::no(other),
        })
    })?;
    Ok(unqualified.data)
}

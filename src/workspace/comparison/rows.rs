//! Comparisons as rows.

use arrow::array::RecordBatch;
use engine::EngineError;
use engine::comparison::{self, Row};
use model::compare::Comparison;

/// Returns the rows of comparisons: one for the total of each side, then one for each match of functions.
pub fn batch(all: &[Comparison]) -> Result<RecordBatch, EngineError> {
    let rows = all.iter().flat_map(|it| Row::all(&it.new.name, &it.differences));
    Ok(comparison::batch(&rows.collect::<Vec<_>>())?)
}

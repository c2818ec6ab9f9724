//! `known_knobs()`: the knobs of dumped configurations, as a table function.

use std::sync::Arc;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::Schema;
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::{TableFunctionArgs, TableFunctionImpl, TableProvider};
use datafusion::common::plan_err;
use datafusion::error::Result;
use model::operation::Knob;
use passes::fold::Columns;

use crate::functions::Folds;

/// Returns the function by name.
pub fn function(folds: &Arc<Folds>) -> (&'static str, Arc<dyn TableFunctionImpl>) {
    ("known_knobs", Arc::new(Knobs(Arc::clone(folds))))
}

struct Knobs(Arc<Folds>);

impl TableFunctionImpl for Knobs {
    fn call_with_args(&self, args: TableFunctionArgs) -> Result<Arc<dyn TableProvider>> {
        if !args.exprs().is_empty() {
            return plan_err!("known_knobs() takes no arguments");
        }
        let batch = batch(&self.0.known().knobs)?;
        Ok(Arc::new(MemTable::try_new(batch.schema(), vec![vec![batch]])?))
    }
}

impl std::fmt::Debug for Knobs {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Knobs").finish_non_exhaustive()
    }
}

fn batch(knobs: &[Knob]) -> Result<RecordBatch> {
    let columns = Columns::<Knob>::new()
        .text("dispatch", |row| &row.dispatch)
        .optional_text("target", |row| told(&row.target))
        .optional_text("operation", |row| told(&row.operation))
        .optional_text("shapes", |row| told(&row.shapes))
        .optional_text("types", |row| told(&row.types))
        .optional_text("pipeline", |row| told(&row.pipeline))
        .optional_text("knob", |row| told(&row.knob))
        .optional_text("value", |row| told(&row.value));
    let schema = Arc::new(Schema::new(columns.fields()));
    Ok(RecordBatch::try_new(schema, columns.arrays_from(0, knobs))?)
}

fn told(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

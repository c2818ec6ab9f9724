//! The table `runs`, with the calls that are found in the bundle of each run. They are counted only if they are asked for.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::array::{Array, ArrayRef, AsArray, RecordBatch, UInt64Array};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use read::bundle::Bundle;
use read::table::directory_batch;
use schemas::spec::Table;

use crate::functions::Folds;

/// The column that is counted.
const CALLS: &str = "calls";

/// The table over the open bundles.
#[derive(Debug)]
pub struct Runs {
    table: &'static Table,
    schema: SchemaRef,
    bundles: Arc<[Arc<Bundle>]>,
    folds: Arc<Folds>,
}

impl Runs {
    pub fn new(table: &'static Table, bundles: Arc<[Arc<Bundle>]>, folds: Arc<Folds>) -> Self {
        Self { table, schema: schemas::arrow::schema(table), bundles, folds }
    }

    /// Returns the calls of each row: NULL for a run without a bundle, and for a bundle without dispatches or that cannot be
    /// read.
    fn calls(&self, batch: &RecordBatch) -> ArrayRef {
        let bundles = batch.column_by_name("bundle").map(AsArray::as_string_view);
        let count = |row: usize| {
            let label = bundles.filter(|bundles| bundles.is_valid(row))?.value(row);
            let found = self.folds.invocations_of(label).ok().flatten()?;
            Some(found.all.len() as u64).filter(|count| *count > 0)
        };
        Arc::new((0..batch.num_rows()).map(count).collect::<UInt64Array>())
    }
}

#[async_trait]
impl TableProvider for Runs {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut batch = directory_batch(self.table, &self.bundles)?;
        let nth = self.schema.index_of(CALLS)?;
        if projection.is_none_or(|columns| columns.contains(&nth)) {
            let calls = self.calls(&batch);
            let mut columns = batch.columns().to_vec();
            if let Some(column) = columns.get_mut(nth) {
                *column = calls;
            }
            batch = RecordBatch::try_new(self.schema(), columns)?;
        }
        let table = MemTable::try_new(self.schema(), vec![vec![batch]])?;
        table.scan(session, projection, filters, limit).await
    }
}

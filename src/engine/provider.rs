//! DataFusion's table provider for a declared table over the open bundles.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::stats::Precision;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use read::bundle::{Bundle, BundleError, limits};
use read::record::{BundleChunks, Stepper, chunks, count_chunks};
use read::table::{Lookups, directory_batch};
use schemas::spec::{Source, Table};

use super::feed_scan::{FeedScan, Work};
use super::filter;
use crate::functions::external;

/// A declared table over the open bundles.
#[derive(Debug)]
pub struct BundleTable {
    table: &'static Table,
    schema: SchemaRef,
    bundles: Arc<[Arc<Bundle>]>,
}

impl BundleTable {
    /// Creates the table over `bundles`.
    pub fn new(table: &'static Table, bundles: Arc<[Arc<Bundle>]>) -> Self {
        Self { table, schema: schemas::arrow::schema(table), bundles }
    }

    fn scan_family(
        &self,
        session: &dyn Session,
        projection: &[usize],
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Work> {
        let Some(family) = self.table.reads() else {
            return datafusion::common::internal_err!("no family");
        };
        let all = chunks(&self.bundles, family);
        let total = count_chunks(&all);
        let kept = filter::keep(session, self.table, filters, all)?;
        let skipped = total - count_chunks(&kept);
        let bytes = payload_bytes(&kept);
        let lookups = match self.table.source {
            Source::CounterValues(_) => Lookups::counters(&self.bundles),
            Source::MetricValues(_) => Lookups::metrics(&self.bundles),
            _ => Ok(Lookups::default()),
        };
        let long = matches!(self.table.source, Source::CounterValues(_) | Source::MetricValues(_));
        let estimate = usize::try_from(bytes).unwrap_or(usize::MAX) / family.layout.max(1);
        // `count(*)` projects no columns and is answered from an exact count. Other plans get an estimate, so that
        // planning does not read the records.
        let rows = if !long && projection.is_empty() {
            Precision::Exact(count(&kept, self.table).map_err(external)?)
        } else {
            Precision::Inexact(estimate)
        };
        let threads =
            if bytes < limits::PARALLEL_BYTES { 1 } else { session.config().target_partitions() };
        Ok(Work::Family {
            chunks: kept.into(),
            skipped,
            lookups: Arc::new(lookups.map_err(external)?),
            // In a long form a sample becomes any number of rows, so a limit on rows does not limit samples.
            limit: if long { None } else { limit },
            spreads: long,
            threads,
            rows,
        })
    }
}

#[async_trait]
impl TableProvider for BundleTable {
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
        let every: Vec<usize> = (0..self.schema.fields().len()).collect();
        let columns = projection.unwrap_or(&every);
        let work = match self.table.source {
            Source::Directory => {
                let batch = directory_batch(self.table, &self.bundles)?;
                let table = MemTable::try_new(self.schema(), vec![vec![batch]])?;
                return table.scan(session, projection, filters, limit).await;
            }
            Source::Records => {
                let count = self.bundles.iter().map(|bundle| bundle.directory.entries.len()).sum();
                Work::Records { bundles: Arc::clone(&self.bundles), rows: Precision::Exact(count) }
            }
            _ => self.scan_family(session, columns, filters, limit)?,
        };
        let schema = Arc::new(self.schema.project(columns)?);
        Ok(Arc::new(FeedScan::new(self.table, columns, schema, work)))
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        let decided = |filter: &&Expr| {
            self.table.reads().is_some() && filter::is_decided_by_chunk(self.table, filter)
        };
        Ok(filters
            .iter()
            .map(|filter| {
                if decided(filter) {
                    TableProviderFilterPushDown::Exact
                } else {
                    TableProviderFilterPushDown::Unsupported
                }
            })
            .collect())
    }
}

fn payload_bytes(chunks: &[BundleChunks]) -> u64 {
    let of_bundle = |BundleChunks { bundle, records }: &BundleChunks| {
        let lengths = records.iter().map(|record| bundle.directory.payload(*record).1);
        lengths.sum::<u64>()
    };
    chunks.iter().map(of_bundle).sum()
}

/// Counts the rows of the chunks by stepping over record lengths, without decoding columns.
fn count(chunks: &[BundleChunks], table: &Table) -> Result<usize, BundleError> {
    let Some(family) = table.reads() else { return Ok(0) };
    let mut rows = 0;
    for BundleChunks { bundle, records } in chunks {
        for record in records {
            let (payload, offset) = bundle.payload(*record);
            let mut stepper = Stepper::new(*family, payload, offset, 0);
            while !stepper.is_done() {
                let step = stepper.take(usize::MAX);
                let step =
                    step.map_err(|fault| bundle.damaged(fault.in_record((*record).into())))?;
                rows += step.len();
            }
        }
    }
    Ok(rows)
}

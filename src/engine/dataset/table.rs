//! A relation as a table: a scan reads only the projected columns, and no row groups and pages whose statistics rule out the filter.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::DFSchema;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_expr::conjunction_opt;
use datafusion::physical_plan::ExecutionPlan;

use super::relation::{Place, Relation};
use super::scan::DatasetScan;

#[async_trait]
impl TableProvider for Relation {
    fn schema(&self) -> SchemaRef {
        Arc::clone(self.columns())
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
        let every = || (0..self.columns().fields().len()).collect();
        let columns = projection.cloned().unwrap_or_else(every);
        let known = DFSchema::try_from(Arc::clone(self.columns()))?;
        let filters = filters.iter().map(|it| session.create_physical_expr(it.clone(), &known));
        let filters = filters.collect::<Result<Vec<_>>>()?;
        // The filter is applied to the rows again (`Inexact` below).
        let places = self.kept(conjunction_opt(filters.iter().cloned()))?;
        let threads = session.config().target_partitions().clamp(1, places.len().max(1));
        let share = places.len().div_ceil(threads).max(1);
        let mut partitions: Vec<Vec<Place>> = places.chunks(share).map(<[Place]>::to_vec).collect();
        if partitions.is_empty() {
            partitions.push(Vec::new());
        }
        Ok(Arc::new(DatasetScan::new(self.clone(), partitions, columns, filters, limit)?))
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }
}

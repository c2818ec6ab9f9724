//! Tables of decoded instruction traces. Traces are decoded when a query that names such a table begins to run.

use std::sync::{Arc, OnceLock};

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::memory::MemTable;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::plan_err;
use datafusion::error::Result;
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;

use super::error::{Undecoded, external};
use crate::att::{AttError, Settings, Tables, decode};
use crate::bundle::Bundle;

/// The traces of bundles, which are decoded once.
#[derive(Debug)]
pub struct Traces {
    bundles: Arc<[Arc<Bundle>]>,
    /// How they are decoded; `None` if they are not, and the tables are empty.
    settings: Option<Settings>,
    /// Whether SQL may only read the bundles, and so must not let libraries run.
    is_read_only: bool,
    decoded: OnceLock<std::result::Result<Tables, Arc<AttError>>>,
}

impl Traces {
    pub const fn new(
        bundles: Arc<[Arc<Bundle>]>,
        settings: Option<Settings>,
        is_read_only: bool,
    ) -> Self {
        Self { bundles, settings, is_read_only, decoded: OnceLock::new() }
    }

    fn tables(&self) -> std::result::Result<&Tables, Arc<AttError>> {
        let decoded = self.decoded.get_or_init(|| match &self.settings {
            Some(settings) => decode(&self.bundles, settings).map_err(Arc::new),
            None => Ok(Tables::new()),
        });
        decoded.as_ref().map_err(Arc::clone)
    }
}

/// One of the tables.
#[derive(Debug)]
pub struct DecodedTable {
    table: &'static schemas::Table,
    schema: SchemaRef,
    traces: Arc<Traces>,
}

impl DecodedTable {
    pub fn new(table: &'static schemas::Table, traces: Arc<Traces>) -> Self {
        Self { table, schema: schemas::arrow::schema(table), traces }
    }
}

#[async_trait]
impl TableProvider for DecodedTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if self.traces.is_read_only {
            return plan_err!(
                "instruction traces are not decoded with --read-only-sql, as libraries of the system would run"
            );
        }
        let tables = self.traces.tables().map_err(|error| external(Undecoded(error)))?;
        let rows = tables.get(self.table.name).cloned().unwrap_or_default();
        let held = MemTable::try_new(Arc::clone(&self.schema), vec![rows])?;
        held.scan(state, projection, filters, limit).await
    }
}

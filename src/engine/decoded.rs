//! Tables of decoded instruction traces. Traces are decoded when a query that names such a table begins to run.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use att::{AttError, Detail, Settings, Tables, decode};
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::plan_err;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::{StreamExt, TryStreamExt, stream};
use read::bundle::Bundle;

use crate::functions::external;

/// The traces of bundles, which are decoded once.
#[derive(Debug)]
pub struct Traces {
    bundles: Arc<[Arc<Bundle>]>,
    /// How they are decoded; `None` if they are not, and the tables are empty.
    settings: Option<Settings>,
    /// Whether SQL may only read the bundles, and so must not let libraries run.
    is_read_only: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// The level of detail that planned scans need.
    wanted: Detail,
    /// What was decoded last, and in which detail.
    decoded: Option<(Detail, Arc<Tables>)>,
}

impl Traces {
    pub fn new(
        bundles: Arc<[Arc<Bundle>]>,
        settings: Option<Settings>,
        is_read_only: bool,
    ) -> Self {
        Self { bundles, settings, is_read_only, state: Mutex::default() }
    }

    /// Notes that a scan needs this level of detail. All scans of a query are planned before the first one runs, so that
    /// traces are decoded once for all of them.
    fn want(&self, detail: Detail) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.wanted = state.wanted.max(detail);
    }

    /// Returns the tables, for which it may decode the traces. If that fails, the next query tries again.
    fn tables(&self) -> std::result::Result<Arc<Tables>, AttError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let wanted = std::mem::take(&mut state.wanted);
        if let Some((detail, decoded)) = &state.decoded
            && *detail >= wanted
        {
            return Ok(Arc::clone(decoded));
        }
        let decoded = match &self.settings {
            Some(settings) => decode(&self.bundles, settings, wanted)?,
            None => Tables::new(),
        };
        let decoded = Arc::new(decoded);
        state.decoded = Some((wanted, Arc::clone(&decoded)));
        Ok(decoded)
    }

    /// Returns why traces could not be decoded since the last call.
    pub fn problems(&self) -> Vec<String> {
        self.settings.as_ref().map(|settings| settings.take_outcome().problems).unwrap_or_default()
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
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        if self.traces.is_read_only {
            return plan_err!(
                "instruction traces are not decoded with option `read_only_sql`, as libraries of the system would run"
            );
        }
        self.traces.want(Detail::of(self.table.name));
        let schema = Arc::clone(&self.schema);
        let rows = DecodedRows { table: self.table, schema, traces: Arc::clone(&self.traces) };
        let schema = Arc::clone(&self.schema);
        let scan = StreamingTableExec::try_new(
            schema,
            vec![Arc::new(rows)],
            projection,
            [],
            false,
            limit,
        )?;
        Ok(Arc::new(scan))
    }
}

/// The rows of a table.
#[derive(Debug)]
struct DecodedRows {
    table: &'static schemas::Table,
    schema: SchemaRef,
    traces: Arc<Traces>,
}

impl PartitionStream for DecodedRows {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (table, traces) = (self.table.name, Arc::clone(&self.traces));
        let batches = stream::once(async move {
            let tables = traces.tables().map_err(external)?;
            let rows = tables.get(table).cloned().unwrap_or_default();
            Ok::<_, DataFusionError>(stream::iter(rows).map(Ok))
        });
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), batches.try_flatten()))
    }
}

//! A table of a history: the Parquet files of all its pieces.
//!
//! A scan reads only the projected columns. The pieces are those that were there when the query was planned; nothing that
//! is read is compacted meanwhile.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::stream;
use read::history::{self, History, HistoryError};

use crate::functions::external;

/// A declared table over the files of a history.
#[derive(Debug)]
pub struct KeptTable {
    schema: SchemaRef,
    paths: Vec<PathBuf>,
    /// Keeps the pieces from being compacted.
    history: Arc<History>,
}

impl KeptTable {
    /// Opens a table; `None` if no piece has any of its rows.
    pub fn open(
        history: &Arc<History>,
        table: &schemas::Table,
    ) -> Result<Option<Self>, HistoryError> {
        let paths = history::stored(history, table.name)?;
        let schema = schemas::arrow::schema(table);
        let history = Arc::clone(history);
        Ok((!paths.is_empty()).then_some(Self { schema, paths, history }))
    }
}

#[async_trait]
impl TableProvider for KeptTable {
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
        _: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let schema = match projection {
            Some(columns) => Arc::new(self.schema.project(columns)?),
            None => Arc::clone(&self.schema),
        };
        let threads = session.config().target_partitions().clamp(1, self.paths.len().max(1));
        let share = self.paths.len().div_ceil(threads).max(1);
        let part = |paths: &[PathBuf]| -> Arc<dyn PartitionStream> {
            let (schema, history) = (Arc::clone(&schema), Arc::clone(&self.history));
            Arc::new(FilePartition { paths: paths.to_vec(), schema, history })
        };
        let parts = self.paths.chunks(share).map(part).collect();
        Ok(Arc::new(StreamingTableExec::try_new(schema, parts, None, [], false, limit)?))
    }
}

/// The files of one partition of a scan.
#[derive(Debug)]
struct FilePartition {
    paths: Vec<PathBuf>,
    schema: SchemaRef,
    history: Arc<History>,
}

impl PartitionStream for FilePartition {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (schema, history) = (Arc::clone(&self.schema), Arc::clone(&self.history));
        let batches = self.paths.clone().into_iter().flat_map(move |path| {
            // The history, with its lock or copies, lives as long as its files are read.
            let history = Arc::clone(&history);
            let batches = history::read(&path, &schema, None);
            let batches = batches.unwrap_or_else(|error| Box::new(std::iter::once(Err(error))));
            batches.map(move |batch| batch.map_err(|error| history.named(error)))
        });
        let batches = batches.map(|batch| batch.map_err(external));
        Box::pin(RecordBatchStreamAdapter::new(Arc::clone(&self.schema), stream::iter(batches)))
    }
}

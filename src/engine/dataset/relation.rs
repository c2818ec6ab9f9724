//! A relation of a dataset: its Parquet files, with the label of the bundle as the first column.
//!
//! A scan reads only the projected columns, and no row groups and pages whose statistics rule out the filter.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::DFSchema;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::utils::conjunction;
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_optimizer::pruning::PruningPredicateBuilder;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use futures::{StreamExt, stream};

use super::error::DatasetError;
use super::files::{DataFile, RowGroup};
use super::pages::PageFilter;
use super::pruning::Groups;

/// Row groups that a partition opens at once, so that those in an object store come while others are decoded.
const AHEAD: usize = 2;

/// A relation over the files of several bundles.
#[derive(Debug)]
pub struct Relation {
    files: Vec<Arc<DataFile>>,
    schema: SchemaRef,
}

impl Relation {
    /// Joins files. All must have the same columns.
    pub fn of(
        opened: impl Iterator<Item = std::result::Result<DataFile, DatasetError>>,
    ) -> std::result::Result<Self, DatasetError> {
        let mut files = Vec::with_capacity(opened.size_hint().0);
        let mut schema: Option<SchemaRef> = None;
        for file in opened {
            let file = file?;
            let found = undocumented(&file.schema());
            match &schema {
                Some(known) if *known != found => return Err(file.unlike()),
                _ => schema = Some(found),
            }
            files.push(Arc::new(file));
        }
        Ok(Self { files, schema: schema.unwrap_or_else(|| Arc::new(Schema::empty())) })
    }
}

/// Returns the columns without their documentation, which results get at the end.
fn undocumented(schema: &Schema) -> SchemaRef {
    let fields = schema
        .fields()
        .iter()
        .map(|field| Field::new(field.name(), field.data_type().clone(), field.is_nullable()));
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

#[async_trait]
impl TableProvider for Relation {
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
        let schema: SchemaRef = Arc::new(self.schema.project(columns)?);
        let mut groups: Vec<RowGroup> = self
            .files
            .iter()
            .flat_map(|file| {
                let count = file.metadata.metadata().num_row_groups();
                (0..count).map(move |group| (Arc::clone(file), group))
            })
            .collect();
        if let Some(filter) = conjunction(filters.iter().cloned()) {
            let known = DFSchema::try_from(Arc::clone(&self.schema))?;
            let filter = session.create_physical_expr(filter, &known)?;
            let predicate = PruningPredicateBuilder::new()
                .with_file_schema(Arc::clone(&self.schema))
                .try_build(filter)?;
            // Keeps the row groups that may have matching rows. The filter is applied to the rows again (`Inexact`
            // below).
            let kept = predicate.prune(&Groups { schema: &self.schema, groups: &groups })?;
            let mut kept = kept.into_iter();
            groups.retain(|_| kept.next().unwrap_or(true));
        }
        let filters: Arc<[PageFilter]> = PageFilter::of(filters, &self.schema, session)?.into();
        let threads = session.config().target_partitions().clamp(1, groups.len().max(1));
        let share = groups.len().div_ceil(threads).max(1);
        let mut partitions: Vec<Arc<dyn PartitionStream>> = Vec::new();
        let mut rest = groups.as_slice();
        loop {
            let (own, others) = rest.split_at(share.min(rest.len()));
            partitions.push(Arc::new(RowGroupPartition {
                groups: own.to_vec(),
                columns: columns.clone(),
                schema: Arc::clone(&schema),
                filters: Arc::clone(&filters),
            }));
            rest = others;
            if rest.is_empty() {
                break;
            }
        }
        Ok(Arc::new(StreamingTableExec::try_new(schema, partitions, None, [], false, limit)?))
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Inexact; filters.len()])
    }
}

/// The row groups of one partition of a scan.
#[derive(Debug)]
struct RowGroupPartition {
    groups: Vec<RowGroup>,
    columns: Vec<usize>,
    schema: SchemaRef,
    filters: Arc<[PageFilter]>,
}

impl PartitionStream for RowGroupPartition {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (columns, schema) = (self.columns.clone(), Arc::clone(&self.schema));
        let filters = Arc::clone(&self.filters);
        let read = move |(file, group): RowGroup| {
            let (columns, schema) = (columns.clone(), Arc::clone(&schema));
            let filters = Arc::clone(&filters);
            async move {
                file.read_group(group, &columns, &schema, &filters).await.unwrap_or_else(|error| {
                    let error = DataFusionError::External(Box::new(error));
                    Box::new(std::iter::once(Err(error)))
                })
            }
        };
        let groups = stream::iter(self.groups.clone());
        let batches = groups.map(read).buffered(AHEAD).flat_map(stream::iter);
        let schema = Arc::clone(&self.schema);
        Box::pin(RecordBatchStreamAdapter::new(schema, batches))
    }
}

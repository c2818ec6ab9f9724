//! The scan of a relation: each partition reads its row groups, some columns and the pages that filters leave.

use std::fmt;
use std::sync::Arc;

use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr};
use datafusion::physical_plan::coop::cooperative;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::limit::LimitStream;
use datafusion::physical_plan::metrics::{BaselineMetrics, ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::{StreamExt, stream};

use super::files::{DataFile, RowGroup};
use super::pages::PageFilter;
use super::relation::{Place, Relation};

/// Row groups that a partition opens at once, so that those in an object store come while others are decoded.
const AHEAD: usize = 2;
/// Most row groups in an object store that a partition opens at once, where each answer takes tens of milliseconds.
const FAR_AHEAD: usize = 16;
/// Bytes of an object store that a partition opens at once, if they are of more than [`AHEAD`] row groups.
const BYTES_AHEAD: u64 = 16 << 20;

/// The scan of a relation.
#[derive(Debug, Clone)]
pub struct DatasetScan {
    pub relation: Relation,
    /// The row groups of each partition.
    pub partitions: Vec<Vec<Place>>,
    /// The columns that are read, as indices of those of the relation.
    pub columns: Vec<usize>,
    /// Conditions on the columns of the relation, by which pages are left out. Rows that do not match may remain.
    pub filters: Vec<Arc<dyn PhysicalExpr>>,
    pub limit: Option<usize>,
    of_pages: Arc<[PageFilter]>,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
}

impl DatasetScan {
    /// Creates a scan.
    pub fn new(
        relation: Relation,
        partitions: Vec<Vec<Place>>,
        columns: Vec<usize>,
        filters: Vec<Arc<dyn PhysicalExpr>>,
        limit: Option<usize>,
    ) -> Result<Self> {
        let schema: SchemaRef = Arc::new(relation.columns().project(&columns)?);
        let of_pages = PageFilter::of(&filters, relation.columns())?.into();
        let properties = properties(schema, partitions.len());
        let metrics = ExecutionPlanMetricsSet::new();
        Ok(Self { relation, partitions, columns, filters, limit, of_pages, properties, metrics })
    }

    /// Returns the same scan of other row groups.
    #[must_use]
    pub fn with_partitions(self, partitions: Vec<Vec<Place>>) -> Self {
        let properties = properties(self.schema(), partitions.len());
        Self { partitions, properties, ..self }
    }
}

/// Returns how many row groups a partition opens at once.
fn ahead(groups: &[RowGroup], columns: &[usize]) -> usize {
    let sizes = groups.iter().filter_map(|(file, group)| file.remote_bytes(*group, columns));
    sizes.max().map_or(AHEAD, |largest| {
        let many = usize::try_from(BYTES_AHEAD / largest.max(1)).unwrap_or(FAR_AHEAD);
        many.clamp(AHEAD, FAR_AHEAD)
    })
}

fn properties(schema: SchemaRef, partitions: usize) -> Arc<PlanProperties> {
    let properties = PlanProperties::new(
        EquivalenceProperties::new(schema),
        Partitioning::UnknownPartitioning(partitions),
        EmissionType::Incremental,
        Boundedness::Bounded,
    );
    Arc::new(properties.with_scheduling_type(SchedulingType::Cooperative))
}

impl ExecutionPlan for DatasetScan {
    fn name(&self) -> &'static str {
        "DatasetScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }

    fn with_new_children(
        self: Arc<Self>,
        _children: Vec<Arc<dyn ExecutionPlan>>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(
        &self,
        partition: usize,
        _context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let schema = self.schema();
        let (columns, filters) = (self.columns.clone(), Arc::clone(&self.of_pages));
        let of_read = Arc::clone(&schema);
        let read = move |(file, group): (Arc<DataFile>, usize)| {
            let (columns, schema) = (columns.clone(), Arc::clone(&of_read));
            let filters = Arc::clone(&filters);
            async move {
                file.read_group(group, &columns, &schema, &filters)
                    .await
                    .unwrap_or_else(|error| Box::new(std::iter::once(Err(error.into()))))
            }
        };
        let places = self.partitions.get(partition).map(Vec::as_slice).unwrap_or_default();
        let groups: Result<Vec<_>> = places
            .iter()
            .map(|(file, group)| Ok((Arc::clone(self.relation.file(*file)?), *group)))
            .collect();
        let groups = groups?;
        let ahead = if self.limit.is_some() { AHEAD } else { ahead(&groups, &self.columns) };
        let batches = stream::iter(groups).map(read).buffered(ahead).flat_map(stream::iter);
        let baseline = BaselineMetrics::new(&self.metrics, partition);
        let counted = {
            let rows = baseline.output_rows().clone();
            batches.inspect(move |batch| {
                if let Ok(batch) = batch {
                    rows.add(batch.num_rows());
                }
            })
        };
        let rows: SendableRecordBatchStream =
            Box::pin(cooperative(RecordBatchStreamAdapter::new(schema, counted)));
        Ok(match self.limit {
            None => rows,
            Some(limit) => {
                let of_limit = ExecutionPlanMetricsSet::new();
                let metrics = BaselineMetrics::new(&of_limit, partition);
                Box::pin(LimitStream::new(rows, 0, Some(limit), metrics))
            }
        })
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        Some(Arc::new(Self { limit, ..self.clone() }))
    }

    fn fetch(&self) -> Option<usize> {
        self.limit
    }
}

impl DisplayAs for DatasetScan {
    fn fmt_as(&self, format: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let schema = self.schema();
        let columns: Vec<&str> =
            schema.fields().iter().map(|field| field.name().as_str()).collect();
        let columns = columns.join(", ");
        let relation = &self.relation.origin().relation;
        if matches!(format, DisplayFormatType::TreeRender) {
            return write!(out, "{relation}: {columns}");
        }
        let groups: usize = self.partitions.iter().map(Vec::len).sum();
        let partitions = self.partitions.len();
        write!(
            out,
            "DatasetScan: relation={relation}, columns=[{columns}], partitions={partitions}, row_groups={groups}"
        )?;
        self.limit.map_or(Ok(()), |limit| write!(out, ", limit={limit}"))
    }
}

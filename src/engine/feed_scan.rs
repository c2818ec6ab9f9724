//! The scan of a table. Each partition repeatedly claims rows from a shared feed and decodes the projected columns.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::SortOptions;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Statistics;
use datafusion::common::stats::Precision;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, PhysicalSortExpr};
use datafusion::physical_plan::coop::cooperative;
use datafusion::physical_plan::execution_plan::{Boundedness, EmissionType, SchedulingType};
use datafusion::physical_plan::metrics::{
    BaselineMetrics, Count, ExecutionPlanMetricsSet, MetricBuilder, MetricsSet,
};
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties,
};
use futures::{Stream, stream};
use read::bundle::Bundle;
use read::record::{BundleChunks, Feed, count_chunks};
use read::table::{Decoder, Lookups, record_batches};
use schemas::spec::{Column as Declared, Table};

use crate::functions::external;

/// The input of a scan.
#[derive(Debug, Clone)]
pub enum Work {
    /// The typed records of a family.
    Family {
        chunks: Arc<[BundleChunks]>,
        /// Number of chunks that filters excluded.
        skipped: usize,
        lookups: Arc<Lookups>,
        limit: Option<usize>,
        /// Whether each record becomes several rows.
        spreads: bool,
        threads: usize,
        rows: Precision<usize>,
    },
    /// The headers of file records.
    Records { bundles: Arc<[Arc<Bundle>]>, rows: Precision<usize> },
}

/// The scan of a table.
pub struct FeedScan {
    table: &'static Table,
    columns: Arc<[Declared]>,
    schema: SchemaRef,
    work: Work,
    properties: Arc<PlanProperties>,
    metrics: ExecutionPlanMetricsSet,
    runs: Mutex<Runs>,
}

/// The feeds of repeated executions. A plan may be executed more than once; the n-th executions of all partitions
/// share the n-th feed.
#[derive(Debug, Default)]
struct Runs {
    feeds: Vec<Arc<Feed>>,
    started: Vec<usize>,
}

impl FeedScan {
    /// Creates a scan of the columns with the indices `projection`.
    pub fn new(table: &'static Table, projection: &[usize], schema: SchemaRef, work: Work) -> Self {
        let threads = match &work {
            Work::Family { threads, .. } => *threads,
            Work::Records { .. } => 1,
        };
        let properties = PlanProperties::new(
            file_order(&schema, &work),
            Partitioning::UnknownPartitioning(threads.max(1)),
            EmissionType::Incremental,
            Boundedness::Bounded,
        )
        // The scan yields by itself. If the optimizer wrapped it instead, it would rebuild all plans above it.
        .with_scheduling_type(SchedulingType::Cooperative);
        let scan = Self {
            table,
            columns: table.project(projection).into(),
            schema,
            work,
            properties: Arc::new(properties),
            metrics: ExecutionPlanMetricsSet::new(),
            runs: Mutex::default(),
        };
        scan.count_chunks();
        scan
    }

    fn count_chunks(&self) {
        if let Work::Family { chunks, skipped, .. } = &self.work {
            let counter = |name| MetricBuilder::new(&self.metrics).global_counter(name);
            counter("chunks_read").add(count_chunks(chunks));
            counter("chunks_skipped").add(*skipped);
        }
    }

    fn feed(&self, partition: usize, batch_rows: usize) -> Result<Arc<Feed>> {
        let (Work::Family { chunks, limit, spreads, lookups, .. }, Some(family)) =
            (&self.work, self.table.reads())
        else {
            return datafusion::common::internal_err!("{} has no feed", self.table.name);
        };
        let mut runs = self.runs.lock().unwrap_or_else(PoisonError::into_inner);
        if runs.started.len() <= partition {
            runs.started.resize(partition + 1, 0);
        }
        let run = runs.started.get(partition).copied().unwrap_or(0);
        if let Some(started) = runs.started.get_mut(partition) {
            *started += 1;
        }
        while runs.feeds.len() <= run {
            let feed = Feed::new(*family, Arc::clone(chunks), *limit);
            let feed = if *spreads { feed.spreading(lookups.rows_each()) } else { feed };
            runs.feeds.push(Arc::new(feed.in_claims_of(batch_rows)));
        }
        runs.feeds
            .get(run)
            .cloned()
            .ok_or_else(|| DataFusionError::Internal("a run has a feed".into()))
    }

    fn family_stream(
        &self,
        partition: usize,
        batch_rows: usize,
    ) -> Result<impl Stream<Item = Result<RecordBatch>> + Send + 'static> {
        let Work::Family { lookups, chunks, .. } = &self.work else {
            return datafusion::common::internal_err!("{} has no family", self.table.name);
        };
        let task = Task {
            table: self.table,
            columns: Arc::clone(&self.columns),
            schema: Arc::clone(&self.schema),
            feed: self.feed(partition, batch_rows)?,
            bundles: chunks.iter().map(|chunks| Arc::clone(&chunks.bundle)).collect(),
            lookups: Arc::clone(lookups),
            baseline: BaselineMetrics::new(&self.metrics, partition),
            bytes: MetricBuilder::new(&self.metrics).counter("bytes_decoded", partition),
        };
        Ok(stream::iter(std::iter::from_fn(move || task.next().transpose())))
    }
}

/// The default order of SQL's `ORDER BY`.
const ASCENDING: SortOptions = SortOptions { descending: false, nulls_first: false };

/// Declares the order of each partition: claims move from the start of the file to its end, so each thread sees
/// ascending offsets within a bundle. `ORDER BY byte_offset` then takes a streaming merge instead of a sort.
fn file_order(schema: &SchemaRef, work: &Work) -> EquivalenceProperties {
    let (one_bundle, name) = match work {
        Work::Family { chunks, .. } => (chunks.len() <= 1, "byte_offset"),
        Work::Records { bundles, .. } => (bundles.len() <= 1, "record_index"),
    };
    let column = Column::new_with_schema(name, schema).ok().filter(|_| one_bundle);
    let order = column.map(|column| [PhysicalSortExpr::new(Arc::new(column), ASCENDING)]);
    EquivalenceProperties::new_with_orderings(Arc::clone(schema), order)
}

/// The state of one partition of a scan.
struct Task {
    table: &'static Table,
    columns: Arc<[Declared]>,
    schema: SchemaRef,
    feed: Arc<Feed>,
    /// Those whose chunks are read.
    bundles: Vec<Arc<Bundle>>,
    lookups: Arc<Lookups>,
    baseline: BaselineMetrics,
    bytes: Count,
}

impl Task {
    fn next(&self) -> Result<Option<RecordBatch>> {
        let _timer = self.baseline.elapsed_compute().timer();
        let batch = self.decode();
        self.bundles.iter().try_for_each(|bundle| bundle.whole()).map_err(external)?;
        batch
    }

    fn decode(&self) -> Result<Option<RecordBatch>> {
        let segments = self.feed.claim().map_err(external)?;
        if segments.is_empty() {
            return Ok(None);
        }
        let Some(mut decoder) = Decoder::new(self.table, &self.columns) else { return Ok(None) };
        for segment in segments {
            decoder.append(segment, &self.lookups);
        }
        let rows = decoder.rows();
        self.bytes.add(decoder.bytes());
        self.baseline.output_rows().add(rows);
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        let columns = decoder.finish()?;
        Ok(Some(RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?))
    }
}

impl ExecutionPlan for FeedScan {
    fn name(&self) -> &'static str {
        "BundleScan"
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
        context: Arc<TaskContext>,
    ) -> Result<SendableRecordBatchStream> {
        let schema = Arc::clone(&self.schema);
        if let Work::Records { bundles, .. } = &self.work {
            let batches: Vec<_> = bundles
                .iter()
                .map(|bundle| {
                    record_batches(
                        Arc::clone(&self.columns),
                        Arc::clone(&schema),
                        Arc::clone(bundle),
                    )
                })
                .collect();
            let batches =
                batches.into_iter().flatten().map(|batch| batch.map_err(DataFusionError::External));
            let batches = RecordBatchStreamAdapter::new(schema, stream::iter(batches));
            return Ok(Box::pin(cooperative(batches)));
        }
        let batch_rows = context.session_config().batch_size();
        let batches = self.family_stream(partition, batch_rows)?;
        let batches = RecordBatchStreamAdapter::new(schema, batches);
        Ok(Box::pin(cooperative(batches)))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(
        &self,
        _inputs: &[Arc<Statistics>],
        arguments: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let mut statistics = Statistics::new_unknown(&self.schema);
        if arguments.partition().is_none() {
            statistics.num_rows = match &self.work {
                Work::Family { rows, limit, .. } => match limit {
                    Some(limit) => rows.to_inexact().min(&Precision::Inexact(*limit)),
                    None => *rows,
                },
                Work::Records { rows, .. } => *rows,
            };
        }
        Ok(Arc::new(statistics))
    }
}

impl fmt::Debug for FeedScan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("FeedScan").field("table", &self.table.name).finish_non_exhaustive()
    }
}

impl DisplayAs for FeedScan {
    fn fmt_as(&self, format: DisplayFormatType, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let columns: Vec<_> =
            self.schema.fields().iter().map(|field| field.name().as_str()).collect();
        if matches!(format, DisplayFormatType::TreeRender) {
            return write!(formatter, "{}: {}", self.table.name, columns.join(", "));
        }
        write!(
            formatter,
            "BundleScan: table={}, columns=[{}]",
            self.table.name,
            columns.join(", ")
        )?;
        if let Work::Family { chunks, skipped, limit, .. } = &self.work {
            write!(formatter, ", chunks={}, skipped={skipped}", count_chunks(chunks))?;
            if let Some(limit) = limit {
                write!(formatter, ", limit={limit}")?;
            }
        }
        Ok(())
    }
}

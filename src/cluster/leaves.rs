//! Prepares the leaves of a plan for Ballista, which gives each task a part of them.
//!
//! Ballista 55 restricts a plan to the partitions of a task by rewriting the leaves that it knows: sources of files and of rows in memory, among
//! others. It leaves others as they are, so that each of the tasks returns all of their rows. So a scan of a dataset becomes a source of
//! files, whose groups are the partitions and whose files are the row groups, and a plan with an unknown leaf is refused.

use std::any::Any;
use std::sync::Arc;

use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{internal_err, plan_err};
use datafusion::datasource::listing::PartitionedFile;
use datafusion::datasource::memory::MemorySourceConfig;
use datafusion::datasource::physical_plan::{
    FileGroup, FileOpener, FileScanConfig, FileScanConfigBuilder, FileSource,
};
use datafusion::datasource::source::DataSourceExec;
use datafusion::datasource::table_schema::TableSchema;
use datafusion::error::Result;
use datafusion::execution::object_store::ObjectStoreUrl;
use datafusion::object_store::ObjectStore;
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_optimizer::PhysicalOptimizerRule;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::{DisplayFormatType, ExecutionPlan};
use engine::dataset::{DatasetScan, Place};

/// The rule, which runs last.
#[derive(Debug)]
pub struct Leaves;

impl PhysicalOptimizerRule for Leaves {
    fn optimize(
        &self,
        plan: Arc<dyn ExecutionPlan>,
        _config: &ConfigOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let prepared = plan.transform_up(|node| {
            if !node.children().is_empty() {
                return Ok(Transformed::no(node));
            }
            if let Some(scan) = node.downcast_ref::<DatasetScan>() {
                return Ok(Transformed::yes(DatasetSource::plan(scan)));
            }
            if is_known(&node) {
                return Ok(Transformed::no(node));
            }
            plan_err!(
                "{} cannot be distributed: each task would return all of its rows. Run the statement without option `cluster`",
                node.name()
            )
        });
        Ok(prepared?.data)
    }

    fn name(&self) -> &'static str {
        "leaves"
    }

    fn schema_check(&self) -> bool {
        true
    }
}

/// Whether Ballista restricts a leaf to the partitions of a task.
fn is_known(leaf: &Arc<dyn ExecutionPlan>) -> bool {
    if let Some(exec) = leaf.downcast_ref::<DataSourceExec>() {
        let source: &dyn Any = exec.data_source().as_ref();
        return source.is::<MemorySourceConfig>();
    }
    leaf.is::<PlaceholderRowExec>() || leaf.is::<EmptyExec>()
}

/// A scan of a dataset as a source of files, in the process that plans.
#[derive(Debug, Clone)]
pub struct DatasetSource {
    scan: DatasetScan,
    schema: TableSchema,
    metrics: ExecutionPlanMetricsSet,
}

impl DatasetSource {
    fn plan(scan: &DatasetScan) -> Arc<dyn ExecutionPlan> {
        let schema = TableSchema::from(scan.schema());
        let source = Self { scan: scan.clone(), schema, metrics: ExecutionPlanMetricsSet::new() };
        let groups = scan.partitions.iter().map(|places| {
            let files = places
                .iter()
                .map(|(file, group)| PartitionedFile::new(format!("{file}/{group}"), 0));
            FileGroup::new(files.collect())
        });
        let store = ObjectStoreUrl::local_filesystem();
        let config = FileScanConfigBuilder::new(store, Arc::new(source));
        let config = config.with_file_groups(groups.collect()).build();
        DataSourceExec::from_data_source(config)
    }

    /// Returns the scan of a plan with the partitions that are left; `None` if the plan is no such source.
    pub fn scan(plan: &Arc<dyn ExecutionPlan>) -> Option<Result<DatasetScan>> {
        let exec = plan.downcast_ref::<DataSourceExec>()?;
        let source: &dyn Any = exec.data_source().as_ref();
        let config = source.downcast_ref::<FileScanConfig>()?;
        let scan = &config.file_source().downcast_ref::<Self>()?.scan;
        let partitions = config.file_groups.iter().map(|group| {
            let places = group.iter().map(|file| {
                let place = file.object_meta.location.as_ref();
                let numbers = place
                    .split_once('/')
                    .and_then(|(file, group)| Some((file.parse().ok()?, group.parse().ok()?)));
                numbers.map_or_else(|| internal_err!("{place} is no place"), Ok)
            });
            places.collect::<Result<Vec<Place>>>()
        });
        let partitions = partitions.collect::<Result<Vec<_>>>();
        Some(partitions.map(|partitions| DatasetScan::clone(scan).with_partitions(partitions)))
    }
}

impl FileSource for DatasetSource {
    fn create_file_opener(
        &self,
        _store: Arc<dyn ObjectStore>,
        _config: &FileScanConfig,
        _partition: usize,
    ) -> Result<Arc<dyn FileOpener>> {
        internal_err!("workers run the scan itself")
    }

    fn table_schema(&self) -> &TableSchema {
        &self.schema
    }

    fn with_batch_size(&self, _rows: usize) -> Arc<dyn FileSource> {
        Arc::new(self.clone())
    }

    fn metrics(&self) -> &ExecutionPlanMetricsSet {
        &self.metrics
    }

    fn file_type(&self) -> &'static str {
        "dataset"
    }

    fn supports_repartitioning(&self) -> bool {
        false
    }

    fn fmt_extra(
        &self,
        _: DisplayFormatType,
        out: &mut std::fmt::Formatter<'_>,
    ) -> std::fmt::Result {
        write!(out, ", relation={}", self.scan.relation.origin().relation)
    }

    fn apply_expressions(
        &self,
        _each: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
    }
}

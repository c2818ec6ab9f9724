//! Relations as tables of other programs that use DataFusion, which join them with their own.
//!
//! A scan is planned and runs in this engine: with its functions, optimizer rules and limit of memory. To the other program, it
//! is one node without inputs, so that no rule of its own meets what only this engine knows.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::Result;
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::datasource::provider_as_source;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{
    Expr, LogicalPlanBuilder, TableProviderFilterPushDown, TableSource, TableType,
};
use datafusion::physical_expr::PhysicalExpr;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};
use datafusion::prelude::{Column, SessionContext};

use super::error::EngineError;
use super::session::Engine;

impl Engine {
    /// Returns a table or view for other sessions of DataFusion, which also push down projections, filters and limits.
    /// Scans need a runtime of tokio.
    pub async fn offered(&self, name: &str) -> Result<Arc<dyn TableProvider>, EngineError> {
        let context = self.user_session()?;
        let relation = context.table_provider(name).await?;
        Ok(Arc::new(Offered {
            schema: relation.schema(),
            name: name.to_owned(),
            source: provider_as_source(relation),
            context,
        }))
    }
}

struct Offered {
    name: String,
    schema: SchemaRef,
    source: Arc<dyn TableSource>,
    context: SessionContext,
}

impl fmt::Debug for Offered {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_struct("Offered").field("name", &self.name).finish_non_exhaustive()
    }
}

#[async_trait]
impl TableProvider for Offered {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        self.source.table_type()
    }

    /// A scan evaluates all filters, be they pushed down further or not.
    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(vec![TableProviderFilterPushDown::Exact; filters.len()])
    }

    async fn scan(
        &self,
        _session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut plan =
            LogicalPlanBuilder::scan(self.name.as_str(), Arc::clone(&self.source), None)?;
        for filter in filters {
            plan = plan.filter(unqualified(filter)?)?;
        }
        if let Some(projection) = projection {
            let named = |nth: &usize| {
                self.schema
                    .fields()
                    .get(*nth)
                    .map(|field| Expr::from(Column::from_name(field.name())))
            };
            plan = plan.project(projection.iter().filter_map(named))?;
        }
        let plan = plan.limit(0, limit)?.build()?;
        let state = self.context.state();
        let input = state.create_physical_plan(&state.optimize(&plan)?).await?;
        Ok(Arc::new(Scan { input, task: self.context.task_ctx() }))
    }
}

/// Removes the name that the other program has for the table.
fn unqualified(filter: &Expr) -> Result<Expr> {
    let bare = filter.clone().transform(|expression| {
        Ok(match expression {
            Expr::Column(column) => {
                Transformed::yes(Expr::Column(Column::new_unqualified(column.name)))
            }
            other => Transformed::no(other),
        })
    });
    Ok(bare?.data)
}

/// A plan that runs in the session of its engine.
#[derive(Debug)]
struct Scan {
    input: Arc<dyn ExecutionPlan>,
    task: Arc<TaskContext>,
}

impl DisplayAs for Scan {
    fn fmt_as(&self, _: DisplayFormatType, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}", self.name())
    }
}

impl ExecutionPlan for Scan {
    fn name(&self) -> &'static str {
        "IreescopeScan"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.input.properties()
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
        self.input.execute(partition, Arc::clone(&self.task))
    }
}

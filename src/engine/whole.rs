//! Whole tables and views, as an export takes them: every row, without the label of its bundle.
//!
//! Views are planned from their files, not below a query around them, which would be planned as well.

use std::sync::Arc;

use datafusion::common::{Column, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::error::DataFusionError;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder, Sort};

use super::error::EngineError;
use super::pruning::{Asked, Mentioned};
use super::{fixed, statement};

/// The column of labels.
const LABEL: &str = "bundle";

/// The column that says where in the file a row stands.
const PLACE: &str = "byte_offset";

/// The rows of a table or view.
#[derive(Debug)]
pub struct Whole {
    pub relation: &'static str,
    pub columns: Vec<String>,
    /// What orders the rows: their place in the file, where they have one. Those of views that have none are in some order,
    /// as whatever threads do, the same bundle is to become the same rows.
    pub order: Vec<String>,
}

impl Whole {
    /// All of a table.
    pub fn of_table(table: &'static schemas::Table) -> Self {
        let columns = table.columns().into_iter().map(|column| column.name);
        Self::new(table.name, columns, |_| Vec::new())
    }

    /// All of a view.
    pub fn of_view(view: &'static sql::View) -> Self {
        let columns = view.header().columns.iter().map(|column| column.name.clone());
        Self::new(view.name, columns, <[_]>::to_vec)
    }

    fn new(
        relation: &'static str,
        columns: impl Iterator<Item = String>,
        order: impl FnOnce(&[String]) -> Vec<String>,
    ) -> Self {
        let columns: Vec<String> = columns.filter(|column| column != LABEL).collect();
        let place = columns.iter().find(|column| *column == PLACE).cloned();
        let order = place.map_or_else(|| order(&columns), |place| vec![place]);
        Self { relation, columns, order }
    }

    /// The plan of the rows.
    pub async fn plan(
        &self,
        state: &SessionState,
        asked: &Arc<Asked>,
    ) -> Result<LogicalPlan, EngineError> {
        let rows = match sql::find(sql::Kind::View, self.relation) {
            Some(file) => self.plan_view(file, state, asked).await?,
            None => self.scan(state).await?,
        };
        let columns = rows.schema().columns();
        let find = |name: &String| {
            let column = columns.iter().find(|column| column.name == *name).cloned();
            Expr::Column(column.unwrap_or_else(|| Column::from_name(name)))
        };
        let order = self.order.iter().map(|name| find(name).sort(true, false));
        let expr: Vec<_> = order.collect();
        let mut plan = rows;
        if columns.len() > self.columns.len() {
            let kept = self.columns.iter().map(find);
            plan = LogicalPlanBuilder::from(plan).project(kept)?.build()?;
        }
        if !expr.is_empty() {
            plan = LogicalPlan::Sort(Sort { expr, input: Arc::new(plan), fetch: None });
        }
        Ok(plan)
    }

    async fn scan(&self, state: &SessionState) -> Result<LogicalPlan, EngineError> {
        let table = state.schema_for_ref(self.relation)?.table(self.relation).await?;
        let unknown = || EngineError::Query(format!("nothing is called {}", self.relation));
        let table = table.ok_or_else(unknown)?;
        let schema = table.schema();
        let columns = self.columns.iter().map(|name| schema.index_of(name));
        let columns = columns.collect::<Result<_, _>>().map_err(DataFusionError::from)?;
        let source = provider_as_source(table);
        Ok(LogicalPlanBuilder::scan(self.relation, source, Some(columns))?.build()?)
    }

    async fn plan_view(
        &self,
        file: &sql::File,
        state: &SessionState,
        asked: &Arc<Asked>,
    ) -> Result<LogicalPlan, EngineError> {
        let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        let (wanted, statement) = (Mentioned::only(&columns), statement::of_file(file)?);
        Ok(fixed::plan_wanted(state, statement, &wanted, asked).await?.0)
    }

    /// For each column, what documents it.
    pub fn relations(&self) -> Vec<Option<TableReference>> {
        vec![Some(TableReference::bare(self.relation)); self.columns.len()]
    }
}

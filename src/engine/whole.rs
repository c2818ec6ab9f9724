//! Whole tables and views, as an export takes them: every row, without the label of its bundle.
//!
//! Views are planned from their files, not below a query around them, which would be planned as well.

use std::sync::Arc;

use datafusion::common::{Column, TableReference};
use datafusion::datasource::provider_as_source;
use datafusion::execution::SessionState;
use datafusion::logical_expr::{Expr, LogicalPlan, LogicalPlanBuilder};

use super::error::EngineError;
use super::pruning::{Asked, Mentioned, prune};
use super::{selects, statement};

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
        let order: Vec<_> = order.collect();
        let mut plan = LogicalPlanBuilder::from(rows);
        if columns.len() > self.columns.len() {
            plan = plan.project(self.columns.iter().map(find))?;
        }
        if !order.is_empty() {
            plan = plan.sort(order)?;
        }
        Ok(plan.build()?)
    }

    async fn scan(&self, state: &SessionState) -> Result<LogicalPlan, EngineError> {
        let table = state.schema_for_ref(self.relation)?.table(self.relation).await?;
        let unknown = || EngineError::Query(format!("nothing is called {}", self.relation));
        let source = provider_as_source(table.ok_or_else(unknown)?);
        Ok(LogicalPlanBuilder::scan(self.relation, source, None)?.build()?)
    }

    async fn plan_view(
        &self,
        file: &sql::File,
        state: &SessionState,
        asked: &Arc<Asked>,
    ) -> Result<LogicalPlan, EngineError> {
        let mut statement = statement::of_file(file)?;
        let columns: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        prune(&mut statement, &Mentioned::only(&columns), state);
        let _asking = asked.ask(Mentioned::by(&statement.parsed));
        Ok(selects::plan(state, statement.parsed).await?)
    }

    /// For each column, what documents it.
    pub fn relations(&self) -> Vec<Option<TableReference>> {
        vec![Some(TableReference::bare(self.relation)); self.columns.len()]
    }
}

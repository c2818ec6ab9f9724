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
    pub order: Order,
}

/// What rows are ordered by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Their place in the file.
    Place,
    /// All of their columns: whatever threads do, the same bundle is to become the same rows.
    Columns,
    /// Nothing: they come as they are.
    None,
}

impl Whole {
    /// All of a table.
    pub fn of_table(table: &'static schemas::Table) -> Self {
        let columns = table.columns().into_iter().map(|column| column.name);
        Self::new(table.name, columns, Order::None)
    }

    /// All of a view.
    pub fn of_view(view: &'static sql::View) -> Self {
        let columns = view.header().columns.iter().map(|column| column.name.clone());
        Self::new(view.name, columns, Order::Columns)
    }

    /// Rows that are in `order`, if they have no place in the file.
    fn new(relation: &'static str, columns: impl Iterator<Item = String>, order: Order) -> Self {
        let columns: Vec<String> = columns.filter(|column| column != LABEL).collect();
        let has_place = columns.iter().any(|column| column == PLACE);
        let order = if has_place { Order::Place } else { order };
        Self { relation, columns, order }
    }

    /// The columns that the rows are ordered by.
    pub fn ordered_by(&self) -> Vec<&str> {
        match self.order {
            Order::Place => vec![PLACE],
            Order::Columns => self.columns.iter().map(String::as_str).collect(),
            Order::None => Vec::new(),
        }
    }

    /// The plan of the rows, in the order of their places, if they have any.
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
        let find = |name: &str| {
            let column = columns.iter().find(|column| column.name == name).cloned();
            Expr::Column(column.unwrap_or_else(|| Column::from_name(name)))
        };
        let mut plan = rows;
        if columns.len() > self.columns.len() {
            let kept = self.columns.iter().map(|name| find(name));
            plan = LogicalPlanBuilder::from(plan).project(kept)?.build()?;
        }
        if self.order == Order::Place {
            let expr = vec![find(PLACE).sort(true, false)];
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

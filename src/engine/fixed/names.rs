//! What the names in a fixed query stand for.

use std::collections::HashMap;
use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::catalog::TableFunctionArgs;
use datafusion::common::config::ConfigOptions;
use datafusion::common::{DFSchema, Result, TableReference, plan_datafusion_err};
use datafusion::datasource::provider_as_source;
use datafusion::execution::SessionState;
use datafusion::logical_expr::planner::{ContextProvider, ExprPlanner};
use datafusion::logical_expr::simplify::SimplifyContext;
use datafusion::logical_expr::{
    AggregateUDF, Expr, HigherOrderUDF, ScalarUDF, TableSource, WindowUDF,
};
use datafusion::optimizer::simplify_expressions::ExprSimplifier;
use datafusion::sql::parser::Statement;
use datafusion::sql::resolve::resolve_table_references;

/// The names of one statement.
pub struct Names<'a> {
    state: &'a SessionState,
    tables: HashMap<TableReference, Arc<dyn TableSource>>,
}

impl<'a> Names<'a> {
    /// Looks up the tables and views that a statement names; a view is planned for it.
    pub async fn of(state: &'a SessionState, statement: &Statement) -> Result<Self> {
        let (references, _) = resolve_table_references(statement, true)?;
        let mut tables = HashMap::with_capacity(references.len());
        for reference in references {
            let schema = state.schema_for_ref(reference.clone());
            if let Ok(schema) = schema
                && let Some(table) = schema.table(reference.table()).await?
            {
                tables.insert(reference, provider_as_source(table));
            }
        }
        Ok(Self { state, tables })
    }
}

impl ContextProvider for Names<'_> {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        let known = self.tables.get(&name).map(Arc::clone);
        known.ok_or_else(|| plan_datafusion_err!("nothing is called {name}"))
    }

    fn get_table_function_source(
        &self,
        name: &str,
        arguments: Vec<Expr>,
    ) -> Result<Arc<dyn TableSource>> {
        let function = self.state.table_functions().get(name);
        let function = function.ok_or_else(|| plan_datafusion_err!("no function is {name}"))?;
        let context = SimplifyContext::builder()
            .with_config_options(Arc::clone(self.state.config_options()))
            .build();
        let (simplifier, nothing) = (ExprSimplifier::new(context), DFSchema::empty());
        let arguments = arguments
            .into_iter()
            .map(|argument| simplifier.simplify(simplifier.coerce(argument, &nothing)?))
            .collect::<Result<Vec<_>>>()?;
        let arguments = TableFunctionArgs::new(&arguments, self.state);
        Ok(provider_as_source(function.create_table_provider_with_args(arguments)?))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        self.state.expr_planners()
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        self.state.scalar_functions().get(name).map(Arc::clone)
    }

    fn get_higher_order_meta(&self, name: &str) -> Option<Arc<HigherOrderUDF>> {
        self.state.higher_order_functions().get(name).map(Arc::clone)
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        self.state.aggregate_functions().get(name).map(Arc::clone)
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.state.window_functions().get(name).map(Arc::clone)
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        self.state.config_options()
    }

    fn udf_names(&self) -> Vec<String> {
        self.state.scalar_functions().keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        self.state.higher_order_functions().keys().cloned().collect()
    }

    fn udaf_names(&self) -> Vec<String> {
        self.state.aggregate_functions().keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        self.state.window_functions().keys().cloned().collect()
    }
}

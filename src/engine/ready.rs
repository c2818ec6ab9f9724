//! Statements that are planned once and run as often as wanted, with parameters.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{ParamValues, ScalarValue, TableReference};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::{SQLOptions, SessionContext};
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::expr::{Case, Cast, Placeholder};
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    BinaryExpr, Expr, ExprSchemable, LogicalPlan, Operator, TypeSignature,
};
use datafusion::physical_plan::memory::MemoryStream;

use super::documented::{document, documented, relations};
use super::error::EngineError;
use super::explained::{explained, schema as explained_schema};
use super::memory::Memory;
use super::typed::{SEARCH, comparable};

/// A statement of a user that is planned.
#[derive(Clone)]
pub struct Ready {
    context: SessionContext,
    plan: LogicalPlan,
    /// The columns of the plan as it runs, when somebody has asked for them.
    columns: OnceLock<SchemaRef>,
    /// The table or view of each column; `None` if those of the plan are not documented by the project's declarations.
    relations: Option<Arc<[Option<TableReference>]>>,
    /// Whether the plan is explained instead of run and, if so, whether it runs for that.
    explain: Option<bool>,
}

impl Ready {
    pub(super) fn new(context: SessionContext, plan: LogicalPlan, explain: Option<bool>) -> Self {
        let relations = Some(relations(&plan).into());
        Self { context, plan, columns: OnceLock::new(), relations, explain }
    }

    /// Returns a plan of another session. Fails if it does more than read.
    pub fn reading(context: SessionContext, plan: LogicalPlan) -> Result<Self, EngineError> {
        let columns = OnceLock::new();
        let ready = Self { context, plan, columns, relations: None, explain: None };
        ready.check_that_it_reads()?;
        Ok(ready)
    }

    /// Fails if the plan does more than read.
    pub(super) fn check_that_it_reads(&self) -> Result<(), EngineError> {
        let options = SQLOptions::new()
            .with_allow_ddl(false)
            .with_allow_dml(false)
            .with_allow_statements(false);
        options.verify_plan(&self.plan).map_err(|_| {
            EngineError::Query(
                "option `read_only_sql` allows no part that defines or changes something".into(),
            )
        })
    }

    /// Returns the columns of its rows.
    pub fn schema(&self) -> SchemaRef {
        if let Some(analyze) = self.explain {
            return explained_schema(analyze);
        }
        let columns = self.columns.get_or_init(|| columns(&self.context, &self.plan));
        match &self.relations {
            Some(relations) => document(relations, None, columns),
            None => Arc::clone(columns),
        }
    }

    /// Returns the parameters `$1`, `$2`, … with their types; `None` where the statement does not tell.
    pub fn parameters(&self) -> Result<Vec<Option<DataType>>, EngineError> {
        let mut known = Vec::new();
        let told = self.plan.get_parameter_types()?;
        // Most statements have none, or tell all.
        let has_others = told.values().any(Option::is_none);
        let placed = if has_others { placed(&self.plan)? } else { HashMap::new() };
        for (name, data_type) in told {
            let data_type = data_type.or_else(|| placed.get(&name).cloned());
            let nth = name.trim_start_matches('$').parse::<usize>().ok().filter(|nth| *nth > 0);
            let Some(nth) = nth else {
                return Err(EngineError::Query(format!(
                    "{name} is not a parameter; use $1, $2, …"
                )));
            };
            if known.len() < nth {
                known.resize(nth, None);
            }
            if let Some(slot) = known.get_mut(nth - 1) {
                *slot = data_type;
            }
        }
        Ok(known)
    }

    /// Returns the statement with values for its parameters.
    pub fn with(mut self, values: Vec<ScalarValue>) -> Result<Self, EngineError> {
        if !values.is_empty() {
            let plan = self.plan.replace_params_with_values(&ParamValues::from(values))?;
            // Only values tell the digits of numbers.
            self.plan = comparable(plan)?;
        }
        Ok(self)
    }

    /// Returns the statement with this memory for its operators, instead of that of the engine.
    #[must_use]
    pub fn within(mut self, memory: &Memory) -> Self {
        let state = SessionStateBuilder::new_from_existing(self.context.state());
        let state = state.with_runtime_env(memory.runtime()).build();
        self.context = SessionContext::new_with_state(state);
        self
    }

    /// Runs the statement.
    pub async fn run(self) -> Result<SendableRecordBatchStream, EngineError> {
        if let Some(analyze) = self.explain {
            let rows = explained(&self.context, &self.plan, analyze).await?;
            let schema = rows.schema();
            return Ok(Box::pin(MemoryStream::try_new(vec![rows], schema, None)?));
        }
        let frame = self.context.execute_logical_plan(self.plan).await?;
        let stream = frame.execute_stream().await?;
        Ok(match &self.relations {
            Some(relations) => documented(relations, None, stream),
            None => stream,
        })
    }
}

/// Returns the types of parameters by their places where DataFusion 55 infers none: lists in which a value is sought, as in `x =
/// ANY($1)`, operands of arithmetic, what is cast, arguments of functions that take one type there, and counts of rows.
fn placed(plan: &LogicalPlan) -> Result<HashMap<String, DataType>, EngineError> {
    let mut found = HashMap::new();
    plan.apply_with_subqueries(|node| {
        let schema = merge_schema(&node.inputs());
        if let LogicalPlan::Limit(limit) = node {
            for count in [&limit.skip, &limit.fetch].into_iter().flatten() {
                if let Some(id) = as_parameter(count) {
                    found.insert(id.to_owned(), DataType::Int64);
                }
            }
        }
        node.apply_expressions(|expression| {
            expression.apply(|part| {
                let known = |it: &Expr| match it {
                    Expr::Placeholder(Placeholder { field: None, .. }) => None,
                    other => other.get_type(&schema).ok().filter(|it| !it.is_null()),
                };
                for (id, data_type) in of_place(part, known) {
                    found.entry(id.to_owned()).or_insert(data_type);
                }
                Ok(TreeNodeRecursion::Continue)
            })
        })
    })?;
    Ok(found)
}

/// Returns the types of the parameters that are parts of an expression. `known` has those of other parts.
fn of_place(expression: &Expr, known: impl Fn(&Expr) -> Option<DataType>) -> Vec<(&str, DataType)> {
    match expression {
        Expr::ScalarFunction(call) if call.func.name() == SEARCH => {
            let [list, value] = call.args.as_slice() else { return Vec::new() };
            let found = as_parameter(list).zip(known(value));
            found.map(|(id, kind)| (id, DataType::new_list(kind, true))).into_iter().collect()
        }
        // The engine's own arithmetic of integers.
        Expr::ScalarFunction(call) if call.func.name().starts_with("checked_") => {
            let [left, right] = call.args.as_slice() else { return Vec::new() };
            let pairs = [(left, right), (right, left)];
            pairs
                .into_iter()
                .filter_map(|(it, other)| Some((as_parameter(it)?, known(other)?)))
                .collect()
        }
        Expr::ScalarFunction(call) => {
            let kinds: Vec<Option<DataType>> = call.args.iter().map(&known).collect();
            let Some(wanted) = arguments(&call.func.signature().type_signature, &kinds) else {
                return Vec::new();
            };
            let typed = call.args.iter().zip(wanted);
            typed.filter_map(|(it, kind)| Some((as_parameter(it)?, kind))).collect()
        }
        Expr::Case(Case { expr: None, when_then_expr, .. }) => {
            let conditions = when_then_expr.iter().filter_map(|(when, _)| as_parameter(when));
            conditions.map(|id| (id, DataType::Boolean)).collect()
        }
        Expr::Cast(Cast { expr, field }) => {
            let id = as_parameter(expr);
            id.map(|id| (id, field.data_type().clone())).into_iter().collect()
        }
        Expr::BinaryExpr(BinaryExpr {
            left,
            op:
                Operator::Plus
                | Operator::Minus
                | Operator::Multiply
                | Operator::Divide
                | Operator::Modulo,
            right,
        }) => {
            let pairs = [(left, right), (right, left)];
            pairs
                .into_iter()
                .filter_map(|(it, other)| Some((as_parameter(it)?, known(other)?)))
                .collect()
        }
        _ => Vec::new(),
    }
}

fn as_parameter(expression: &Expr) -> Option<&str> {
    match expression {
        Expr::Placeholder(Placeholder { id, field: None }) => Some(id),
        _ => None,
    }
}

/// Returns the types of the arguments of a function: the first that it takes with those that are known.
fn arguments(signature: &TypeSignature, known: &[Option<DataType>]) -> Option<Vec<DataType>> {
    let is_missing = known.iter().any(Option::is_none);
    let fits = |kinds: &Vec<DataType>| {
        kinds.len() == known.len()
            && kinds.iter().zip(known).all(|(kind, known)| {
                known.as_ref().is_none_or(|it| it == kind || is_text(it) && is_text(kind))
            })
    };
    is_missing.then(|| signature.get_example_types().into_iter().find(fits)).flatten()
}

const fn is_text(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View)
}

/// Returns the columns of a plan as it runs: where types differ, such as in the parts of a UNION, the analyzer finds one.
fn columns(context: &SessionContext, plan: &LogicalPlan) -> SchemaRef {
    let state = context.state();
    let analyzed =
        state.analyzer().execute_and_check(plan.clone(), state.config_options(), |_, _| {});
    // A parameter may have no type before it has a value. Other errors are told when the plan runs.
    Arc::clone(analyzed.as_ref().unwrap_or(plan).schema().inner())
}

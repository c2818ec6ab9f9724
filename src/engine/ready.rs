//! Statements that are planned once and run as often as wanted, with parameters.

use std::sync::{Arc, OnceLock};

use datafusion::arrow::datatypes::{DataType, SchemaRef};
use datafusion::common::{ParamValues, ScalarValue, TableReference};
use datafusion::execution::SendableRecordBatchStream;
use datafusion::execution::context::{SQLOptions, SessionContext};
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::memory::MemoryStream;

use super::documented::{document, documented, relations};
use super::error::EngineError;
use super::explained::{explained, schema as explained_schema};
use super::memory::Memory;

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
        for (name, data_type) in self.plan.get_parameter_types()? {
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
            self.plan = self.plan.replace_params_with_values(&ParamValues::from(values))?;
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

/// Returns the columns of a plan as it runs: where types differ, such as in the parts of a UNION, the analyzer finds one.
fn columns(context: &SessionContext, plan: &LogicalPlan) -> SchemaRef {
    let state = context.state();
    let analyzed =
        state.analyzer().execute_and_check(plan.clone(), state.config_options(), |_, _| {});
    // A parameter may have no type before it has a value. Other errors are told when the plan runs.
    Arc::clone(analyzed.as_ref().unwrap_or(plan).schema().inner())
}

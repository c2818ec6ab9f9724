//! Plans the statements of users, and answers what they ask of their tables before they can be planned.

use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use datafusion::execution::context::SessionContext;
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::LogicalPlan;
use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::sqlparser::ast::{Query, Statement as Ast};
use dialect::{Answer, Probe, expand, rewrite};

use super::error::EngineError;

/// Plans a statement, rewritten to what DataFusion answers right.
pub async fn planned(state: &SessionState, mut parsed: Parsed) -> Result<LogicalPlan, EngineError> {
    let is_scalar = |name: &str| {
        state.scalar_functions().contains_key(name)
            || state.higher_order_functions().contains_key(name)
    };
    rewrite(&mut parsed, &is_scalar).map_err(|fault| EngineError::Query(fault.into()))?;
    loop {
        match state.statement_to_plan(parsed.clone()).await {
            Ok(plan) => return Ok(plan),
            Err(error) => match missing_column(&error) {
                Some(name) => {
                    let expanded = expand(&mut parsed, &name);
                    if !expanded.map_err(|fault| EngineError::Query(fault.into()))? {
                        return Err(error.into());
                    }
                }
                None => return Err(error.into()),
            },
        }
    }
}

/// Returns the unqualified name that planning has found no column for.
fn missing_column(error: &DataFusionError) -> Option<String> {
    match error.find_root() {
        DataFusionError::SchemaError(error, _) => match error.as_ref() {
            SchemaError::FieldNotFound { field, .. } if field.relation.is_none() => {
                Some(field.name.clone())
            }
            _ => None,
        },
        _ => None,
    }
}

/// Answers a question of a statement.
pub async fn asked(context: &SessionContext, probe: Probe) -> Result<Answer, EngineError> {
    match probe {
        Probe::Columns(query) => {
            let plan = planned(&context.state(), statement(*query)).await?;
            let fields = plan.schema().fields().iter();
            Ok(Answer::Columns(
                fields.map(|field| (field.name().clone(), field.data_type().clone())).collect(),
            ))
        }
        Probe::Values(queries) => {
            let mut lists = Vec::new();
            for query in queries {
                lists.push(values(context, query).await?);
            }
            Ok(Answer::Values(lists))
        }
    }
}

/// Returns the first column of a query as text.
async fn values(context: &SessionContext, query: Query) -> Result<Vec<String>, EngineError> {
    let plan = planned(&context.state(), statement(query)).await?;
    let mut values = Vec::new();
    for batch in context.execute_logical_plan(plan).await?.collect().await? {
        let Some(column) = batch.columns().first() else { continue };
        let column = cast(column, &DataType::Utf8).map_err(DataFusionError::from)?;
        values.extend(column.as_string::<i32>().iter().flatten().map(str::to_owned));
    }
    Ok(values)
}

fn statement(query: Query) -> Parsed {
    Parsed::Statement(Box::new(Ast::Query(Box::new(query))))
}

//! The rows of one table or view over all bundles, in a format of [`exporters`].

use engine::{self, EngineError};
use exporters::{Format, Output, Target};
use futures::StreamExt;

use super::encode::encode;
use super::error::ExportError;
use crate::Workspace;

/// The rows to write, and their format.
#[derive(Debug, Clone)]
pub struct TableRequest {
    /// The name of the table or view.
    pub relation: String,
    /// Only rows that satisfy this SQL condition.
    pub condition: Option<String>,
    pub format: Format,
    pub target: Target,
}

/// Writes the rows of a table or view. Returns their number.
pub fn write_table(
    workspace: &Workspace,
    request: &TableRequest,
    output: Output,
) -> Result<usize, ExportError> {
    let TableRequest { relation, condition, format, target } = request;
    let condition = condition.as_ref().map(|text| format!(" WHERE {text}")).unwrap_or_default();
    let statements = engine::parse(&format!("SELECT * FROM {relation}{condition}"))?;
    let [statement] = statements.as_slice() else { return Err(ExportError::NotOneRelation) };
    workspace.runtime.block_on(async {
        let batches = workspace.engine.run(statement).await?;
        let encoder = format.encoder(&batches.schema(), output, *target)?;
        let batches = batches.map(|batch| batch.map_err(|error| EngineError::from(error).into()));
        encode(batches, encoder).await
    })
}

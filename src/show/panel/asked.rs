//! Queries of panels, and their answers.

use arrow::array::RecordBatch;
use report::{Row, rows};
use workspace::Workspace;

use super::parts::PanelError;

/// Rows of an answer.
pub struct Asked(Vec<RecordBatch>);

impl Asked {
    /// No rows.
    pub const fn none() -> Self {
        Self(Vec::new())
    }

    /// Returns the rows.
    pub fn rows(&self) -> Vec<Row<'_>> {
        rows(&self.0)
    }
}

/// Runs a query.
pub fn ask(workspace: &Workspace, query: &str) -> Result<Asked, PanelError> {
    Ok(Asked(workspace.sql(query)?.batches))
}

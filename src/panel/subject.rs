//! What panels are about: open captures, and what several panels ask of them.

use arrow::array::RecordBatch;

use super::parts::PanelError;
use crate::report::{Row, rows};
use crate::workspace::Workspace;

/// Open captures.
pub struct Subject<'a> {
    pub workspace: &'a Workspace,
    /// Only this function, for panels about one; all, without a pattern.
    pub function: Option<String>,
}

/// Rows of an answer.
pub struct Asked(Vec<RecordBatch>);

impl Asked {
    /// Returns the rows.
    pub fn rows(&self) -> Vec<Row<'_>> {
        rows(&self.0)
    }
}

impl<'a> Subject<'a> {
    /// All of the captures of a workspace.
    pub const fn of(workspace: &'a Workspace) -> Self {
        Self { workspace, function: None }
    }

    /// Runs a query.
    pub(super) fn ask(&self, query: &str) -> Result<Asked, PanelError> {
        Ok(Asked(self.workspace.sql(query)?.batches))
    }

    /// Whether there are several bundles.
    pub(super) fn has_many(&self) -> bool {
        self.workspace.engine.bundles().len() > 1
    }
}

/// Quotes a text for SQL.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

//! What panels are about: open captures, and what several panels ask of them.

use std::cell::OnceCell;

use arrow::array::RecordBatch;

use super::parts::PanelError;
use crate::report::{Row, rows};
use crate::workspace::{Finding, Workspace};

/// Open captures.
pub struct Subject<'a> {
    pub workspace: &'a Workspace,
    /// Only this function, for panels about one; all, without a pattern.
    pub function: Option<String>,
    findings: OnceCell<Vec<Finding>>,
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
    /// The captures of a workspace; of their functions, only those that match a pattern if there is one.
    pub const fn of(workspace: &'a Workspace, function: Option<String>) -> Self {
        Self { workspace, function, findings: OnceCell::new() }
    }

    /// Returns the findings of `doctor`, which several panels tell.
    pub(super) fn findings(&self) -> Result<&[Finding], PanelError> {
        if self.findings.get().is_none() {
            let _ = self.findings.set(self.workspace.findings()?);
        }
        Ok(self.findings.get().map(Vec::as_slice).unwrap_or_default())
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

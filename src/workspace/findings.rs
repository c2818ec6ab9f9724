//! The findings of `doctor` about the bundles of a workspace.

use super::answers::Workspace;
use super::error::OpenError;
use crate::bundle::Severity;
use crate::engine::Parameters;
use crate::report::{Row, rows};

/// A finding about a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The label of the bundle.
    pub bundle: String,
    pub severity: Severity,
    /// The identifier of the finding.
    pub name: String,
    /// Number of occurrences, where they are counted.
    pub count: Option<u64>,
    pub what: String,
    /// An SQL query that returns the evidence; empty if there is none.
    pub evidence: String,
    /// The recommended action; empty if there is none.
    pub advice: String,
}

impl Workspace {
    /// Checks whether the captures are complete. Returns the findings, the most severe of each bundle first. The workspace
    /// should be opened with [`Workspace::salvage`], as damage is a finding.
    pub fn findings(&self) -> Result<Vec<Finding>, OpenError> {
        let every = Parameters::default();
        let answer = self.runtime.block_on(self.engine.report("doctor", &every))?;
        Ok(rows(&answer.batches).into_iter().map(finding).collect())
    }
}

fn finding(row: Row<'_>) -> Finding {
    Finding {
        bundle: row.text("bundle"),
        severity: match row.text("severity").as_str() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => Severity::Info,
        },
        name: row.text("finding"),
        count: row.whole("count"),
        what: row.text("what"),
        evidence: row.text("evidence"),
        advice: row.text("advice"),
    }
}

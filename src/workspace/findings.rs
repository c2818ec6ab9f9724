//! The findings of `doctor` about the bundles of a workspace.

use engine::Parameters;
use read::bundle::Severity;
use serde::Deserialize;

use super::answers::{Workspace, structs};
use super::error::OpenError;

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
    /// An SQL query that returns the evidence; `None` if there is none.
    pub evidence: Option<String>,
    /// The recommended action; `None` if there is none.
    pub advice: Option<String>,
}

impl Workspace {
    /// Checks whether the captures are complete. Returns the findings, the most severe of each bundle first. The workspace
    /// should be opened with [`Workspace::salvage`], as damage is a finding.
    pub fn findings(&self) -> Result<Vec<Finding>, OpenError> {
        let every = Parameters::default();
        let answer = self.runtime.block_on(self.engine.report("doctor", &every))?;
        let rows: Vec<DoctorRow> = structs("doctor", &answer)?;
        Ok(rows.into_iter().map(Finding::of).collect())
    }
}

/// A row of the report `doctor`.
#[derive(Deserialize)]
struct DoctorRow {
    bundle: String,
    severity: String,
    finding: String,
    count: Option<u64>,
    what: String,
    evidence: Option<String>,
    advice: Option<String>,
}

impl Finding {
    fn of(row: DoctorRow) -> Self {
        let DoctorRow { bundle, severity, finding: name, count, what, evidence, advice } = row;
        let severity = match severity.as_str() {
            "error" => Severity::Error,
            "warning" => Severity::Warning,
            _ => Severity::Info,
        };
        Self { bundle, severity, name, count, what, evidence, advice }
    }
}

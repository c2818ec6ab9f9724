//! Defines the rules of `doctor`: their facts and their findings.

use read::bundle::{Bundle, Severity};

use crate::fold::contradictions::CrossChecks;
use crate::fold::{Absence, ByTable, Clocks, Group, Missing, Reach, Residuals};
use crate::rules::answers::Judged;
use crate::rules::modes::Recorded;

/// A rule: one kind of finding.
pub struct Rule {
    /// A short name, to filter by.
    pub name: &'static str,
    /// Returns the cases in a capture to which the rule applies.
    pub find: fn(&Facts<'_>) -> Vec<Case>,
    /// The message. It may have the placeholders `{count}`, `{total}`, `{table}`, `{session}`, `{device}`,
    /// `{detail}`, and `{first}`, which says that the detail is the first of several.
    pub what: &'static str,
    /// The query for the rows that show it, without `SELECT * FROM`; may be empty. Its additional placeholders are
    /// `{finding}`, `{family}` and `{untimed}`.
    pub evidence: &'static str,
    /// What to do; may be empty.
    pub advice: &'static str,
}

/// The facts about a capture.
pub struct Facts<'a> {
    pub bundle: &'a Bundle,
    /// Record counts by the ids that the records refer to.
    pub groups: &'a [Group],
    /// Chunk counts by table.
    pub chunks: &'a ByTable,
    /// References to objects that no record defines.
    pub missing: &'a [Missing],
    pub clocks: &'a Clocks,
    /// How far clock correlations are off the fits of clocks.
    pub residuals: &'a Residuals,
    /// Why there are no dispatches; `None` if there are some.
    pub absence: Option<Absence>,
    pub modes: &'a [Recorded],
    pub answers: &'a [Judged<'a>],
    /// What holding the families against each other shows.
    pub held: &'a CrossChecks,
    /// How far families reach whose records were dropped.
    pub reaches: &'a [Reach],
}

/// A case to which a rule applies.
#[derive(Debug)]
pub struct Case {
    pub severity: Severity,
    /// The kind of a problem; it replaces the name of the rule in the output.
    pub kind: Option<&'static str>,
    pub count: u64,
    pub total: Option<u64>,
    pub table: Option<&'static str>,
    pub session: Option<u64>,
    pub device: Option<u64>,
    pub detail: String,
    /// Whether nothing needs to be done, so that no advice is printed.
    pub is_harmless: bool,
}

impl Case {
    /// Creates a case with a count of 1.
    pub fn new(severity: Severity) -> Self {
        Self {
            severity,
            kind: None,
            count: 1,
            total: None,
            table: None,
            session: None,
            device: None,
            detail: String::new(),
            is_harmless: false,
        }
    }

    /// Creates a case with a detail text.
    pub fn told(severity: Severity, detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), ..Self::new(severity) }
    }

    /// Creates a case of what the user asked for: information that needs nothing to be done.
    pub fn meant(detail: impl Into<String>) -> Self {
        Self { is_harmless: true, ..Self::told(Severity::Info, detail) }
    }

    /// Returns the text for a placeholder.
    pub fn at(&self, place: &str) -> String {
        let number = |number: Option<u64>| number.map_or("none".to_owned(), |it| it.to_string());
        match place {
            "count" => self.count.to_string(),
            "total" => number(self.total),
            "session" => number(self.session),
            "device" => number(self.device),
            "table" => self.table.unwrap_or("records of unknown kind").to_owned(),
            "family" => match self.table {
                Some(table) => format!("family = '{table}'"),
                None => "family IS NULL".to_owned(),
            },
            "untimed" => match self.table {
                Some("dispatch_events" | "queue_device_events") => {
                    "start_tick = 0 OR end_tick < start_tick".to_owned()
                }
                _ => "start_host_time_ns < 0 OR end_host_time_ns < start_host_time_ns".to_owned(),
            },
            "first" if self.count > 1 => format!("; the first of {}", self.count),
            "first" => String::new(),
            _ => self.detail.clone(),
        }
    }
}

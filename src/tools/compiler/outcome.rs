//! What became of a spec that was tried, in words and rows.

use base::words::counted;
use model::tuning::spec::{Difference, Entry, Nearest, Spec};

use super::executables::{Changed, Refused};
use super::trial::Judged;

/// What became of a matcher at a dispatch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VerdictRow {
    pub matcher: String,
    /// `applied`, `refused`, `lost` or `never`.
    pub result: &'static str,
    /// The dispatch, or the one that is most like what the matcher matches; empty if there is none.
    pub dispatch: String,
    /// The values that were set, or why they were not.
    pub detail: String,
}

impl Judged {
    /// Says how many matchers were applied, and whether what they change compiles.
    pub fn summary(&self) -> String {
        let all = counted(self.verdicts.len() as u64, "matcher");
        let all_of = |count| if count == 1 { "" } else { "All of " };
        let applied = match self.failed() {
            0 => format!("{}{all} applied.", all_of(self.verdicts.len())),
            failed => format!("{failed} of {all} not applied."),
        };
        let Changed { dispatches, refused } = &self.changed;
        let changed = counted(dispatches.len() as u64, "changed dispatch");
        match refused.iter().map(|it| it.dispatches.len()).sum::<usize>() {
            _ if dispatches.is_empty() => applied,
            0 => {
                format!("{applied} {}{changed} compiled to the end.", all_of(dispatches.len()))
            }
            refused => format!("{applied} {refused} of {changed} refused by the compiler."),
        }
    }

    /// Returns the compiler's words on the dispatches that it refuses; `None` if it refuses none.
    pub fn refusal(&self) -> Option<String> {
        let said = |it: &Refused| {
            let also = if it.is_own { ", also without the spec" } else { "" };
            format!("the compiler refuses {}{also}:\n{}", it.dispatches.join(", "), it.words)
        };
        let all: Vec<String> = self.changed.refused.iter().map(said).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    /// Returns one row per matcher and dispatch to which it was applied, or one that says why it was not.
    pub fn rows(&self, spec: &Spec) -> Vec<VerdictRow> {
        let row = |entry: &Entry, result, dispatch: &str, detail| VerdictRow {
            matcher: entry.matcher.clone(),
            result,
            dispatch: dispatch.to_owned(),
            detail,
        };
        let mut rows = Vec::new();
        for (entry, verdict) in spec.entries.iter().zip(&self.verdicts) {
            for dispatch in &verdict.applied {
                let result = if self.is_refused(dispatch) { "refused" } else { "applied" };
                rows.push(row(entry, result, dispatch, values(entry)));
            }
            for dispatch in &verdict.lost {
                let why =
                    "the compiler matched it, and dropped the lowering_config in a later pass";
                rows.push(row(entry, "lost", dispatch, why.to_owned()));
            }
            if verdict.applied.is_empty() && verdict.lost.is_empty() {
                let nearest = verdict.nearest.as_ref();
                let dispatch = nearest.map(|it| it.dispatch.as_str()).unwrap_or_default();
                rows.push(row(entry, "never", dispatch, reason(entry, nearest)));
            }
        }
        rows
    }
}

fn values(entry: &Entry) -> String {
    let all = entry.configuration.values().into_iter();
    all.map(|(knob, value)| format!("{knob} = {value}")).collect::<Vec<_>>().join(", ")
}

/// Says why a matcher was not applied.
fn reason(entry: &Entry, nearest: Option<&Nearest>) -> String {
    let conditions = entry.pattern.conditions();
    if !conditions.is_empty() {
        return format!("no dispatch has its values; it asks for: {}", conditions.join("; "));
    }
    let Some(nearest) = nearest else {
        return "the model has no dispatch with a root operation".to_owned();
    };
    if let Some(matcher) = &nearest.taken_by {
        return format!("the earlier matcher @{matcher} was applied to it");
    }
    if nearest.differences.is_empty() {
        return "nothing in the dump differs; the operation may have another form when specs are read".to_owned();
    }
    let told = |it: &Difference| format!("{}: wanted {}, found {}", it.what, it.wanted, it.found);
    nearest.differences.iter().map(told).collect::<Vec<_>>().join("; ")
}

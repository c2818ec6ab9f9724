//! Rules about families that end before others, because the producer dropped their records.

use base::words::count;
use read::bundle::Severity;

use super::rule::{Case, Rule};
use crate::fold::Reach;

pub const RULES: &[Rule] = &[Rule {
    name: "early_end",
    find: |facts| facts.reaches.iter().map(found).collect(),
    what: "{table} are complete up to {detail}",
    evidence: "records WHERE {family} AND (flag_truncated OR dropped_record_count > 0)",
    advice: "totals, rates, waits and balances over calls hold up to there: what was allocated before and freed after it is no leak. Capture again with a shorter --device_profiling_flush_interval_ms, as `fill` does",
}];

fn found(reach: &Reach) -> Case {
    let [calls, all] = reach.calls.map(count);
    let submission = count(reach.submission);
    let detail = format!("call {calls} of {all} (submission {submission})");
    Case {
        count: reach.calls[0],
        table: Some(reach.table),
        session: Some(reach.session_id),
        ..Case::told(Severity::Warning, detail)
    }
}

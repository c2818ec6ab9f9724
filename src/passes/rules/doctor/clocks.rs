//! Rules about clocks that do not run evenly, so that no line fits all clock correlations.

use base::words::duration;
use read::bundle::Severity;

use super::rule::{Case, Facts, Rule};
use crate::fold::{ABSENT, Clock};

pub const RULES: &[Rule] = &[Rule {
    name: "uneven_clock",
    find: uneven,
    what: "the clock of device {device} does not run evenly with the host's: {count} of {total} clock correlations of session {session} are off its fit, by up to {detail}, and so may be the places of its events on the host's clock",
    evidence: "clock_residuals WHERE session_id = {session} AND physical_device_ordinal = {device} AND NOT is_explained",
    advice: "durations stay: they are ticks of one clock, converted by its mean rate; idle_gaps, critical_path, explain and reports do not claim what depends on less. A suspend does this, or an adjustment of the host's clock: capture again without it",
}];

/// Returns a case for each device whose correlations are off by more than readings explain.
fn uneven(facts: &Facts<'_>) -> Vec<Case> {
    let devices = facts.residuals.uneven().filter(|([_, device], _)| *device != ABSENT);
    devices
        .map(|([session, device], residual)| {
            let clock = facts.clocks.get(&[session, device]);
            let fit = clock.and_then(Clock::preferred).map(|(_, fit)| fit);
            let span = duration(float(fit.map_or(0, |fit| fit.time_span_ns)));
            let most = duration(float(residual.most_ns));
            Case {
                count: residual.unexplained,
                total: clock.map(|clock| clock.sample_count),
                session: Some(session),
                device: Some(device),
                ..Case::told(Severity::Warning, format!("{most} in {span}"))
            }
        })
        .collect()
}

#[expect(clippy::cast_precision_loss, reason = "times are rounded when they are told")]
const fn float(ns: u64) -> f64 {
    ns as f64
}

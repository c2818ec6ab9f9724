//! What there is to find about the runs of a capture set: the bundle's own, and with the set's first bundle those that
//! recorded nothing.

use crate::bundle::set::{Flaw, Outcome, Run};
use crate::bundle::{Bundle, Severity, StandIn};
use crate::fold::health::findings::Finding;

/// All findings about the runs that the bundle names.
pub fn findings(bundle: &Bundle) -> Vec<Finding> {
    let stands_in = match (bundle.stand_in, &bundle.set) {
        (Some(StandIn::Lost), _) => {
            Some(Finding::about(Severity::Error, "lost_bundle", bundle.path.display().to_string()))
        }
        (Some(StandIn::Nothing), Some(set)) => {
            let why = set.why_nothing().map_or_else(String::new, |why| format!("; {why}"));
            Some(Finding::about(Severity::Error, "nothing_recorded", why))
        }
        _ => None,
    };
    let of_runs = bundle.runs.iter().flat_map(|it| match &it.run {
        run if run.bundle.is_some() => of_bundle(run),
        run => of_nothing(run).into_iter().collect(),
    });
    stands_in.into_iter().chain(of_runs).collect()
}

/// What is wrong with what a run recorded.
fn of_bundle(run: &Run) -> Vec<Finding> {
    let finding = |flaw: Flaw| match flaw {
        Flaw::Failed(why) => Finding::about(Severity::Error, "failed_run", why),
        Flaw::Cut(why) => Finding::about(Severity::Error, "cut_run", why),
        Flaw::Filtered(why) => Finding::about(Severity::Warning, "filtered_run", why),
    };
    run.flaws().into_iter().map(finding).collect()
}

/// What is to be known of a run that recorded nothing, which leaves bundles of others as they are.
fn of_nothing(run: &Run) -> Option<Finding> {
    let name = &run.name;
    let flaw = run.flaws().into_iter().find(|flaw| !matches!(flaw, Flaw::Filtered(_)));
    if let Some(flaw) = flaw {
        let detail = format!("{name}: {}, and nothing of it was recorded", flaw.why());
        return Some(Finding::about(Severity::Warning, "unrecorded_run", detail));
    }
    let refused = run.refused.last().filter(|_| run.outcome != Outcome::Passed)?;
    let detail = format!("{name} recorded nothing: {}: {}", refused.mode, refused.reason);
    Some(Finding::about(Severity::Info, "refused_run", detail))
}

//! Compiles candidates for a device that is elsewhere, and checks that each is applied. They are kept in the folder, and a
//! later run measures them where the device is.

use std::time::Instant;

use model::tuning::search::Search;

use super::builder::{BuildJob, Builder, candidate_spec, module_name, spec_of};
use super::error::TuneError;
use super::evaluator::{Outcome, Points, Stage};
use super::lab::row_of;
use super::rows::{CandidateRow, TrialRow};
use super::search::{Limits, ROUND, rounds};
use super::store::Store;
use super::targets::{Target, changed_targets, own_points};
use super::tried::Reason;

/// How many candidates were compiled, and what became of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CompileCount {
    pub compiled: u32,
    pub not_applied: u32,
    pub not_compiled: u32,
    /// Why most of the last were not.
    pub reason: Option<Reason>,
}

impl CompileCount {
    /// Returns the number of all candidates.
    pub const fn all(&self) -> u32 {
        self.compiled + self.not_applied + self.not_compiled
    }

    const fn add(&mut self, outcome: Outcome) {
        match outcome {
            Outcome::Compiled => self.compiled += 1,
            Outcome::NotApplied => self.not_applied += 1,
            _ => self.not_compiled += 1,
        }
    }
}

/// Compiles candidates until a limit. Those that the store has are not compiled again.
pub fn run(
    builder: &Builder<'_>,
    targets: &[Target],
    store: &mut Store,
    limits: &Limits,
    listener: &mut dyn FnMut(&CompileCount),
) -> Result<CompileCount, TuneError> {
    let mut searches: Vec<Search<'_>> =
        targets.iter().map(|target| Search::new(&target.space, limits.seed)).collect();
    let own = own_points(targets);
    let begun = Instant::now();
    let (mut count, mut refusals) = (CompileCount::default(), Vec::new());
    for round in 1.. {
        if begun.elapsed() >= limits.budget || count.all() >= limits.candidates {
            break;
        }
        let asked: Vec<Vec<usize>> = searches.iter_mut().map(|search| search.ask(ROUND)).collect();
        let mut candidates = rounds(&asked, &own);
        candidates.truncate(usize::try_from(limits.candidates - count.all()).unwrap_or_default());
        if candidates.is_empty() {
            break;
        }
        let rows = compiled(builder, targets, store, &candidates)?;
        for (points, row) in candidates.iter().zip(rows) {
            let known = store.take(Stage::Search, round, &[row.candidate]);
            if let Some(first) = known.first().and_then(|it| it.first()) {
                count.add(first.outcome);
                refusals.extend(row.reason);
                continue;
            }
            let trial = TrialRow::new(Stage::Search, round, row.candidate);
            let outcome = judged(builder, targets, points, &row)?;
            count.add(outcome);
            let of_target = |(target, point): (&Target, usize)| TrialRow {
                outcome,
                reason: row.reason.clone(),
                ..trial.of(target, point)
            };
            store.add_trial(changed_targets(targets, points).map(of_target).collect())?;
            refusals.extend(row.reason);
        }
        count.reason = Reason::most_common(refusals.iter().map(String::as_str));
        listener(&count);
    }
    Ok(count)
}

/// Compiles candidates, and returns their rows.
fn compiled(
    builder: &Builder<'_>,
    targets: &[Target],
    store: &mut Store,
    candidates: &[Points],
) -> Result<Vec<CandidateRow>, TuneError> {
    let specs: Vec<(String, String)> =
        candidates.iter().filter_map(|points| candidate_spec(targets, points)).collect();
    let unknown = specs.iter().filter(|(digest, _)| store.candidate(Some(digest)).is_none());
    let (digests, jobs): (Vec<&String>, Vec<BuildJob>) = unknown
        .map(|(digest, text)| {
            (digest, BuildJob { name: module_name(Some(digest)), spec: Some(text.clone()) })
        })
        .unzip();
    let mut rows = Vec::new();
    for (digest, built) in digests.into_iter().zip(builder.build(&jobs)?) {
        rows.push(row_of(Some(digest.clone()), built)?.0);
    }
    if !rows.is_empty() {
        store.add_candidates(rows)?;
    }
    let known = specs.iter().filter_map(|(digest, _)| store.candidate(Some(digest)).cloned());
    Ok(known.collect())
}

/// Returns whether a candidate was compiled with what it asks for.
fn judged(
    builder: &Builder<'_>,
    targets: &[Target],
    points: &Points,
    row: &CandidateRow,
) -> Result<Outcome, TuneError> {
    if !row.is_compiled {
        return Ok(Outcome::NotCompiled);
    }
    let are_applied = builder.applied(&spec_of(targets, points))?;
    let is_applied = are_applied.iter().all(|it| *it);
    Ok(if is_applied { Outcome::Compiled } else { Outcome::NotApplied })
}

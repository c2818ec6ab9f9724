//! The time that a run of `tune` takes over all its processes, and what its parts take.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::budget::Costs;
use super::rows::CandidateRow;

/// The time that the command takes. It only moves on when something was measured, or is known from an earlier process: so a
/// command that goes on decides again what it decided.
pub struct Clock {
    begun: Instant,
    /// What earlier processes took, as far as their measurements are known.
    before: Duration,
    spent: Duration,
    /// What the untuned module took before the search; `None` if it was not run.
    first: Option<Costs>,
    runs: Mean,
    compilations: Mean,
    verifications: Mean,
    /// The specs whose compilation is counted. They are compiled again when they are needed again.
    compiled: HashSet<Option<String>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Mean {
    count: u32,
    sum: Duration,
}

impl Mean {
    fn add(&mut self, took: Duration) {
        self.count += 1;
        self.sum += took;
    }

    fn get(self) -> Option<Duration> {
        self.sum.checked_div(self.count)
    }
}

impl Clock {
    /// Creates the clock of a command that began then, and has measured the first costs.
    pub fn new(begun: Instant, first: Option<Costs>) -> Self {
        Self {
            begun,
            before: Duration::ZERO,
            spent: begun.elapsed(),
            first,
            runs: Mean::default(),
            compilations: Mean::default(),
            verifications: Mean::default(),
            compiled: HashSet::new(),
        }
    }

    /// Moves on to now.
    pub(crate) fn move_on(&mut self) {
        self.spent = self.before + self.begun.elapsed();
    }

    /// Takes a measurement of an earlier process, which had spent so much then.
    pub fn recall(&mut self, spent_ns: f64) {
        self.spent = nanoseconds(spent_ns).max(self.spent);
        self.before = self.spent.saturating_sub(self.begun.elapsed()).max(self.before);
    }

    /// Takes what the compilation of a candidate took, once for each.
    pub fn compiled(&mut self, row: &CandidateRow) {
        if self.compiled.insert(row.spec_sha256.clone()) {
            self.compilations.add(nanoseconds(row.compile_ns));
        }
    }

    /// Takes what a run took.
    pub fn ran(&mut self, took: Duration) {
        self.runs.add(took);
    }

    /// Takes what it took to compare the results of a candidate.
    pub fn verified(&mut self, took: Duration) {
        self.verifications.add(took);
    }

    /// Returns the time that the command took so far.
    pub const fn spent(&self) -> Duration {
        self.spent
    }

    /// Returns what runs, compilations and verifications take. A verification calls each module a few times, which takes
    /// less than a run mostly.
    pub fn costs(&self) -> Costs {
        let first = self.first.unwrap_or_default();
        let run = self.runs.get().unwrap_or(first.run);
        Costs {
            run,
            compile: self.compilations.get().unwrap_or(first.compile),
            verify: self.verifications.get().unwrap_or(run),
        }
    }
}

/// Converts a time of the store.
pub fn nanoseconds(ns: f64) -> Duration {
    Duration::try_from_secs_f64(ns / 1e9).unwrap_or_default()
}

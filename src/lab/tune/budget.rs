//! What the time of the whole command goes to: the search has what verification, finals and proof leave of it.

use std::time::Duration;

/// The best points of each target that are measured again after the search, if there is time for all of them.
pub(crate) const FINALISTS: usize = 6;

/// Blocks of the finals between two cuts.
pub(crate) const FINAL_BLOCKS: u32 = 2;

/// The blocks of the proof at most, those that mostly decide, and the runs of each.
pub(crate) const PROOF_BLOCKS: u32 = 10;
pub(crate) const FEWEST_BLOCKS: u32 = 4;
pub const RUNS: u32 = 4;

/// What a run and a compilation take, and the comparison of a candidate's results: means so far.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Costs {
    pub run: Duration,
    pub compile: Duration,
    /// A guess before the first one.
    pub verify: Duration,
}

impl Costs {
    /// Returns what it takes to measure candidates in the search.
    pub fn search(self, candidates: u32) -> Duration {
        // The compiler's own choice runs twice beside them.
        (self.run + self.compile) * candidates + self.run * 2
    }

    /// Returns what it takes to verify the best points of a target, and to measure them again, at most.
    pub(crate) fn finals(self, finalists: usize) -> Duration {
        let count = u32::try_from(finalists).unwrap_or(u32::MAX);
        (self.compile + self.verify) * count + self.run * final_runs(finalists)
    }

    /// Returns what the proof takes with so many blocks of runs.
    pub fn proof(self, blocks: u32) -> Duration {
        self.compile + self.verify + self.run * RUNS * blocks
    }

    /// Returns the most points of a target that can be measured again, so that a proof follows in the time that is left.
    pub(crate) fn finalists(self, left: Duration) -> usize {
        let fits = |count: &usize| self.finals(*count) + self.proof(FEWEST_BLOCKS) <= left;
        (1..=FINALISTS).rev().find(fits).unwrap_or_default()
    }

    /// Returns the part of a budget that is kept for what follows the search: what that takes at most, but no more than half
    /// of it, unless the shortest proof takes more.
    pub fn reserve(self, budget: Duration) -> Duration {
        let most = self.finals(FINALISTS) + self.proof(PROOF_BLOCKS);
        most.min(self.shortest().max(budget / 2))
    }

    /// Returns the shortest time in which a point can be proven, once it is found.
    fn shortest(self) -> Duration {
        self.finals(1) + self.proof(FEWEST_BLOCKS)
    }

    /// Returns the time for which a budget is too short to try and to prove anything; `None` if it is long enough.
    pub fn lacks(self, left: Duration) -> Option<Duration> {
        let needed = self.search(1) + self.shortest();
        (needed > left).then_some(needed)
    }
}

/// Returns the number of runs that so many points of a target take in the finals, if none is out early.
fn final_runs(mut finalists: usize) -> u32 {
    let mut runs = 0;
    while finalists > 0 {
        runs += FINAL_BLOCKS * u32::try_from(finalists + 1).unwrap_or(u32::MAX);
        finalists = if finalists == 1 { 0 } else { finalists.div_ceil(2) };
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    const COSTS: Costs = Costs {
        run: Duration::from_secs(2),
        compile: Duration::from_secs(1),
        verify: Duration::from_secs(3),
    };

    #[test]
    fn halvings_are_counted() {
        // Two blocks of seven runs, then of four, three and two.
        assert_eq!(COSTS.finals(6), Duration::from_secs(6 * 4 + 2 * (14 + 8 + 6 + 4)));
        assert_eq!(COSTS.finals(1), Duration::from_secs(4 + 2 * 4));
    }

    #[test]
    fn a_short_budget_leaves_fewer_finalists_and_half_to_the_search() {
        let minutes = Duration::from_mins;
        assert_eq!(COSTS.finalists(minutes(5)), 6);
        assert_eq!(COSTS.finalists(COSTS.shortest()), 1);
        assert_eq!(COSTS.finalists(COSTS.shortest() / 2), 0);
        assert_eq!(COSTS.reserve(minutes(60)), COSTS.finals(6) + COSTS.proof(PROOF_BLOCKS));
        assert_eq!(COSTS.reserve(minutes(2)), minutes(1));
        assert_eq!(COSTS.reserve(Duration::ZERO), COSTS.shortest());
        assert_eq!(COSTS.lacks(minutes(10)), None);
        assert_eq!(COSTS.lacks(COSTS.shortest()), Some(COSTS.search(1) + COSTS.shortest()));
    }
}

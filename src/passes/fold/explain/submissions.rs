//! Aggregates the submissions of each queue: the spans from the first start to the last end of their dispatches, and
//! the gaps between them.
//!
//! Sort-based grouping: consecutive dispatches of a submission form a run of 32 bytes. Most submissions are a single
//! run. Sorting the runs in place by queue and submission brings the others together, without a hash table.

use std::collections::HashMap;

use crate::fold::dispatches::Event;
use crate::fold::shared::{Groups, grown};

/// Number of runs at which they are combined for the first time.
const MANY: usize = 1 << 20;

/// Number of runs from which on capacity is reserved up to the limit.
const SEVERAL: usize = 1 << 16;

/// Consecutive dispatches of a queue that belong to one submission.
#[derive(Debug, Clone, Copy)]
struct Run {
    submission: u64,
    /// First start and last end of valid dispatches.
    start: u64,
    end: u64,
    queue: u32,
    has_valid: bool,
    has_invalid: bool,
}

/// The submissions of all queues.
#[derive(Debug)]
pub struct Submissions {
    queues: Groups<3>,
    known: Vec<Queue>,
    runs: Vec<Run>,
    /// Number of runs at which they are combined.
    limit: usize,
}

#[derive(Debug, Clone, Copy, Default)]
struct Queue {
    /// Index of its last run.
    last: Option<usize>,
    total_ticks: u64,
}

impl Default for Submissions {
    fn default() -> Self {
        Self { queues: Groups::default(), known: Vec::new(), runs: Vec::new(), limit: MANY }
    }
}

impl Submissions {
    /// Adds a dispatch.
    #[inline]
    pub fn add(&mut self, queue: [u64; 3], submission: u64, event: &Event, is_valid: bool) {
        let number = self.queues.number(queue);
        let Some(known) = grown(&mut self.known, number) else { return };
        let ticks = if is_valid { event.duration() } else { 0 };
        // Does not saturate: the tally checked the total of all dispatches of the device.
        known.total_ticks = known.total_ticks.saturating_add(ticks);
        let last = known.last.and_then(|last| self.runs.get_mut(last));
        if let Some(run) = last.filter(|run| run.submission == submission) {
            run.add(event, is_valid);
            return;
        }
        known.last = Some(self.runs.len());
        let mut run = Run::of(u32::try_from(number).unwrap_or(u32::MAX), submission);
        run.add(event, is_valid);
        self.runs.push(run);
        if self.runs.len() >= self.limit {
            self.put_together();
            // Doubling the limit makes the sorts cost O(n log n) in total.
            self.limit = (self.runs.len() * 2).max(MANY);
        }
        if self.runs.len() == self.runs.capacity() && self.runs.len() >= SEVERAL {
            // Reserves up to the limit at once: pages that are never written take no memory, whereas growing step by
            // step would hold the old and the new buffer while copying.
            self.runs.reserve_exact(self.limit - self.runs.len());
        }
    }

    /// Combines the runs of each submission into one, by sorting.
    fn put_together(&mut self) {
        self.runs.sort_unstable_by_key(|run| (run.queue, run.submission));
        self.runs.dedup_by(|piece, run| {
            let is_same = piece.queue == run.queue && piece.submission == run.submission;
            if is_same {
                run.join(piece);
            }
            is_same
        });
        self.known.iter_mut().for_each(|queue| queue.last = None);
    }

    /// Computes the busy times by queue.
    pub fn busy(mut self) -> HashMap<[u64; 3], Busy> {
        self.put_together();
        // Valid runs come first, by start, as `Busy::merge` needs them.
        self.runs.sort_unstable_by_key(|run| (run.queue, !run.has_valid, run.start, run.end));
        let busy = self.runs.chunk_by(|one, other| one.queue == other.queue).filter_map(|runs| {
            let number = runs.first()?.queue as usize;
            let total_ticks = self.known.get(number)?.total_ticks;
            Some((*self.queues.keys().get(number)?, Busy::of(runs, total_ticks)))
        });
        busy.collect()
    }
}

impl Run {
    const fn of(queue: u32, submission: u64) -> Self {
        Self { submission, start: u64::MAX, end: 0, queue, has_valid: false, has_invalid: false }
    }

    #[inline]
    fn add(&mut self, event: &Event, is_valid: bool) {
        if is_valid {
            self.has_valid = true;
            self.start = self.start.min(event.start);
            self.end = self.end.max(event.end);
        } else {
            self.has_invalid = true;
        }
    }

    fn join(&mut self, piece: &Self) {
        self.has_valid |= piece.has_valid;
        self.has_invalid |= piece.has_invalid;
        self.start = self.start.min(piece.start);
        self.end = self.end.max(piece.end);
    }
}

/// Busy time and gaps of a queue.
#[derive(Debug, Clone, Copy, Default)]
pub struct Busy {
    pub submissions: u64,
    pub valid: u64,
    pub invalid: u64,
    pub(crate) covered_ticks: f64,
    pub total_ticks: u64,
    pub gaps: u64,
    pub total_gap_ticks: f64,
    pub max_gap_ticks: f64,
}

impl Busy {
    /// Aggregates the runs of a queue, which are sorted: valid ones first, by start.
    fn of(runs: &[Run], total_ticks: u64) -> Self {
        let valid = runs.partition_point(|run| run.has_valid);
        let mut busy = Self {
            submissions: runs.len() as u64,
            valid: valid as u64,
            invalid: runs.iter().filter(|run| run.has_invalid).count() as u64,
            total_ticks,
            ..Self::default()
        };
        busy.merge(runs.get(..valid).unwrap_or_default());
        busy
    }

    /// Merges overlapping intervals in one sweep over the runs, which are sorted by start. Sums the covered time and
    /// the gaps.
    #[expect(clippy::cast_precision_loss, reason = "as in the reference; exact up to 2^53")]
    fn merge(&mut self, runs: &[Run]) {
        let Some((first, rest)) = runs.split_first() else { return };
        let (mut start, mut end) = (first.start, first.end);
        for run in rest {
            if run.start <= end {
                end = end.max(run.end);
                continue;
            }
            let gap = (run.start - end) as f64;
            self.covered_ticks += (end - start) as f64;
            self.gaps += 1;
            self.total_gap_ticks += gap;
            self.max_gap_ticks = self.max_gap_ticks.max(gap);
            (start, end) = (run.start, run.end);
        }
        self.covered_ticks += (end - start) as f64;
    }

    /// Clears the gaps.
    pub(crate) fn without_gaps(self) -> Self {
        Self { gaps: 0, total_gap_ticks: 0.0, max_gap_ticks: 0.0, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUES: [[u64; 3]; 2] = [[0, 0, 0], [0, 1, 0]];

    /// Submissions of ten ticks each, a tick apart; `pieces` of each, dealt out in turns.
    fn dealt(count: u64, pieces: u64, limit: usize) -> HashMap<[u64; 3], Busy> {
        let mut submissions = Submissions { limit, ..Submissions::default() };
        for piece in 0..pieces {
            for submission in 0..count {
                let start = 1 + submission * 11;
                let event = Event {
                    start: if piece == 0 { start } else { start + 5 },
                    end: if piece + 1 == pieces { start + 10 } else { start + 6 },
                    tiles: [0; 2],
                };
                let queue = QUEUES[(submission % 2) as usize];
                submissions.add(queue, submission, &event, submission % 3 > 0);
            }
        }
        submissions.busy()
    }

    #[test]
    fn pieces_are_put_together_whenever_that_is() {
        let whole = dealt(600, 1, MANY);
        let queue = whole[&QUEUES[0]];
        assert_eq!((queue.submissions, queue.valid, queue.invalid), (300, 200, 100));
        assert_eq!((queue.gaps, queue.covered_ticks), (199, 2000.0));
        for limit in [1, 7, 1000, MANY] {
            let pieces = dealt(600, 3, limit);
            for key in QUEUES {
                let (one, other) = (&whole[&key], &pieces[&key]);
                assert_eq!(one.submissions, other.submissions, "{limit}");
                assert_eq!((one.valid, one.invalid), (other.valid, other.invalid));
                let ticks = |busy: &Busy| (busy.gaps, busy.covered_ticks, busy.total_gap_ticks);
                assert_eq!(ticks(one), ticks(other));
            }
        }
    }
}

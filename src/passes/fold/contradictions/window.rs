//! Brings together what several families say of a submission, while they are read in file order.
//!
//! Producers write what they have collected at each flush, a chunk or more of each family. So the records of a submission
//! are within two flushes, and those of one flush fit into the rings of the producers, which have up to 65,536 records.

use std::collections::VecDeque;

use hashbrown::HashTable;

use crate::fold::shared::{hash, same};

/// Session, device, queue, stream and submission.
pub type SubmissionKey = [u64; 5];

/// Most dispatches of the submissions that are kept: twice those of a ring.
const DISPATCHES: usize = 1 << 17;

/// Most submissions that are kept.
const SUBMISSIONS: usize = 1 << 17;

/// A dispatch. Times are ticks of the device or nanoseconds of the host.
#[derive(Debug, Clone, Copy)]
pub struct DispatchSpan {
    pub command_buffer: u64,
    pub command_index: u64,
    pub start: u64,
    pub end: u64,
    pub is_valid: bool,
}

/// What is known of a submission.
#[derive(Debug, Default)]
pub struct Submission {
    pub dispatches: Vec<DispatchSpan>,
    /// Start and end of its operations on the queue.
    pub operation: Option<[u64; 2]>,
    /// When the host submitted it, in its nanoseconds.
    pub submitted: Option<u64>,
}

/// The submissions that were read last.
#[derive(Debug, Default)]
pub struct Window {
    /// In the order in which they were first named.
    submissions: VecDeque<(SubmissionKey, Submission)>,
    /// The numbers of the submissions, from the first that there ever was.
    numbers: HashTable<usize>,
    /// How many were taken.
    taken: usize,
    dispatches: usize,
}

impl Window {
    /// Adds dispatches to a submission.
    pub fn add(&mut self, key: SubmissionKey, dispatches: &mut Vec<DispatchSpan>) {
        self.dispatches += dispatches.len();
        if let Some(submission) = self.at(key) {
            submission.dispatches.append(dispatches);
        }
    }

    /// Returns a submission. It is never `None`.
    pub fn at(&mut self, key: SubmissionKey) -> Option<&mut Submission> {
        let Self { submissions, numbers, taken, .. } = self;
        let known = |number: &usize| submissions.get(*number - *taken);
        let is_same = |number: &usize| known(number).is_some_and(|(known, _)| same(known, &key));
        let mut number = numbers.find(hash(&key), is_same).copied();
        if number.is_none() {
            let again = |number: &usize| known(number).map_or(0, |(key, _)| hash(key));
            let next = *taken + submissions.len();
            numbers.insert_unique(hash(&key), next, again);
            submissions.push_back((key, Submission::default()));
            number = Some(next);
        }
        submissions.get_mut(number? - *taken).map(|(_, submission)| submission)
    }

    /// Removes the oldest submission, if there are too many or `is_end`.
    pub fn take(&mut self, is_end: bool) -> Option<(SubmissionKey, Submission)> {
        let is_full = self.dispatches > DISPATCHES || self.submissions.len() > SUBMISSIONS;
        if !is_full && !is_end {
            return None;
        }
        let (key, submission) = self.submissions.pop_front()?;
        if let Ok(entry) = self.numbers.find_entry(hash(&key), |number| *number == self.taken) {
            entry.remove();
        }
        self.taken += 1;
        self.dispatches -= submission.dispatches.len();
        Some((key, submission))
    }
}

//! An invocation: one call of the model within a session, on one device.

use crate::fold::dispatches::rows::SubmissionKey;
use crate::fold::shared::{Groups, HeapBytes};

/// One invocation. Times are ticks of the device, or nanoseconds of the host.
#[derive(Debug)]
pub struct Invocation {
    pub session_id: u64,
    pub is_on_device: bool,
    pub device: u64,
    /// Number among those of the session and device, by start, from 1.
    pub number: u64,
    /// Equal for invocations of the same functions, from 1.
    pub kind: u64,
    pub method: &'static str,
    /// The share of the module's dispatches, from the first invocation on, that are in invocations.
    pub confidence: f64,
    pub start: Option<u64>,
    pub end: Option<u64>,
    /// The time in which at least one dispatch ran.
    pub busy: u64,
    pub dispatch_count: u64,
    pub submission_count: u64,
    pub is_warm_up: bool,
}

/// The invocations of a bundle.
#[derive(Debug, Default)]
pub struct Invocations {
    pub all: Vec<Invocation>,
    /// The submissions with dispatches.
    pub(super) submissions: Groups<6>,
    /// For each submission, the index of its invocation.
    pub(super) places: Vec<Option<usize>>,
}

impl HeapBytes for Invocations {
    fn heap_bytes(&self) -> usize {
        self.all.heap_bytes() + self.submissions.heap_bytes() + self.places.heap_bytes()
    }
}

impl Invocations {
    /// Whether any invocation is warm-up.
    pub fn has_warm_up(&self) -> bool {
        self.all.iter().any(|invocation| invocation.is_warm_up)
    }

    /// Returns the invocation of a submission; `None` if it is in none.
    pub fn find(&self, submission: SubmissionKey) -> Option<&Invocation> {
        self.all.get(self.index(submission)?)
    }

    /// Returns the index of the invocation of a submission.
    pub fn index(&self, submission: SubmissionKey) -> Option<usize> {
        *self.places.get(self.submissions.find(submission)?)?
    }
}

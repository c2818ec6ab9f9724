//! An invocation: one call of an exported function, on all devices that it uses.

use super::step::NONE;
use super::weigh::{Weighed, Weights};
use crate::fold::dispatches::rows::SubmissionKey;
use crate::fold::shared::{Groups, HeapBytes};

/// Session, device, queue, stream and submission.
pub type Key = [u64; 5];

/// Returns the key of a submission, whose dispatches the device or the host timed.
pub const fn key([session, _, device, queue, stream, id]: SubmissionKey) -> Key {
    [session, device, queue, stream, id]
}

/// The times of a call. `None` without valid dispatches, or if the clock of a device has no fit.
#[derive(Debug, Clone, Copy, Default)]
pub struct Times {
    pub start_ns: Option<i64>,
    pub end_ns: Option<i64>,
    /// The time in which at least one dispatch ran.
    pub busy_ns: Option<i64>,
    /// From start to end, in ticks of the device if it has no clock fit: calls of a kind can be compared.
    pub length: u64,
}

/// The devices that calls use together.
#[derive(Debug, Clone)]
pub struct Devices {
    /// Their numbers.
    pub lanes: Vec<u32>,
    /// Their ordinals, as text; with their sessions, if there are several.
    pub names: String,
    /// `device` or `host`, or `both` if they differ.
    pub timing_source: &'static str,
    /// The session and the ordinal; `None` if they differ.
    pub session_id: Option<u64>,
    pub device: Option<u32>,
}

/// One invocation.
#[derive(Debug)]
pub struct Invocation {
    /// Its number in the bundle, by start, from 1.
    pub number: u64,
    /// Equal for invocations of the same contents, from 1.
    pub kind: u64,
    /// Equal for invocations of a kind on data of the same sizes.
    pub(super) size: u64,
    /// Index of the devices that it uses.
    pub devices: u32,
    pub times: Times,
    pub dispatch_count: u64,
    /// Those without valid times.
    pub(crate) invalid_count: u64,
    pub(crate) submission_count: u64,
    pub is_warm_up: bool,
}

impl Invocation {
    /// Returns the devices that it uses.
    pub fn devices<'a>(&self, all: &'a Invocations) -> Option<&'a Devices> {
        all.devices.get(self.devices as usize)
    }
}

/// A way to divide the dispatches of a bundle into invocations.
#[derive(Debug, Clone, Copy)]
pub struct Counted {
    pub method: &'static str,
    pub count: u64,
    pub confidence: f64,
    /// How well each piece of evidence agrees with it.
    pub weights: Weights,
}

/// The invocations of a bundle.
#[derive(Debug, Default)]
pub struct Invocations {
    pub all: Vec<Invocation>,
    /// Whether any of them is warm-up. Filters ask for each batch.
    pub has_warm_up: bool,
    /// The readings, first the one that `all` is.
    pub readings: Vec<Counted>,
    /// The sets of devices that invocations use, of which there are few.
    pub devices: Vec<Devices>,
    /// The submissions with dispatches.
    pub(super) submissions: Groups<5>,
    /// For each submission, the index of its invocation, or [`NONE`].
    pub(super) places: Vec<u32>,
}

impl Counted {
    pub fn of(weighed: &Weighed) -> Self {
        let Weighed { reading, confidence, weights } = weighed;
        let (method, count) = (reading.method.name(), reading.count.into());
        Self { method, count, confidence: *confidence, weights: *weights }
    }
}

impl HeapBytes for Invocations {
    fn heap_bytes(&self) -> usize {
        self.all.heap_bytes() + self.submissions.heap_bytes() + self.places.heap_bytes()
    }
}

impl Invocations {
    /// Whether there are as many, or nothing that could be divided into as many.
    pub fn are(&self, given: u64) -> bool {
        self.readings.first().is_none_or(|best| best.count == given)
    }

    /// Says how many there may be, such as `6, 18 or 1`.
    pub fn counts(&self) -> String {
        let mut counts: Vec<String> =
            self.readings.iter().map(|reading| reading.count.to_string()).collect();
        let last = counts.pop().unwrap_or_default();
        if counts.is_empty() { last } else { format!("{} or {last}", counts.join(", ")) }
    }

    /// Returns the invocation of a submission; `None` if it is in none.
    pub fn find(&self, submission: SubmissionKey) -> Option<&Invocation> {
        self.all.get(self.index(submission)?)
    }

    /// Returns the index of the invocation of a submission.
    pub fn index(&self, submission: SubmissionKey) -> Option<usize> {
        let place = *self.places.get(self.submissions.find(key(submission))?)?;
        (place != NONE).then_some(place as usize)
    }
}

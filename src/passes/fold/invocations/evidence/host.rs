//! Evidence: when the host puts operations into queues.
//!
//! Before a synchronous call returns, the host waits for its end. So if the host goes on to a step while the one before still
//! runs, both belong to one call, or to calls of an asynchronous function. Of these two, calls take the host longer: it
//! leaves one and prepares the next, while a loop goes on at once. Measured with IREE 3.13, the time from the last operation of
//! a step to the next allocation is 0.7 to 1.4 times that between two allocations in loops, and 1.8 to 8 times between calls.
//!
//! Where it is silent: a call that reads values back also waits within; local-sync runs each operation at once; a device
//! without correlated clocks cannot be compared with the host, and others not closer than their clocks are known. On a busy
//! machine times are longer, so the lowest tenth counts.

use crate::fold::invocations::evidence::waits::Chaining;
use crate::fold::invocations::reading::Reading;
use crate::fold::invocations::step::{Host, Operation, Step, Steps, Wait};

/// The time, as a multiple of that between operations, from which on the host has waited.
const WAITED: u32 = 10;
/// That up to which it went on at once.
const AT_ONCE: u32 = 3;

impl Host {
    /// Whether the host waited, as far as can be told.
    pub(crate) fn has_waited(&self, inner_gap_ns: Option<u32>) -> bool {
        let least = inner_gap_ns.map_or(u32::MAX, |inner| inner.saturating_mul(WAITED));
        self.is_ahead == Some(false) && self.gap_ns.is_none_or(|gap| gap > least)
    }

    /// Whether the host went on at once, as far as can be told.
    pub fn goes_on(&self, inner_gap_ns: Option<u32>) -> bool {
        let most = inner_gap_ns.map_or(0, |inner| inner.saturating_mul(AT_ONCE));
        let is_short = self.gap_ns.is_some_and(|gap| gap < most) && !self.has_worked;
        self.is_ahead == Some(true) || is_short
    }
}

/// The most times between operations that are kept.
const GAPS: usize = 4096;
/// The fewest that tell something.
const FEWEST: usize = 4;

/// Notes what the host did. `ends` are the earliest and the latest time at which each step may have ended, as far as that can be
/// compared.
pub fn mark(steps: &mut Steps, operations: &[Operation], ends: &[Option<[i64; 2]>]) {
    let (mut pairs, mut others) = (Vec::new(), Vec::new());
    let mut seen = Seen::default();
    for operation in operations {
        let before = seen.before.replace(*operation);
        let since = before.and_then(|it| u32::try_from(operation.time - it.time).ok());
        if before.is_some_and(|before| before.is_allocation()) {
            let gaps = if operation.is_allocation() { &mut pairs } else { &mut others };
            gaps.extend(since.filter(|_| gaps.len() < GAPS));
        }
        seen.after.get_or_insert(operation.time);
        if seen.group.is_none() && !operation.is_end() {
            let is_released = before.is_some_and(|before| before.is_end());
            seen.group = Some(Group { time: operation.time, since, is_released });
        }
        if !operation.is_work() {
            continue;
        }
        let nth = operation.of as usize;
        if let Some(step) = steps.all.get_mut(nth) {
            let end = nth.checked_sub(1).and_then(|nth| ends.get(nth)).copied().flatten();
            step.host = seen.host(end);
            (seen.after, seen.has_worked) = (None, false);
        } else {
            seen.has_worked = true;
        }
        seen.group = None;
    }
    steps.inner_gap_ns = lowest(&mut pairs).or_else(|| lowest(&mut others));
}

/// What was seen of the host since the last step.
#[derive(Debug, Default)]
struct Seen {
    before: Option<Operation>,
    /// The time of its first operation.
    after: Option<i64>,
    /// Whether it made operations that work, such as to read something back.
    has_worked: bool,
    group: Option<Group>,
}

/// The first operation since any work that ends nothing.
#[derive(Debug, Clone, Copy)]
struct Group {
    time: i64,
    /// The time since the operation before, and whether that ended something.
    since: Option<u32>,
    is_released: bool,
}

impl Seen {
    /// Returns what the host did, if the last step ended within `end`.
    fn host(&self, end: Option<[i64; 2]>) -> Host {
        let Some(Group { time, since, is_released }) = self.group else { return Host::default() };
        let is_ahead = end.zip(self.after).and_then(|([earliest, latest], after)| {
            match (time < earliest, after < earliest && time >= latest) {
                (true, _) => Some(true),
                (false, true) => Some(false),
                // Nothing of it was seen while the step ran, or the clocks do not tell.
                (false, false) => None,
            }
        });
        // A device that runs operations at once returns from one when it has ended.
        let gap_ns = since.filter(|_| is_released || is_ahead == Some(true));
        Host { is_ahead, has_worked: self.has_worked, gap_ns }
    }
}

/// The host goes on at once to most calls that wait for nothing, as to those of an asynchronous function side by side; or to
/// some.
const OVERLAP: f64 = 0.4;
const SOME_OVERLAP: f64 = 0.15;
/// The host waits between chained calls of an asynchronous function, or does not between those of a synchronous one with
/// state.
const CONTRARY: f64 = 0.05;
/// The host has something copied between most chained calls, as a loop that reads values back does.
const READING_BACK: f64 = 0.12;
/// The time between chained calls, as a multiple of that between operations, at which both explanations are equal.
const EVEN: f64 = 1.5;

/// Says how well a reading, whose calls are chained so, agrees with the host's times.
pub fn weight(steps: &Steps, reading: &Reading, chaining: Chaining) -> f64 {
    let (mut waited, mut at_once, mut worked) = (0_u32, 0_u32, 0_u32);
    let mut gaps = Vec::new();
    for Step { wait, host, .. } in reading.firsts(steps).skip(1) {
        let has_waited = host.has_waited(steps.inner_gap_ns);
        waited += u32::from(has_waited);
        at_once += u32::from(host.goes_on(steps.inner_gap_ns));
        if *wait == Wait::Chained {
            worked += u32::from(host.has_worked);
            let is_plain = !has_waited && !host.has_worked && gaps.len() < GAPS;
            gaps.extend(host.gap_ns.filter(|_| is_plain));
        }
    }
    let contrary = match chaining {
        Chaining::None if at_once * 2 + 1 >= reading.count && at_once > 0 => OVERLAP,
        Chaining::None if at_once > 0 => SOME_OVERLAP,
        // A module with state is called synchronously.
        Chaining::State if at_once > waited => CONTRARY,
        // The host waits only between batches.
        Chaining::Batches(_) if waited * 2 > reading.count => CONTRARY,
        _ => 1.0,
    };
    let ratio = lowest(&mut gaps).zip(steps.inner_gap_ns).map_or(1.0, |(gap, inner)| {
        (f64::from(gap) / f64::from(inner.max(1)) / EVEN).powi(3).clamp(0.1, 6.0)
    });
    let is_loop = worked * 2 > reading.count && !steps.reads_first;
    let reading_back = if is_loop { READING_BACK } else { 1.0 };
    // Between the operations of a replay, the host does what it does between calls.
    let ratio = if steps.loads > 1 { 1.0 } else { ratio };
    contrary * ratio * reading_back
}

/// Returns the lowest tenth; `None` if there are too few.
fn lowest(gaps: &mut [u32]) -> Option<u32> {
    if gaps.len() < FEWEST {
        return None;
    }
    let nth = gaps.len() / 10;
    Some(*gaps.select_nth_unstable(nth).1)
}

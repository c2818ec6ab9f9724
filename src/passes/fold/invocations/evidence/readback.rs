//! Evidence: what the host reads back.
//!
//! Within a call, the host waits for a device only to read a value: the condition of a branch or a loop, an index, a number of
//! rows. The compiler lets it be written or copied to an allocation of its own, of the size of the value, which is released
//! without a record. So where the host has waited and no such allocation was made since the step before, a call has ended, or
//! the program has left one module for another.
//!
//! A function that reads a value first, such as the position in a cache, does so before its first dispatch, and not after its
//! last one. A loop reads its condition also after the last turn.
//!
//! Where it is silent: calls whose results are as small have such allocations between them, too.

use crate::fold::invocations::reading::Reading;
use crate::fold::invocations::step::{Operation, Step, Steps};

/// Most bytes of a value that is read back.
const SMALL: u64 = 64;

/// Notes where a value can have been read back.
pub fn mark(steps: &mut Steps, operations: &[Operation]) {
    // The small allocations that are alive: of the step before, of work since then, and since the last work.
    let (mut of_step, mut of_work, mut latest) = (Vec::new(), Vec::new(), Vec::new());
    for operation in operations {
        if operation.is_allocation() && (1..=SMALL).contains(&operation.length) {
            latest.push(operation.allocation);
        } else if operation.is_release() {
            for alive in [&mut of_step, &mut of_work, &mut latest] {
                alive.retain(|allocation| *allocation != operation.allocation);
            }
        } else if let Some(step) = steps.all.get_mut(operation.of as usize) {
            step.is_read_back = !of_step.is_empty() || !of_work.is_empty();
            of_work.clear();
            of_step = std::mem::take(&mut latest);
        } else if operation.is_work() {
            of_work.append(&mut latest);
        }
    }
    let reads = steps.all.first().is_some_and(|step| step.is_read_back);
    steps.reads_first = reads && of_work.is_empty();
}

impl Step {
    /// Whether the host has waited before this step, although there was nothing to read.
    pub(crate) fn has_waited_for_all(&self) -> bool {
        self.is_start() && !self.is_read_back && self.host.is_ahead != Some(true)
    }
}

/// The host has waited for nothing within a few calls, or within many.
const FEW: f64 = 0.2;
const MANY: f64 = 0.04;
/// The same without names, or where nothing says that the host does not wait at all, as on a device that runs operations at once.
const MANY_UNKNOWN: f64 = 0.15;

/// Says how well a reading agrees with what can have been read.
pub fn weight(steps: &Steps, reading: &Reading) -> f64 {
    let mut calls = vec![false; reading.count as usize];
    let mut function = None;
    for (step, place) in steps.all.iter().zip(reading.places()) {
        let Some(place) = place else { continue };
        // A module that calls another one waits for all of its own work.
        let is_within = !place.is_first && function == Some(step.place.function);
        if is_within
            && step.has_waited_for_all()
            && let Some(call) = calls.get_mut(place.call as usize)
        {
            *call = true;
        }
        function = Some(step.place.function);
    }
    let is_known = || {
        steps.all.iter().any(|step| step.host.is_ahead == Some(true))
            && steps.all.iter().all(|step| step.place.function.is_some())
    };
    match calls.into_iter().filter(|waits| *waits).count() {
        0 => 1.0,
        some if some * 2 <= reading.count as usize => FEW,
        _ if is_known() => MANY,
        _ => MANY_UNKNOWN,
    }
}

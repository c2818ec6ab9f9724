//! Evidence: calls repeat.
//!
//! A capture has many calls of few functions, so a reading is good if its calls are of few kinds, each of which occurs
//! several times. A kind is what a call executes, without the number of turns of its loops. `repeats.rs` finds what
//! repeats in a sequence.
//!
//! Where it is silent: turns of a loop repeat as calls do, and calls that are repeated are several in one. A single call
//! repeats nothing. Branches make kinds.

use crate::fold::invocations::reading::Reading;
use crate::fold::invocations::step::{NONE, Steps};

/// Nothing repeats.
const NOTHING: f64 = 0.1;

/// Says how well a reading agrees with it: by the share of steps that are in calls whose kind occurs several times.
pub fn weight(steps: &Steps, reading: &Reading) -> f64 {
    let repeated = reading.repeated();
    let is_repeated = |call: &u32| {
        *call != NONE && repeated.get(reading.kind(*call) as usize).copied().unwrap_or_default()
    };
    let count = reading.calls.iter().filter(|call| is_repeated(call)).count();
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    let share = count as f64 / steps.all.len().max(1) as f64;
    NOTHING + (1.0 - NOTHING) * share
}

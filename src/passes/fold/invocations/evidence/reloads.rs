//! Evidence: executables that are loaded again.
//!
//! `iree-benchmark-replay` loads the executables of a recording anew in each iteration, so the functions of one iteration are in
//! other executables than those of the next. No call goes on over such a border. A recording is mostly of one call.
//!
//! Where it is silent: a program that is loaded once. A module on several devices is loaded for each; these loads are used in
//! turns, not one after the other.

use crate::fold::invocations::reading::Reading;
use crate::fold::invocations::step::Steps;

/// Notes how often the program was loaded: once, unless the loads follow one another.
pub fn mark(steps: &mut Steps) {
    let is_in_order = steps.all.is_sorted_by_key(|step| step.load);
    let last = steps.all.last().map_or(0, |step| step.load);
    steps.loads = if is_in_order { last + 1 } else { 1 };
}

/// Each load has several calls.
const SEVERAL: f64 = 0.4;
/// Calls go on over a border, or the loads have different numbers of them.
const CONTRARY: f64 = 0.02;

/// Says how well a reading agrees with the loads.
pub fn weight(steps: &Steps, reading: &Reading) -> f64 {
    if steps.loads < 2 {
        return 1.0;
    }
    // The calls that begin in each load.
    let mut counts = vec![0_u32; steps.loads as usize];
    let (mut load, mut goes_over) = (0, false);
    for (step, place) in steps.all.iter().zip(reading.places()) {
        let Some(place) = place else { continue };
        goes_over |= step.load != load && !place.is_first;
        load = step.load;
        if place.is_first
            && let Some(count) = counts.get_mut(load as usize)
        {
            *count += 1;
        }
    }
    // The last one may be cut off.
    let whole = counts.get(..counts.len() - 1).unwrap_or_default();
    match whole.first() {
        _ if goes_over => CONTRARY,
        Some(1) if whole.iter().all(|count| *count == 1) => 1.0,
        Some(first) if whole.iter().all(|count| count == first) => SEVERAL,
        _ => CONTRARY,
    }
}

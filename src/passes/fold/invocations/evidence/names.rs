//! Evidence: the names that the compiler gives to dispatches: `main_dispatch_3_matmul_…` is the fourth dispatch, in the order
//! of the program, of the exported function `main`.
//!
//! A call begins with the first dispatches of its function, and goes on with later ones; only loops go back. Dispatches of
//! `_initializer_0` are those of loading a module.
//!
//! Where it is silent: without executable metadata, or if names were chosen by hand. A branch at the beginning of a
//! function makes calls begin in its middle. A function that another one calls has a name of its own.

use crate::fold::invocations::place::Place;
use crate::fold::invocations::reading::Reading;
use crate::fold::invocations::step::{NONE, Step, Steps, Wait};

/// Says for each step whether a call can begin with it: it is not known to stand behind the beginning of its function.
pub(crate) fn can_begin(steps: &Steps) -> Vec<bool> {
    let mut least: Vec<u32> = Vec::new();
    for Step { place, .. } in &steps.all {
        let Some(function) = place.function.map(|function| function as usize) else { continue };
        if least.len() <= function {
            least.resize(function + 1, NONE);
        }
        if let Some(least) = least.get_mut(function) {
            *least = place.first.min(*least);
        }
    }
    let least = |place: &Place| least.get(place.function? as usize).copied();
    let is_least = |step: &Step| least(&step.place).is_none_or(|least| step.place.first == least);
    steps.all.iter().map(is_least).collect()
}

/// Calls begin where the program goes on: in a few cases, which may be a branch, or in many.
const FEW: f64 = 0.3;
const MANY: f64 = 0.05;
/// They do, and others begin in the middle without going on from anything: the function begins with a branch.
const BRANCH: f64 = 0.6;
/// Calls have dispatches of several exported functions.
const FOREIGN: f64 = 0.3;
/// Calls go back to their beginning: a loop around everything, or several calls; rather these if it waits for nothing.
const RESTART: f64 = 0.5;
const RESTART_AT_START: f64 = 0.15;

/// Says how well a reading agrees with the names.
pub fn weight(steps: &Steps, reading: &Reading, can_begin: &[bool]) -> f64 {
    let (mut goes_on, mut middles) = (0_u32, 0_u32);
    let (mut is_foreign, mut restart) = (false, 1.0_f64);
    let mut before = Place::UNKNOWN;
    let mut of_call = Place::UNKNOWN;
    let begins = can_begin.iter().copied();
    for ((step, place), begins) in steps.all.iter().zip(reading.places()).zip(begins) {
        let Some(place) = place else { continue };
        if place.is_first {
            let continues = step.place.continues(&before);
            goes_on += u32::from(continues);
            middles += u32::from(!continues && !begins && step.wait != Wait::Chained);
            of_call = step.place;
        } else if step.place.function.is_some() {
            is_foreign |= step.place.function != of_call.function;
            if step.place.function == of_call.function && step.place.first <= of_call.first {
                let is_start = step.wait == Wait::Start && !step.is_joined;
                restart = restart.min(if is_start { RESTART_AT_START } else { RESTART });
            }
        }
        before = step.place;
    }
    let going = match (goes_on, middles) {
        (0, _) => 1.0,
        (_, 1..) => BRANCH,
        (1..=2, 0) => FEW,
        _ => MANY,
    };
    let foreign = if is_foreign { FOREIGN } else { 1.0 };
    going * foreign * restart
}

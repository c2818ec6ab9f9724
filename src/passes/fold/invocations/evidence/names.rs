//! Evidence: the names that the compiler gives to dispatches: `main_dispatch_3_matmul_…` is the fourth dispatch, in the order
//! of the program, of the exported function `main`.
//!
//! A call begins with the first dispatches of its function, and goes on with later ones; only loops go back, to the beginning of
//! their body. The first submission of all begins a call. A function whose dispatches always stand between two parts of a
//! call is called by it. Dispatches of `_initializer_0` are those of loading a module.
//!
//! Where it is silent: without executable metadata, or if names were chosen by hand. A branch at the beginning of a
//! function makes calls begin in its middle; then the host has waited for the call before.

use crate::fold::invocations::place::Place;
use crate::fold::invocations::reading::Reading;
use crate::fold::invocations::step::{Map, NONE, Step, Steps, Wait};

/// Where calls can begin, as the names tell.
pub(crate) struct Entries {
    /// For each step, whether its function begins with it, and is called by no other.
    pub begins: Vec<bool>,
    /// For each step, whether it is as the first one of its function.
    firsts: Vec<bool>,
    /// For each step, whether it goes on with its function after dispatches of others.
    returns: Vec<bool>,
    /// For each step, whether its function is called by another one.
    pub called: Vec<bool>,
}

/// What is known of an exported function.
#[derive(Debug, Clone, Copy)]
struct Function {
    /// The least of its dispatches, and that of its first step.
    least: u32,
    first: u32,
    /// Its last step so far.
    last: usize,
    /// How many stretches of its steps there are, and how many of them stand within another function.
    stretches: u32,
    within: u32,
}

/// Returns where calls can begin.
pub(crate) fn entries(steps: &Steps) -> Entries {
    let mut functions: Map<u32, Function> = Map::default();
    let mut returns = vec![false; steps.all.len()];
    // The function of each stretch of steps, and where it begins.
    let mut stretches: Vec<(u32, usize)> = Vec::new();
    for (nth, Step { place, .. }) in steps.all.iter().enumerate() {
        let Some(function) = place.function.filter(|_| !place.is_initializer) else { continue };
        let new = Function { least: NONE, first: place.first, last: nth, stretches: 0, within: 0 };
        let known = functions.entry(function).or_insert(new);
        known.least = place.first.min(known.least);
        let last = std::mem::replace(&mut known.last, nth);
        let is_new = stretches.last().is_none_or(|(before, _)| *before != function);
        known.stretches += u32::from(is_new);
        let goes_on = steps.all.get(last).is_some_and(|before| place.continues(&before.place));
        if is_new && goes_on {
            if let Some(returns) = returns.get_mut(nth) {
                *returns = true;
            }
            for (function, _) in stretches.iter().rev().take_while(|(_, start)| *start > last) {
                if let Some(called) = functions.get_mut(function) {
                    called.within += 1;
                }
            }
        }
        if is_new {
            stretches.push((function, nth));
        }
    }
    let known = |step: &Step| functions.get(&step.place.function?);
    let all = || steps.all.iter().map(|step| (step, known(step)));
    let is_called = |known: &Function| known.within * 2 > known.stretches;
    let begins = all().map(|(Step { place, .. }, known)| {
        known.is_none_or(|known| {
            !is_called(known) && (place.first == known.least || place.first == known.first)
        })
    });
    let firsts =
        all().map(|(step, known)| known.is_some_and(|known| step.place.first == known.first));
    let called = all().map(|(_, known)| known.is_some_and(is_called));
    Entries {
        begins: begins.collect(),
        firsts: firsts.collect(),
        called: called.collect(),
        returns,
    }
}

/// Calls begin where the program goes on or back: in a few cases, which may be a branch, or in many.
const FEW: f64 = 0.3;
const MANY: f64 = 0.05;
/// Calls begin where the program goes on, but the host has waited for nothing that it could read.
const ALONE: f64 = 0.3;
/// They do, and others begin in the middle without going on from anything: the function begins with a branch.
const BRANCH: f64 = 0.6;
/// Calls have dispatches of several exported functions, without going on in their own.
const FOREIGN: f64 = 0.3;
/// Calls go back to their beginning: a loop around everything, or several calls; rather these if it waits for nothing.
const RESTART: f64 = 0.5;
const RESTART_AT_START: f64 = 0.15;
/// The first submission of all is in no call, or begins a call as no other does, although others have it in their middle.
const ODD_FIRST: f64 = 0.2;

/// Says how well a reading agrees with the names.
pub fn weight(steps: &Steps, reading: &Reading, names: &Entries) -> f64 {
    let (mut goes_on, mut middles, mut alone) = (0_u32, 0_u32, 1.0);
    let (mut is_foreign, mut is_away, mut restart) = (false, false, 1.0_f64);
    let (mut before, mut of_call) = (Place::UNKNOWN, Place::UNKNOWN);
    let known = names.begins.iter().zip(&names.firsts).zip(names.returns.iter().zip(&names.called));
    for ((step, place), known) in steps.all.iter().zip(reading.places()).zip(known) {
        let ((begins, is_as_first), (returns, is_called)) = known;
        let Some(place) = place else { continue };
        if place.is_first {
            let is_read = step.is_read_back && !steps.reads_first;
            let has_waited = step.is_start() && !is_read && step.host.is_ahead != Some(true);
            let continues = *returns || step.place.continues(&before) && !is_as_first;
            if continues && has_waited && !returns {
                alone = ALONE;
            } else if continues {
                goes_on += 1;
            } else if !begins && place.call > 0 {
                // A turn of a loop, or a function of another module.
                let is_turn = match step.wait {
                    Wait::Chained => true,
                    Wait::Start => is_read || *is_called,
                    Wait::Unknown => *is_called,
                };
                goes_on += u32::from(is_turn);
                middles += u32::from(!is_turn);
            }
            is_foreign |= std::mem::take(&mut is_away);
            of_call = step.place;
        } else if step.place.function.is_some() {
            is_away = step.place.function != of_call.function;
            if step.place == of_call {
                restart = restart.min(if step.is_start() { RESTART_AT_START } else { RESTART });
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
    let foreign = if is_foreign || is_away { FOREIGN } else { 1.0 };
    let first = if has_odd_first(steps, reading) { ODD_FIRST } else { 1.0 };
    going * alone * foreign * restart * first
}

/// Whether the first step of all is where other calls have none or a later one.
fn has_odd_first(steps: &Steps, reading: &Reading) -> bool {
    let mut all = steps.all.iter().zip(reading.places());
    let first = all.find(|(step, _)| step.place.function.is_some() && !step.place.is_initializer);
    let Some((first, place)) = first else { return false };
    let Some(of_first) = place else { return true };
    let (mut as_first, mut as_later) = (0, 0);
    for (_, place) in all.filter(|(step, _)| step.content == first.content) {
        let Some(place) = place.filter(|place| place.call != of_first.call) else { continue };
        as_first += u32::from(place.is_first);
        as_later += u32::from(!place.is_first);
    }
    as_first == 0 && as_later > 0
}

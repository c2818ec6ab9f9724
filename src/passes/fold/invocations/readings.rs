//! The readings that are considered: each takes one piece of evidence at its word.

use super::evidence::names::Entries;
use super::reading::{Method, Reading, number_by_first};
use super::repeats::{RepeatKind, Repeats, repeats};
use super::step::{Map, NONE, Step, Steps, Wait};

/// Returns the different readings of the steps of a bundle.
pub fn readings(steps: &Steps, names: &Entries) -> Vec<Reading> {
    let mut found = Different::of(steps);
    if steps.all.is_empty() {
        return found.readings;
    }
    let begins = |nth: usize| names.begins.get(nth).copied().unwrap_or(true);
    let has_names = steps.all.iter().all(|step| step.place.function.is_some());
    if steps.all.iter().all(|step| step.wait != Wait::Unknown) {
        found.add_starts(Method::Chain, |_, step| step.is_start());
        if let Some(calls) = found.readings.first().and_then(chains) {
            found.add(Method::Chains, calls);
        }
        if has_names {
            found.add_starts(Method::Begun, |nth, step| step.is_start() && begins(nth));
        }
        let inner = steps.inner_gap_ns;
        found.add_starts(Method::Pauses, |_, step| {
            let has_waited = step.host.has_waited(inner) && !step.is_joined;
            step.is_start() && !step.host.goes_on(inner) || has_waited
        });
    }
    if has_names {
        found.add_starts(Method::Names, |nth, step| begins(nth) && !step.is_joined);
    }
    if let Some(first) = steps.all.iter().find(|step| !step.place.is_initializer)
        && has_names
    {
        found.add_starts(Method::First, |_, step| step.content == first.content && !step.is_joined);
    }
    let contents: Vec<u32> = steps.all.iter().map(|step| step.content).collect();
    if let Some(repeats) = repeats(&contents) {
        found.add(method(&repeats), numbered(&repeats, contents.len()));
    }
    if let Some(calls) = modules(steps) {
        found.add(Method::Modules, calls);
    }
    found.add_starts(Method::Whole, |_, _| false);
    found.readings
}

/// Readings that divide the steps differently.
struct Different<'a> {
    steps: &'a Steps,
    readings: Vec<Reading>,
    /// The numbers of calls that were added.
    known: Vec<Vec<u32>>,
}

impl<'a> Different<'a> {
    const fn of(steps: &'a Steps) -> Self {
        Self { steps, readings: Vec::new(), known: Vec::new() }
    }

    fn add(&mut self, method: Method, mut calls: Vec<u32>) {
        self.leave_out_initializers(&mut calls);
        number_by_first(&mut calls);
        let is_known = self.readings.iter().any(|known| known.calls == calls);
        if !is_known && !self.known.contains(&calls) {
            let reading = Reading::of(method, self.steps, calls.clone());
            self.known.push(calls);
            self.readings.push(reading);
        }
    }

    /// Leaves out what loading modules executed, as a replay does again and again.
    fn leave_out_initializers(&self, calls: &mut [u32]) {
        if self.steps.all.iter().all(|step| step.place.is_initializer) {
            return;
        }
        for (call, step) in calls.iter_mut().zip(&self.steps.all) {
            if step.place.is_initializer {
                *call = NONE;
            }
        }
    }

    /// Adds the reading in which a call begins at each step that is so.
    fn add_starts(&mut self, method: Method, mut begins: impl FnMut(usize, &Step) -> bool) {
        let mut call = 0;
        let number = |(nth, step): (usize, &Step)| {
            call += u32::from(nth > 0 && begins(nth, step));
            call
        };
        let mut calls: Vec<u32> = self.steps.all.iter().enumerate().map(number).collect();
        self.leave_out_initializers(&mut calls);
        number_by_first(&mut calls);
        if !self.known.contains(&calls) {
            let reading = Reading::of(method, self.steps, calls.clone()).without_ends(self.steps);
            self.known.push(calls);
            if self.readings.iter().all(|known| known.calls != reading.calls) {
                self.readings.push(reading);
            }
        }
    }
}

const fn method(repeats: &Repeats) -> Method {
    match repeats.found {
        RepeatKind::Period => Method::Period,
        RepeatKind::Loops => Method::Loops,
    }
}

/// Returns the calls if what repeats in the chains is a call; `None` if they do not repeat.
fn chains(chain: &Reading) -> Option<Vec<u32>> {
    let kinds: Vec<u32> = (0..chain.count).map(|call| chain.kind(call)).collect();
    let of_chain = numbered(&repeats(&kinds)?, kinds.len());
    let call = |call: &u32| of_chain.get(*call as usize).copied().unwrap_or(NONE);
    Some(chain.calls.iter().map(call).collect())
}

/// Returns for each of `length` items the number of its repeat, or [`NONE`].
fn numbered(repeats: &Repeats, length: usize) -> Vec<u32> {
    let mut calls = vec![NONE; length];
    for (call, repeat) in (0..).zip(&repeats.repeats) {
        let range = repeat.range.start as usize..repeat.range.end as usize;
        calls.get_mut(range).unwrap_or_default().fill(call);
    }
    calls
}

/// Returns the calls if the submissions of each module repeat on their own; `None` if there is one module.
fn modules(steps: &Steps) -> Option<Vec<u32>> {
    let mut modules: Map<u32, Vec<usize>> = Map::default();
    for (nth, step) in steps.all.iter().enumerate() {
        modules.entry(step.module?).or_default().push(nth);
    }
    if modules.len() < 2 {
        return None;
    }
    let mut calls = vec![NONE; steps.all.len()];
    let mut count = 0;
    for module in modules.values() {
        let contents = module.iter().filter_map(|nth| steps.all.get(*nth)).map(|step| step.content);
        let contents: Vec<u32> = contents.collect();
        let of_module = match repeats(&contents) {
            Some(repeats) => numbered(&repeats, contents.len()),
            None => vec![0; contents.len()],
        };
        for (nth, call) in module.iter().zip(&of_module).filter(|(_, call)| **call != NONE) {
            if let Some(known) = calls.get_mut(*nth) {
                *known = call + count;
            }
        }
        count += of_module.iter().filter(|call| **call != NONE).max().map_or(0, |last| last + 1);
    }
    Some(calls)
}

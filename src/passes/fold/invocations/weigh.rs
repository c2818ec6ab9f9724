//! Weighs the readings of a bundle by all evidence together.
//!
//! Each piece of evidence says how well it agrees with a reading, as a factor. The reading with the greatest product is the
//! best one. Its confidence is its share of the sum of all products, less the chance that the truth is none of them, which is
//! greater the less was recorded and the less the evidence decides. The factors are estimates; `tests/suite/calls.rs` checks on
//! programs whose calls are known that readings with a confidence are right at least as often.

use super::evidence::names::entries;
use super::evidence::told::{self, CallCount};
use super::evidence::{host, lifetimes, modules, names, readback, reloads, repetition, waits};
use super::reading::{Method, Reading};
use super::readings::readings;
use super::step::{Steps, Wait};

/// A reading and how well the evidence agrees with it.
#[derive(Debug)]
pub struct Weighed {
    pub reading: Reading,
    pub weights: Weights,
    pub confidence: f64,
}

/// The factors of a reading.
#[derive(Debug, Clone, Copy)]
pub struct Weights {
    pub waits: f64,
    pub host: f64,
    pub lifetimes: f64,
    pub modules: f64,
    pub names: f64,
    pub readback: f64,
    pub reloads: f64,
    pub repetition: f64,
    pub told: f64,
}

impl Weights {
    fn product(&self) -> f64 {
        let Self { waits, host, lifetimes, modules, names, readback, reloads, repetition, told } =
            *self;
        waits * host * lifetimes * modules * names * readback * reloads * repetition * told
    }
}

/// The chance that no reading is right, by what is known.
const NONE_IF_TOLD: f64 = 0.005;
const NONE_WITH_WAITS: f64 = 0.02;
const NONE_WITH_NAMES: f64 = 0.2;
const NONE_ELSE: f64 = 0.3;
/// The same if nothing repeats and nothing else is known.
const NONE_IF_WHOLE: f64 = 0.9;
/// What the chance grows by if the readings are equally good.
const NONE_IF_UNDECIDED: f64 = 0.35;

/// Returns the readings of the steps of a bundle, the best one first. If the number of calls is `given`, a reading with as
/// many is the best, if there is one.
pub fn weigh(steps: &Steps, told: Option<CallCount>, given: Option<u64>) -> Vec<Weighed> {
    let mut all = weighed(steps, told);
    if let Some(count) = given.and_then(|given| u32::try_from(given).ok()) {
        decide(steps, &mut all, count);
    }
    all
}

fn weighed(steps: &Steps, told: Option<CallCount>) -> Vec<Weighed> {
    let entries = entries(steps);
    let weighed = |reading: Reading| {
        let chaining = waits::chaining(steps, &reading);
        let weights = Weights {
            waits: waits::weight(steps, &reading, chaining, told.and_then(CallCount::batch)),
            host: host::weight(steps, &reading, chaining),
            lifetimes: lifetimes::weight(steps, &reading),
            modules: modules::weight(steps, &reading, &entries),
            names: names::weight(steps, &reading, &entries),
            readback: readback::weight(steps, &reading),
            reloads: reloads::weight(steps, &reading),
            repetition: repetition::weight(steps, &reading),
            told: told::weight(told, reading.count.into()),
        };
        Weighed { reading, weights, confidence: 0.0 }
    };
    let mut all: Vec<Weighed> = readings(steps, &entries).into_iter().map(weighed).collect();
    all.sort_by(|left, right| right.weights.product().total_cmp(&left.weights.product()));
    let sum: f64 = all.iter().map(|weighed| weighed.weights.product()).sum();
    let Some(best) = all.first() else { return all };
    let undecided = 1.0 - best.weights.product() / sum;
    let none = chance_of_none(steps, told, best) + NONE_IF_UNDECIDED * undecided;
    for weighed in &mut all {
        weighed.confidence = (1.0 - none).max(0.0) * weighed.weights.product() / sum;
    }
    all
}

/// Moves a reading with `count` calls to the front: one of them, or one that joins or divides their calls.
fn decide(steps: &Steps, all: &mut Vec<Weighed>, count: u32) {
    let known = all.iter().position(|weighed| weighed.reading.count == count);
    let divided = |of: &Weighed| Some((of.reading.divided(steps, count)?, of.weights));
    let decided = known.map(|nth| all.remove(nth)).map(|known| (known.reading, known.weights));
    let Some((mut reading, weights)) = decided.or_else(|| all.iter().find_map(divided)) else {
        return;
    };
    for weighed in all.iter_mut() {
        weighed.confidence = 0.0;
    }
    reading.method = Method::Given;
    all.insert(0, Weighed { reading, weights, confidence: 1.0 });
}

/// Returns the chance that the truth is none of the readings.
fn chance_of_none(steps: &Steps, told: Option<CallCount>, best: &Weighed) -> f64 {
    let has_waits = steps.all.iter().all(|step| step.wait != Wait::Unknown);
    let has_names = steps.all.iter().all(|step| step.place.function.is_some());
    match best.reading.method {
        _ if told.is_some() && best.weights.told >= 1.0 => NONE_IF_TOLD,
        _ if has_waits => NONE_WITH_WAITS,
        Method::Whole => NONE_IF_WHOLE,
        _ if has_names => NONE_WITH_NAMES,
        _ => NONE_ELSE,
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::Place;
    use super::super::step::{Host, Step};
    use super::*;

    /// Reads steps: a letter is a function, of an executable for capitals and of another one for others; `^` before it says
    /// that it waits for nothing, if any is so. Digits before it say that it is a dispatch of `main`. Returns the call of each, and
    /// the method. `*` says that the host can have read a value back before it, and `z` is a dispatch of a library.
    fn read(text: &str) -> (String, &'static str) {
        let has_waits = text.contains('^');
        let mut steps = Steps::default();
        let (mut wait, mut place, mut is_read_back) = (Wait::Chained, Place::UNKNOWN, false);
        for (nth, letter) in text.bytes().enumerate() {
            match letter {
                b'^' => wait = Wait::Start,
                b'*' => is_read_back = true,
                b'0'..=b'9' => {
                    let number = u32::from(letter - b'0');
                    place = Place { function: Some(0), first: number, last: number, ..place };
                }
                _ => {
                    if letter == b'z' {
                        place = Place { function: Some(1), ..place };
                    }
                    steps.all.push(Step {
                        submission: nth.try_into().unwrap(),
                        content: letter.into(),
                        module: Some(letter.is_ascii_lowercase().into()),
                        device: 0,
                        place,
                        load: 0,
                        wait: if has_waits { wait } else { Wait::Unknown },
                        host: Host::default(),
                        is_joined: false,
                        is_read_back,
                    });
                    (wait, place, is_read_back) = (Wait::Chained, Place::UNKNOWN, false);
                }
            }
        }
        steps.reads_first = steps.all.first().is_some_and(|step| step.is_read_back);
        let weighed = weigh(&steps, None, None);
        let best = &weighed[0].reading;
        let digit = |call: &u32| {
            char::from_digit(call.wrapping_add(1), 10).filter(|digit| *digit != '0').unwrap_or('-')
        };
        (best.calls.iter().map(digit).collect(), best.method.name())
    }

    #[test]
    fn submissions_are_in_the_call_that_the_evidence_tells() {
        for (text, calls, method) in [
            // Waits.
            ("^AB^AB^AB", "112233", "chain"),
            ("^A^A^A", "123", "chain"),
            ("^AB^C^AB^AB^C", "11233445", "chain"),
            // What loads a module, and a loop.
            ("^I^AB^AB", "-1122", "chain"),
            ("^ABBC^ABC^ABBBC", "111122233333", "chain"),
            // A part of a call for which the host has read a value back; without one, calls of two kinds.
            ("^0A^*1B^0A^*1B^0A^*1B", "112233", "chains"),
            ("^0A^1B^0A^1B^0A^1B", "123456", "chain"),
            // A function that reads a value first, and one that another module calls.
            ("^*0A*0A*0A*0A", "1234", "names"),
            ("^0A^z^1B^0A^z^1B^0A^z^1B", "111222333", "chains"),
            ("^0A^*1B^0A^*2C^0A^*2C^0A^*1B", "11223344", "begun"),
            // State: each call waits for the one before.
            ("^0A1B0A1B0A1B", "112233", "names"),
            // Without waits: names, repetition, modules.
            ("0A1B1B2C0A1B2C0A1B1B1B2C", "111122233333", "names"),
            ("IABAB", "-1122", "period"),
            ("ABBCABC", "1111222", "loops"),
            ("AaAaAaAa", "12345678", "modules"),
            ("AaBbAaBbAaBb", "121234345656", "modules"),
            ("ABCD", "1111", "whole"),
        ] {
            assert_eq!(read(text), (calls.to_owned(), method), "{text}");
        }
    }

    #[test]
    fn a_given_number_decides() {
        let steps = |count: u8| -> Steps {
            let step = |nth: u8| Step {
                submission: nth.into(),
                content: 0,
                module: None,
                device: 0,
                place: Place::UNKNOWN,
                load: 0,
                wait: if nth.is_multiple_of(3) { Wait::Start } else { Wait::Chained },
                host: Host::default(),
                is_joined: false,
                is_read_back: false,
            };
            Steps { all: (0..count).map(step).collect(), ..Steps::default() }
        };
        for (given, expected) in [(4, 4), (12, 12), (2, 2), (6, 6), (1, 1), (5, 4)] {
            let found = weigh(&steps(12), None, Some(given));
            assert_eq!(found[0].reading.count, expected, "{given}");
            assert_eq!(found[0].confidence >= 1.0, given == u64::from(expected), "{given}");
        }
    }
}

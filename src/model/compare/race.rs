//! Judges a race: runs of two sides in turns, looked at after each turn.

use std::collections::BTreeMap;

use rand_chacha::ChaCha8Rng;
use schemas::Clock;

use super::judge::{Judged, Verdict, further};
use super::measured::Runs;
use super::side::Side;
use crate::statistics::{Interval, Summary, anytime_ratio, shuffle};

/// Differences up to this logarithm of a ratio do not matter, unless the user says otherwise. An estimate would change
/// from look to look.
const FLOOR: f64 = 0.01;

/// Why a race has no verdict at first.
const TOO_FEW: &str = "too few pairs of runs for an interval";

/// A run of a race.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lap {
    /// Whether it is one of the new side.
    pub is_new: bool,
    /// The logarithm of its time.
    pub logarithm: f64,
}

/// Returns the order of the next block of four runs, and whether each is one of the new side: two neighboring pairs, one the other way
/// round, so that what drifts evenly cancels out.
pub fn next_block(random: &mut ChaCha8Rng) -> [bool; 4] {
    let mut order = [false, true];
    shuffle(&mut order, random);
    let [first, second] = order;
    [first, second, second, first]
}

/// Returns the differences between neighbors of different sides, in the order in which they ran: what drifts, such as the
/// temperature, is about the same for both. Runs without a partner are left out.
pub fn pairs(laps: &[Lap]) -> Vec<f64> {
    let mut pairs = Vec::with_capacity(laps.len() / 2);
    let mut laps = laps.iter().peekable();
    while let Some(first) = laps.next() {
        if let Some(second) = laps.next_if(|second| second.is_new != first.is_new) {
            let (base, new) = if first.is_new { (second, first) } else { (first, second) };
            pairs.push(new.logarithm - base.logarithm);
        }
    }
    pairs
}

/// How the time of a run is taken: by which clock, and from which iterations.
#[derive(Debug, Clone, Copy)]
pub struct RunTime {
    pub clock: Clock,
    /// Whether the invocations of a run are its iterations, or the run is one.
    pub by_iteration: bool,
    pub summary: Summary,
}

impl RunTime {
    /// Returns the logarithm of the time of each run of a side; runs without times by the clock have none.
    pub fn logarithms(self, side: &Runs) -> BTreeMap<&str, f64> {
        let runs = side.times(self.clock).chunk_by(|one, next| one.run == next.run);
        runs.filter_map(|rows| {
            let total = Side::of(rows, self.by_iteration).total;
            let times: Vec<f64> = total.first()?.values().copied().collect();
            Some((rows.first()?.run.as_str(), self.summary.of(&times).ln()))
        })
        .collect()
    }
}

/// The order of the runs of a race that is over.
#[derive(Debug, Clone, Default)]
pub struct RunOrder {
    /// Whether it is one of the new side, and the label of each run.
    pub runs: Vec<(bool, String)>,
}

impl RunOrder {
    /// Judges the total of the baseline and the new side.
    pub fn standing(&self, sides: [&Runs; 2], time: RunTime, floor: Option<f64>) -> Standing {
        let [base, new] = sides.map(|side| time.logarithms(side));
        let laps = self.runs.iter().filter_map(|(is_new, label)| {
            let times = if *is_new { &new } else { &base };
            let logarithm = *times.get(label.as_str())?;
            Some(Lap { is_new: *is_new, logarithm })
        });
        Standing::of(&pairs(&laps.collect::<Vec<_>>()), floor)
    }
}

/// The state of a race.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Standing {
    /// The ratio with an interval that holds however often it is looked at; `None` while there are too few runs.
    pub interval: Option<Interval>,
    /// The noise floor, as a ratio.
    pub floor: f64,
    pub verdict: Verdict,
    /// Number of pairs of runs.
    pub pairs: u64,
}

impl Standing {
    /// Judges the pairs so far.
    pub fn of(pairs: &[f64], floor: Option<f64>) -> Self {
        let floor = floor.unwrap_or(FLOOR).exp();
        let interval = anytime_ratio(pairs);
        let verdict = match interval {
            None => Verdict::NotComparable,
            Some(it) if it.low > floor => Verdict::Slower,
            Some(it) if it.high < floor.recip() => Verdict::Faster,
            Some(it) if it.low >= floor.recip() && it.high <= floor => Verdict::Same,
            Some(_) => Verdict::Ambiguous,
        };
        Self { interval, floor, verdict, pairs: pairs.len() as u64 }
    }

    /// Whether further runs would not change the verdict.
    pub const fn is_decided(&self) -> bool {
        matches!(self.verdict, Verdict::Faster | Verdict::Slower | Verdict::Same)
    }
}

impl Judged {
    /// Replaces what was judged as if the number of runs had been fixed before. What cannot be compared stays so.
    pub fn race(&mut self, standing: &Standing) {
        let too_few = standing.interval.is_none().then(|| TOO_FEW.to_owned());
        self.reason = self.reason.take().filter(|_| self.interval.is_some()).or(too_few);
        self.verdict =
            if self.reason.is_some() { Verdict::NotComparable } else { standing.verdict };
        self.interval = standing.interval;
        (self.p, self.q) = (f64::NAN, f64::NAN);
        self.floor = standing.floor;
        self.runs = Some(standing.pairs);
        let undecided = standing.interval.filter(|_| self.verdict == Verdict::Ambiguous);
        self.further_runs = undecided.and_then(|it| {
            let distance = (it.ratio.ln().abs() - standing.floor.ln()).abs();
            further(it, distance, standing.pairs)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laps(sides: &str, times: &[f64]) -> Vec<Lap> {
        let side = |(letter, time): (char, &f64)| Lap { is_new: letter == 'B', logarithm: *time };
        sides.chars().zip(times).map(side).collect()
    }

    #[test]
    fn neighbors_of_both_sides_are_pairs() {
        assert_eq!(pairs(&laps("ABBA", &[1.0, 2.0, 5.0, 3.0])), [1.0, 2.0]);
        assert_eq!(pairs(&laps("BAABA", &[1.0, 2.0, 5.0, 3.0, 9.0])), [-1.0, -2.0]);
        // A run is missing.
        assert_eq!(pairs(&laps("ABAABA", &[1.0, 2.0, 4.0, 5.0, 7.0, 0.0])), [1.0, 2.0]);
        assert!(pairs(&laps("AAA", &[1.0, 2.0, 3.0])).is_empty());
    }

    #[test]
    fn the_floor_decides_what_matters() {
        let of = |middle: f64, floor| {
            let pairs: Vec<f64> =
                (0..20).map(|nth| middle + f64::from(nth % 3 - 1) * 1e-3).collect();
            Standing::of(&pairs, floor).verdict
        };
        assert_eq!(of(0.03, None), Verdict::Slower);
        assert_eq!(of(-0.03, None), Verdict::Faster);
        assert_eq!(of(0.003, None), Verdict::Same);
        assert_eq!(of(0.01, None), Verdict::Ambiguous);
        assert_eq!(of(0.003, Some(0.001)), Verdict::Slower);
        assert_eq!(Standing::of(&[0.5; 3], None).verdict, Verdict::NotComparable);
        // Without any noise, four pairs suffice.
        assert_eq!(Standing::of(&[0.0; 4], None).verdict, Verdict::Same);
    }
}

//! The proof: runs of the untuned and the tuned model in turns, until it is decided for each target and the whole.
//!
//! Targets that gain nothing are dropped, and the rest is proven again. The whole must be faster. Targets that are too
//! small to decide stay if it is.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::budget::{FEWEST_BLOCKS, PROOF_BLOCKS, RUNS};
use super::finals::wrong_alone;
use super::measure::{Measure, Measured, Points, Stage, Times};
use super::search::{Limits, broken, changed, own};
use crate::cli::error::CliError;
use crate::compare::{Lap, Standing, Verdict, pairs};
use crate::statistics::{median, shuffle};
use crate::tuning::space::Space;

/// How the tuned model compares with the untuned one.
#[derive(Debug, Clone)]
pub struct Proof {
    pub points: Points,
    pub total: Standing,
    /// One for each target.
    pub targets: Vec<Standing>,
    /// The times of the whole model, untuned and tuned.
    pub ns: [f64; 2],
}

/// What is told while it is proven.
pub enum Told<'a> {
    /// The results are those of the untuned model.
    Right,
    /// A block of runs.
    Block(u32, &'a Standing),
    /// A target that is left as it was, and why.
    Dropped(usize, String),
    /// The budget ended after so many blocks, before it was decided.
    OutOfTime(u32),
    /// The budget leaves no time to prove what was found, or what is left of it.
    NoTime,
}

/// Proves points, and drops those that do not pay. Returns `None` if nothing pays, or if it is not decided in time.
pub fn run(
    spaces: &[Space],
    mut points: Points,
    limits: Limits,
    measure: &mut dyn Measure,
    tell: &mut dyn FnMut(Told<'_>),
) -> Result<Option<Proof>, CliError> {
    let own = own(spaces);
    while points != own {
        if let Some(how) = measure.difference(&points)? {
            let wrong = wrong_alone(&own, &points, measure)?;
            if wrong.is_empty() {
                // Targets come in the order of what they may save.
                let Some(nth) = changed(&own, &points).pop() else { return Ok(None) };
                tell(Told::Dropped(nth, format!("with the others its results are wrong: {how}")));
                reset(&mut points, &own, nth);
            }
            for (nth, _, how) in wrong {
                tell(Told::Dropped(nth, format!("its results are wrong: {how}")));
                reset(&mut points, &own, nth);
            }
            continue;
        }
        tell(Told::Right);
        let proof = match race(&own, &points, limits, measure, tell)? {
            Ok(proof) => proof,
            Err(words) => {
                for nth in changed(&own, &points) {
                    tell(Told::Dropped(nth, format!("the tuned model does not run: {words}")));
                }
                return Ok(None);
            }
        };
        let is_faster = proof.total.verdict == Verdict::Faster;
        let mut losing = changed(&own, &points);
        losing.retain(|nth| proof.targets.get(*nth).is_none_or(|it| loses(it, is_faster)));
        // Without time to prove the rest, what is proven stands as a whole.
        let is_last = limits.left(measure) < measure.costs().proof(FEWEST_BLOCKS);
        if losing.is_empty() || is_last {
            if !is_faster && losing.len() < changed(&own, &points).len() {
                tell(Told::NoTime);
            }
            return Ok(is_faster.then_some(proof));
        }
        for nth in losing {
            tell(Told::Dropped(nth, "it is not faster in new runs".to_owned()));
            reset(&mut points, &own, nth);
        }
    }
    Ok(None)
}

/// Whether a target does not pay. One of which it is undecided pays in a model that is faster, if it seems to gain and is
/// not slower by more than the floor.
fn loses(of: &Standing, is_faster: bool) -> bool {
    let seems_to_gain =
        of.interval.is_some_and(|it| it.ratio < of.floor.recip() && it.high < of.floor);
    of.verdict != Verdict::Faster
        && !(is_faster && of.verdict == Verdict::Ambiguous && seems_to_gain)
}

fn reset(points: &mut Points, own: &Points, nth: usize) {
    if let (Some(point), Some(own)) = (points.get_mut(nth), own.get(nth)) {
        *point = *own;
    }
}

/// Runs both modules in turns. The inner error says why the tuned one does not run.
fn race(
    own: &Points,
    points: &Points,
    limits: Limits,
    measure: &mut dyn Measure,
    tell: &mut dyn FnMut(Told<'_>),
) -> Result<Result<Proof, String>, CliError> {
    let mut random = ChaCha8Rng::seed_from_u64(limits.seed);
    let mut laps: Vec<(bool, Times)> = Vec::new();
    let mut block = 0;
    loop {
        block += 1;
        let mut order = [false, true];
        shuffle(&mut order, &mut random);
        let [first, second] = order;
        let order = [first, second, second, first];
        let candidates = order.map(|is_new| if is_new { points.clone() } else { own.clone() });
        for (is_new, measured) in
            order.into_iter().zip(measure.run(Stage::Proof, block, &candidates)?)
        {
            match measured {
                Measured::Times(times) => laps.push((is_new, times)),
                Measured::Refused(words) if is_new => return Ok(Err(words)),
                Measured::Refused(words) => return Err(broken(&words)),
                Measured::SameCode(_) => {}
            }
        }
        let standing = |of: &dyn Fn(&Times) -> f64| {
            let lap = |(is_new, times): &(bool, Times)| Lap {
                is_new: *is_new,
                logarithm: of(times).ln(),
            };
            Standing::of(&pairs(&laps.iter().map(lap).collect::<Vec<_>>()), Some(limits.floor))
        };
        let total = standing(&|times| times.total);
        let of_target = |nth: usize| {
            standing(&|times: &Times| times.targets.get(nth).copied().flatten().unwrap_or(f64::NAN))
        };
        let targets: Vec<Standing> = (0..own.len()).map(of_target).collect();
        tell(Told::Block(block, &total));
        let is_decided = |nth: &usize| targets.get(*nth).is_some_and(Standing::is_decided);
        let is_decided = total.is_decided() && changed(own, points).iter().all(is_decided);
        let is_out_of_time = limits.left(measure) < measure.costs().run * RUNS;
        if is_out_of_time && !is_decided && block < PROOF_BLOCKS {
            tell(Told::OutOfTime(block));
        }
        if is_decided || is_out_of_time || block == PROOF_BLOCKS {
            let middle = |is_new: bool| {
                let of_side = laps.iter().filter(|(side, _)| *side == is_new);
                median(&of_side.map(|(_, times)| times.total).collect::<Vec<_>>())
            };
            let ns = [middle(false), middle(true)];
            return Ok(Ok(Proof { points: points.clone(), total, targets, ns }));
        }
    }
}

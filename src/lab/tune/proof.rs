//! The proof: runs of the untuned and the tuned model in turns, until it is decided for each target and the whole.
//!
//! Targets that gain nothing are dropped, and the rest is proven again. The whole must be faster. Targets too small to
//! decide stay if the whole model is faster.

use model::compare::{Lap, Standing, Verdict, next_block, pairs};
use model::statistics::median;
use model::tuning::space::Space;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::budget::{FEWEST_BLOCKS, PROOF_BLOCKS, RUNS};
use super::error::TuneError;
use super::evaluator::{Evaluation, Evaluator, Points, Stage, Times};
use super::finals::{WrongPoint, wrong_alone};
use super::search::{Limits, broken, changed, own};

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

/// How far a proof is.
#[derive(Debug)]
pub enum ProofEvent<'a> {
    /// The results are those of the untuned model.
    Right,
    /// A block of runs has ended.
    Block { number: u32, standing: &'a Standing },
    /// The target of this number is left as it was.
    Dropped { target: usize, why: String },
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
    evaluator: &mut dyn Evaluator,
    listener: &mut dyn FnMut(ProofEvent<'_>),
) -> Result<Option<Proof>, TuneError> {
    let own = own(spaces);
    while points != own {
        if let Some(how) = evaluator.difference(&points)? {
            let wrong = wrong_alone(&own, &points, evaluator)?;
            if wrong.is_empty() {
                // Targets come in the order of what they may save.
                let Some(nth) = changed(&own, &points).pop() else { return Ok(None) };
                let why = format!("with the others its results are wrong: {how}");
                listener(ProofEvent::Dropped { target: nth, why });
                reset(&mut points, &own, nth);
            }
            for WrongPoint { target, difference, .. } in wrong {
                let why = format!("its results are wrong: {difference}");
                listener(ProofEvent::Dropped { target, why });
                reset(&mut points, &own, target);
            }
            continue;
        }
        listener(ProofEvent::Right);
        let proof = match race(&own, &points, limits, evaluator, listener)? {
            Ok(proof) => proof,
            Err(words) => {
                for target in changed(&own, &points) {
                    let why = format!("the tuned model does not run: {words}");
                    listener(ProofEvent::Dropped { target, why });
                }
                return Ok(None);
            }
        };
        let is_faster = proof.total.verdict == Verdict::Faster;
        let mut losing = changed(&own, &points);
        losing.retain(|nth| proof.targets.get(*nth).is_none_or(|it| loses(it, is_faster)));
        // Without time to prove the rest, what is proven stands as a whole.
        let is_last = limits.left(evaluator) < evaluator.costs().proof(FEWEST_BLOCKS);
        if losing.is_empty() || is_last {
            if !is_faster && losing.len() < changed(&own, &points).len() {
                listener(ProofEvent::NoTime);
            }
            return Ok(is_faster.then_some(proof));
        }
        for nth in losing {
            let why = "it is not faster in new runs".to_owned();
            listener(ProofEvent::Dropped { target: nth, why });
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
    evaluator: &mut dyn Evaluator,
    listener: &mut dyn FnMut(ProofEvent<'_>),
) -> Result<Result<Proof, String>, TuneError> {
    let mut random = ChaCha8Rng::seed_from_u64(limits.seed);
    let mut laps: Vec<(bool, Times)> = Vec::new();
    let mut block = 0;
    loop {
        block += 1;
        let order = next_block(&mut random);
        let candidates = order.map(|is_new| if is_new { points.clone() } else { own.clone() });
        for (is_new, measured) in
            order.into_iter().zip(evaluator.run(Stage::Proof, block, &candidates)?)
        {
            match measured {
                Evaluation::Times(times) => laps.push((is_new, times)),
                Evaluation::Refused(refusal) if is_new => return Ok(Err(refusal.words)),
                Evaluation::Refused(refusal) => return Err(broken(&refusal.words)),
                Evaluation::SameCode(_) => {}
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
        listener(ProofEvent::Block { number: block, standing: &total });
        let is_decided = |nth: &usize| targets.get(*nth).is_some_and(Standing::is_decided);
        let is_decided = total.is_decided() && changed(own, points).iter().all(is_decided);
        let is_out_of_time = limits.left(evaluator) < evaluator.costs().run * RUNS;
        if is_out_of_time && !is_decided && block < PROOF_BLOCKS {
            listener(ProofEvent::OutOfTime(block));
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

//! The finals: the best points of the search are verified, then measured again in blocks with the compiler's own choice.
//! After every second block the worse half of each target's points is out (successive halving; Jamieson and Talwalkar,
//! *Non-stochastic Best Arm Identification and Hyperparameter Optimization*, 2016), and whoever's interval is beyond the
//! best. Only what is measured here counts, as the times by which points were chosen flatter them.

use model::compare::{Standing, Verdict};
use model::statistics::{float, shuffle};
use model::tuning::space::Space;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::budget::{FEWEST_BLOCKS, FINAL_BLOCKS};
use super::error::TuneError;
use super::evaluator::{Evaluation, Evaluator, Points, Stage, Times};
use super::search::{Limits, alone, broken, changed, own, ratios, rounds};

/// A point with the logarithms of its ratios to the own choice.
struct Finalist {
    point: usize,
    ratios: Vec<f64>,
}

impl Finalist {
    fn level(&self) -> f64 {
        if self.ratios.is_empty() {
            return f64::INFINITY;
        }
        self.ratios.iter().sum::<f64>() / float(self.ratios.len())
    }

    /// Whether the interval of the differences to a better point, block by block, says that it is one.
    fn is_slower_than(&self, better: &[f64]) -> bool {
        let pairs = self.ratios.iter().zip(better).map(|(own, better)| own - better);
        let pairs: Vec<f64> = pairs.filter(|it| it.is_finite()).collect();
        Standing::of(&pairs, Some(0.0)).verdict == Verdict::Slower
    }
}

/// A point whose results are wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrongPoint {
    /// The number of its target.
    pub target: usize,
    pub point: usize,
    /// How its results differ.
    pub difference: String,
}

/// Returns the best point of each target, or the compiler's own choice if none gains more than the floor. Leaves out the
/// worse points if there is no time for all of them and a proof.
pub fn run(
    spaces: &[Space],
    mut points: Vec<Vec<usize>>,
    limits: Limits,
    evaluator: &mut dyn Evaluator,
) -> Result<(Points, Vec<WrongPoint>), TuneError> {
    let most = evaluator.costs().finalists(limits.left(evaluator));
    for all in &mut points {
        all.truncate(most);
    }
    let (points, wrong) = verified(spaces, points, evaluator)?;
    let mut left: Vec<Vec<Finalist>> = points
        .into_iter()
        .map(|all| all.into_iter().map(|point| Finalist { point, ratios: Vec::new() }).collect())
        .collect();
    let mut random = ChaCha8Rng::seed_from_u64(limits.seed);
    let mut round = 0;
    while left.iter().any(|all| !all.is_empty()) {
        let is_last = left.iter().all(|all| all.len() <= 1);
        let (costs, most) =
            (evaluator.costs(), left.iter().map(Vec::len).max().unwrap_or_default());
        let blocks = costs.run * FINAL_BLOCKS * u32::try_from(most + 1).unwrap_or(u32::MAX);
        if round > 0 && blocks + costs.proof(FEWEST_BLOCKS) > limits.left(evaluator) {
            break;
        }
        for _ in 0..FINAL_BLOCKS {
            round += 1;
            block(spaces, &mut left, round, &mut random, evaluator)?;
        }
        for all in &mut left {
            all.sort_by(|one, other| one.level().total_cmp(&other.level()));
            all.truncate(all.len().div_ceil(2));
            let best = all.first().map(|it| it.ratios.clone()).unwrap_or_default();
            all.retain(|it| !it.is_slower_than(&best));
        }
        if is_last {
            break;
        }
    }
    let best = spaces.iter().zip(&left).map(|(space, all)| {
        let gains = all.first().filter(|it| it.level() < -limits.floor);
        gains.map_or(space.own, |it| it.point)
    });
    Ok((best.collect(), wrong))
}

/// Returns the points whose results are right, and those whose are not.
fn verified(
    spaces: &[Space],
    points: Vec<Vec<usize>>,
    evaluator: &mut dyn Evaluator,
) -> Result<(Vec<Vec<usize>>, Vec<WrongPoint>), TuneError> {
    let own = own(spaces);
    let mut wrong = Vec::new();
    for candidate in rounds(&points, &own) {
        if evaluator.difference(&candidate)?.is_some() {
            wrong.extend(wrong_alone(&own, &candidate, evaluator)?);
        }
    }
    let is_right = |target: usize, point: &usize| {
        !wrong.iter().any(|it: &WrongPoint| (it.target, &it.point) == (target, point))
    };
    let kept = points.into_iter().enumerate().map(|(target, mut all)| {
        all.retain(|point| is_right(target, point));
        all
    });
    Ok((kept.collect(), wrong))
}

/// Returns which points of a candidate give wrong results alone.
pub(crate) fn wrong_alone(
    own: &Points,
    candidate: &Points,
    evaluator: &mut dyn Evaluator,
) -> Result<Vec<WrongPoint>, TuneError> {
    let mut wrong = Vec::new();
    for nth in changed(own, candidate) {
        let difference = evaluator.difference(&alone(own, candidate, nth))?;
        if let (Some(difference), Some(point)) = (difference, candidate.get(nth)) {
            wrong.push(WrongPoint { target: nth, point: *point, difference });
        }
    }
    Ok(wrong)
}

/// Measures all that are left and the own choice, in random order.
fn block(
    spaces: &[Space],
    left: &mut [Vec<Finalist>],
    round: u32,
    random: &mut ChaCha8Rng,
    evaluator: &mut dyn Evaluator,
) -> Result<(), TuneError> {
    let own = own(spaces);
    let most = left.iter().map(Vec::len).max().unwrap_or_default();
    // The own choice is in the middle, as all others are compared to it.
    let mut order: Vec<Option<usize>> = (0..most).map(Some).collect();
    shuffle(&mut order, random);
    order.insert(order.len() / 2, None);
    let candidate = |nth: &Option<usize>| -> Points {
        let each = left.iter().zip(&own);
        let point = |all: &Vec<Finalist>| Some(all.get((*nth)?)?.point);
        each.map(|(all, own)| point(all).unwrap_or(*own)).collect()
    };
    let candidates: Vec<Points> = order.iter().map(candidate).collect();
    let measured = evaluator.run(Stage::Final, round, &candidates)?;
    let times = |measured: &Evaluation| match measured {
        Evaluation::Times(times) => Ok(times.clone()),
        Evaluation::SameCode(_) => Err("it was not measured".to_owned()),
        Evaluation::Refused(refusal) => Err(refusal.words.clone()),
    };
    let place = order.iter().position(Option::is_none).unwrap_or_default();
    let base: Times =
        measured.get(place).map_or_else(|| Err(String::new()), times).map_err(|it| broken(&it))?;
    for (nth, measured) in order.iter().zip(&measured) {
        let Some(nth) = nth else { continue };
        let ratios = times(measured).map(|times| ratios(&times, &base)).unwrap_or_default();
        for (target, all) in left.iter_mut().enumerate() {
            if let Some(finalist) = all.get_mut(*nth) {
                // What fails now and then is no winner.
                let ratio = ratios.get(target).copied().flatten();
                finalist.ratios.push(ratio.map_or(f64::INFINITY, f64::ln));
            }
        }
    }
    Ok(())
}

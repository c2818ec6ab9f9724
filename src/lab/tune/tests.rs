//! Plays models whose candidates take times that are known, to test what a search decides.

use std::path::Path;
use std::time::Duration;

use model::compare::Verdict;
use model::tuning::configuration::dispatches;
use model::tuning::space::{Cpu, Space};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::budget::Costs;
use super::error::TuneError;
use super::evaluator::{Evaluation, Evaluator, Points, Refusal, Stage, Times};
use super::proof::ProofEvent;
use super::search::{JointSearch, Limits};
use super::tried::Tried;
use super::{finals, proof};

const LIMITS: Limits = Limits {
    budget: Duration::from_mins(5),
    candidates: 100,
    // As long as there are candidates: those that are faster have nothing in common by which they could be found.
    patience: 9,
    floor: 0.02,
    seed: 1,
};

/// A played model: each target takes 1 ms with the compiler's own choice, and the rest of the model 0.5 ms.
struct Played {
    spaces: Vec<Space>,
    /// The factor of a target's time at a point; `None` if the point is refused.
    factor: fn(usize, usize) -> Option<f64>,
    is_wrong: fn(usize, usize) -> bool,
    /// Standard deviation of the logarithms of times.
    noise: f64,
    random: ChaCha8Rng,
    runs: u32,
    refused: u32,
    limits: Limits,
}

impl Played {
    fn new(seed: u64, factor: fn(usize, usize) -> Option<f64>) -> Self {
        let random = ChaCha8Rng::seed_from_u64(seed);
        let is_wrong = |_: usize, _: usize| false;
        Self {
            spaces: spaces(),
            factor,
            is_wrong,
            noise: 0.03,
            random,
            runs: 0,
            refused: 0,
            limits: LIMITS,
        }
    }

    /// Draws noise, with a run in thirty that something disturbs.
    fn disturbance(&mut self) -> f64 {
        let mut uniform = || f64::from(self.random.next_u32()) / f64::from(u32::MAX);
        let normal: f64 = (0..12).map(|_| uniform()).sum::<f64>() - 6.0;
        let disturbed = if uniform() < 1.0 / 30.0 { 1.5 } else { 1.0 };
        (normal * self.noise).exp() * disturbed
    }

    fn measured(&mut self, points: &Points) -> Evaluation {
        let factors: Option<Vec<f64>> =
            points.iter().enumerate().map(|(nth, point)| (self.factor)(nth, *point)).collect();
        let Some(factors) = factors else {
            self.refused += 1;
            return Evaluation::Refused(Refusal { is_compiled: false, words: "no".to_owned() });
        };
        self.runs += 1;
        // What disturbs a run disturbs all of it.
        let disturbance = self.disturbance();
        let targets: Vec<f64> = factors
            .into_iter()
            .map(|factor| 1e6 * factor * disturbance * (self.disturbance() - 1.0).mul_add(0.3, 1.0))
            .collect();
        let total = targets.iter().sum::<f64>() + 5e5 * disturbance;
        Evaluation::Times(Times { targets: targets.into_iter().map(Some).collect(), total })
    }

    /// Tunes the model. Returns the points that win.
    fn tuned(&mut self, seed: u64) -> Option<proof::Proof> {
        let spaces = self.spaces.clone();
        let limits = Limits { floor: 0.02_f64.ln_1p(), seed, ..self.limits };
        let best =
            JointSearch::new(&spaces, &[], Vec::new(), limits).run(self, &mut |_| {}).unwrap();
        let (points, _) = finals::run(&spaces, best, limits, self).unwrap();
        proof::run(&spaces, points, limits, self, &mut |_| {}).unwrap()
    }
}

impl Evaluator for Played {
    fn run(
        &mut self,
        _: Stage,
        _: u32,
        candidates: &[Points],
    ) -> Result<Vec<Evaluation>, TuneError> {
        Ok(candidates.iter().map(|points| self.measured(points)).collect())
    }

    fn difference(&mut self, points: &Points) -> Result<Option<String>, TuneError> {
        let mut each = points.iter().enumerate();
        let is_wrong =
            each.any(|(nth, point)| *point != self.spaces[nth].own && (self.is_wrong)(nth, *point));
        Ok(is_wrong.then(|| "element 0 is 1 instead of 2".to_owned()))
    }

    fn spent(&self) -> Duration {
        Duration::from_secs(u64::from(self.runs))
    }

    fn costs(&self) -> Costs {
        Costs { run: Duration::from_secs(1), ..Costs::default() }
    }
}

/// The spaces of two real dispatches.
fn spaces() -> Vec<Space> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data/configurations/mlp");
    let space = |nth: u32| {
        let path = folder.join(format!("configured_module_main_dispatch_{nth}.mlir"));
        let dispatch = dispatches(&std::fs::read_to_string(path).unwrap()).unwrap().remove(0);
        let root = dispatch.root().unwrap();
        let cpu = Cpu::of(dispatch.target.as_ref().unwrap());
        Space::of_cpu(root, &dispatch.configuration(root), cpu).unwrap()
    };
    vec![space(0), space(1)]
}

#[test]
fn equal_candidates_have_no_winner() {
    let winners =
        (0..100).filter(|seed| Played::new(*seed, |_, _| Some(1.0)).tuned(*seed).is_some());
    let winners = winners.count();
    assert!(winners <= 5, "{winners} of 100");
}

#[test]
fn faster_candidates_are_found_and_proven() {
    // One point in twenty of the first target takes 30 % less, and one in ten is refused. Nothing helps the second.
    let factor = |target: usize, point: usize| match (target, point % 20) {
        (_, 3 | 4) => None,
        (0, 7) => Some(0.7),
        (0, _) => Some(1.1),
        _ => Some(1.05),
    };
    let mut found = 0;
    for seed in 0..20 {
        let mut played = Played::new(seed, factor);
        // The compiler's own choice is as fast as the others.
        assert!(!matches!(played.spaces[0].own % 20, 3 | 4 | 7));
        let proof = played.tuned(seed);
        assert!(played.refused > 0);
        let Some(proof) = proof else { continue };
        assert_eq!(proof.points[0] % 20, 7);
        // Nothing is certain of the second one, unless it stays as it is.
        let is_own = proof.points[1] == played.spaces[1].own;
        assert!(is_own || proof.targets[1].verdict == Verdict::Ambiguous);
        assert_eq!(proof.total.verdict, Verdict::Faster);
        found += 1;
    }
    assert!(found >= 18, "{found} of 20");
}

#[test]
fn wrong_candidates_never_win() {
    let factor =
        |target: usize, point: usize| Some(if target == 0 && point % 20 == 7 { 0.5 } else { 1.0 });
    let mut played = Played {
        is_wrong: |target, point| target == 0 && point % 20 == 7,
        ..Played::new(1, factor)
    };
    assert!(played.tuned(1).is_none());
    // The same without errors has a winner.
    assert!(Played::new(1, factor).tuned(1).is_some());
}

#[test]
fn what_is_refused_counts_for_the_target_that_is_to_blame() {
    // One point in twenty of the first target is refused, also in candidates that change both.
    let factor = |target: usize, point: usize| (target == 1 || point % 20 != 3).then_some(1.0);
    let mut played = Played::new(1, factor);
    let spaces = played.spaces.clone();
    assert_ne!(spaces[0].own % 20, 3);
    let mut search = JointSearch::new(&spaces, &[], Vec::new(), LIMITS);
    search.run(&mut played, &mut |_| {}).unwrap();
    let [first, second]: [Tried; 2] = search.tried().try_into().unwrap();
    assert!(first.measured > 0 && first.not_compiled > 0, "{first:?}");
    assert_eq!(first.reason.as_ref().map(|it| it.count), Some(first.not_compiled));
    assert_eq!((second.not_compiled, second.not_run, second.reason), (0, 0, None));
    // What earlier runs know counts as well, but for the compiler's own choice.
    let refusal = Refusal { is_compiled: true, words: "lost".to_owned() };
    let other = spaces[0].neighbor_of_own();
    let earlier = [vec![(other, Err(refusal)), (spaces[0].own, Ok(1.0))], Vec::new()];
    let search = JointSearch::new(&spaces, &earlier, Vec::new(), LIMITS);
    let counts: Vec<[u64; 2]> = search.tried().iter().map(|it| [it.measured, it.not_run]).collect();
    assert_eq!(counts, [[0, 1], [0, 0]]);
}

#[test]
fn what_is_wrong_only_together_is_dropped() {
    /// Wrong if both targets are changed, which takes half the time of each.
    struct Together(Played);
    impl Evaluator for Together {
        fn run(
            &mut self,
            stage: Stage,
            round: u32,
            candidates: &[Points],
        ) -> Result<Vec<Evaluation>, TuneError> {
            let mut all = self.0.run(stage, round, candidates)?;
            for (measured, points) in all.iter_mut().zip(candidates) {
                let Evaluation::Times(times) = measured else { continue };
                for ((ns, point), space) in times.targets.iter_mut().zip(points).zip(&self.0.spaces)
                {
                    if *point != space.own {
                        times.total -= ns.unwrap() / 2.0;
                        *ns = ns.map(|ns| ns / 2.0);
                    }
                }
            }
            Ok(all)
        }
        fn difference(&mut self, points: &Points) -> Result<Option<String>, TuneError> {
            let mut each = points.iter().zip(&self.0.spaces);
            Ok(each.all(|(point, space)| *point != space.own).then(|| "wrong".to_owned()))
        }
        fn spent(&self) -> Duration {
            self.0.spent()
        }
        fn costs(&self) -> Costs {
            self.0.costs()
        }
    }
    let mut played = Together(Played::new(1, |_, _| Some(1.0)));
    let spaces = played.0.spaces.clone();
    let points: Points = spaces.iter().map(Space::neighbor_of_own).collect();
    let mut told = Vec::new();
    let found = proof::run(&spaces, points, LIMITS, &mut played, &mut |it| {
        if let ProofEvent::Dropped { target, why } = it {
            told.push((target, why));
        }
    });
    // The one that may save less is left as it was.
    let found = found.unwrap().expect("the first is faster alone");
    assert_ne!(found.points[0], played.0.spaces[0].own);
    assert_eq!(found.points[1], played.0.spaces[1].own);
    assert_eq!((told.len(), told[0].0), (1, 1));
    assert!(told[0].1.contains("with the others its results are wrong"), "{told:?}");
}

#[test]
fn what_is_certainly_slower_leaves_the_finals_early() {
    let runs = |factor: fn(usize, usize) -> Option<f64>| {
        let mut played = Played::new(1, factor);
        let spaces = played.spaces.clone();
        let points = (0..7).filter(|point| *point != spaces[0].own).take(6).collect();
        let (best, _) =
            finals::run(&spaces, vec![points, Vec::new()], LIMITS, &mut played).unwrap();
        (played.runs, best[0])
    };
    let (equal, _) = runs(|_, _| Some(0.9));
    let (clear, best) = runs(|_, point| Some(if point == 5 { 0.3 } else { 0.9 }));
    assert_eq!(best, 5);
    assert!(clear < equal, "{clear} instead of {equal}");
}

#[test]
fn an_untuned_model_that_fails_ends_the_command() {
    let mut played = Played::new(1, |_, _| None);
    let limits = Limits { candidates: 9, patience: 1, ..LIMITS };
    let spaces = played.spaces.clone();
    let ended = JointSearch::new(&spaces, &[], Vec::new(), limits).run(&mut played, &mut |_| {});
    assert_eq!(ended.unwrap_err().to_string(), "the untuned model does not run: no");
}

#[test]
fn the_budget_holds_for_the_whole_command() {
    // One point in twenty takes 30 % less. A run takes a second.
    let factor = |_: usize, point: usize| Some(if point % 20 == 7 { 0.7 } else { 1.1 });
    let mut found = 0;
    for seed in 0..10 {
        for seconds in [40, 90, 150, 300] {
            let mut played = Played::new(seed, factor);
            played.limits.budget = Duration::from_secs(seconds);
            found += u32::from(played.tuned(seed).is_some());
            let took = u64::from(played.runs);
            assert!(took <= seconds, "{took} s instead of {seconds}");
        }
    }
    assert!(found > 8, "{found} of 40");
}

#[test]
fn what_time_does_not_decide_is_not_proven() {
    // The difference is within the noise.
    let mut played = Played { noise: 0.2, ..Played::new(1, |_, _| Some(0.97)) };
    let spaces = played.spaces.clone();
    let points: Points = spaces.iter().map(Space::neighbor_of_own).collect();
    let limits = Limits { budget: Duration::from_secs(18), ..LIMITS };
    let mut ended = Vec::new();
    let found = proof::run(&spaces, points, limits, &mut played, &mut |it| {
        if let ProofEvent::OutOfTime(block) = it {
            ended.push(block);
        }
    });
    assert!(found.unwrap().is_none());
    assert_eq!((ended, played.runs), (vec![4], 16));
}

#[test]
fn what_is_left_without_time_is_told() {
    // The first target takes half of its time, and the second more than that: together they gain nothing, but the first alone
    // would.
    let factor = |target: usize, point: usize| match (target, point) {
        (0, 7) => Some(0.5),
        (1, 7) => Some(2.5),
        _ => Some(1.0),
    };
    for (seconds, has_time) in [(20, false), (60, true)] {
        let mut played = Played { noise: 0.01, ..Played::new(1, factor) };
        let spaces = played.spaces.clone();
        assert!(spaces.iter().all(|space| space.own != 7));
        let limits = Limits { budget: Duration::from_secs(seconds), ..LIMITS };
        let (mut is_told, mut dropped) = (false, Vec::new());
        let found = proof::run(&spaces, vec![7, 7], limits, &mut played, &mut |it| match it {
            ProofEvent::NoTime => is_told = true,
            ProofEvent::Dropped { target, .. } => dropped.push(target),
            _ => {}
        });
        let points = found.unwrap().map(|proof| proof.points);
        assert_eq!(is_told, !has_time, "{seconds} s, {} runs", played.runs);
        assert_eq!(points, has_time.then(|| vec![7, spaces[1].own]));
        assert_eq!(dropped, if has_time { vec![1] } else { vec![] });
    }
}

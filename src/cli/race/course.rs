//! The course of a race: a run of each side to warm up, then blocks of four runs. Runs of an earlier race that ended early
//! take the first places in the blocks.

use std::collections::VecDeque;
use std::path::Path;
use std::time::{Duration, Instant};

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;

use super::end::End;
use super::progress::Progress;
use crate::bundle::set::{Outcome, Run, SIDES};
use crate::capture::plan::Known;
use crate::capture::{Report, Series, Start, Stop};
use crate::cli::capture::summary::{answer, nothing};
use crate::cli::compare::raced::{Summarized, logarithms};
use crate::cli::compare::sides::{self, Given};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::compare::{Lap, Runs, Standing, clock_of, objection, pairs, unlike};
use crate::engine::Parameters;
use crate::engine::comparison::KERNEL_TIME;
use crate::statistics::{Summary, shuffle};

/// When a race ends.
pub struct Plan {
    /// Largest number of runs on each side.
    pub most: u32,
    pub is_until_decided: bool,
    /// No block begins after this time.
    pub time_limit: Option<Duration>,
    /// Differences up to this logarithm of a ratio do not matter.
    pub floor: Option<f64>,
    pub seed: u64,
}

/// A race that is run.
pub struct Course<'a> {
    series: Series,
    /// Runs that count already, in their order.
    earlier: VecDeque<Run>,
    /// Whether a run of each side has warmed up the machine.
    is_warm: bool,
    base: Start,
    new: Start,
    stop: &'a Stop,
    opening: &'a Opening,
    pub progress: Progress,
}

impl<'a> Course<'a> {
    /// Prepares a race between the baseline and the new side.
    pub fn new(
        (series, earlier): (Series, VecDeque<Run>),
        (base, new): (Start, Start),
        stop: &'a Stop,
        opening: &'a Opening,
    ) -> Self {
        let progress = Progress::default();
        Self { series, earlier, is_warm: false, base, new, stop, opening, progress }
    }

    /// Whether each side has a whole run.
    pub fn has_sides(&self) -> bool {
        let runs = &self.series.manifest().runs;
        SIDES.iter().all(|side| runs.iter().any(|run| run.is_raced(side)))
    }

    /// Runs the race to its end.
    pub fn race(&mut self, plan: &Plan) -> End {
        self.run(plan).unwrap_or_else(|end| end)
    }

    fn run(&mut self, plan: &Plan) -> Result<End, End> {
        let begun = Instant::now();
        let first = match self.known()? {
            Some(known) => known,
            None => self.warm_up(plan)?,
        };
        let [base, new] = &first;
        if let Some(what) = objection(base, new).or_else(|| unlike(base, new)) {
            return Err(CliError::Unjudged(format!("the sides are not comparable: {what}")).into());
        }
        let clock = clock_of(&first).map_err(CliError::Unjudged)?;
        let by = Summarized { clock, by_iteration: true, summary: Summary::Median };
        let mut random = ChaCha8Rng::seed_from_u64(plan.seed);
        let mut laps = Vec::new();
        for block in 1..=plan.most / 2 {
            if plan.time_limit.is_some_and(|limit| begun.elapsed() >= limit) {
                return Ok(End::TimeLimit);
            }
            let mut order = [false, true];
            shuffle(&mut order, &mut random);
            let [first, second] = order;
            for is_new in [first, second, second, first] {
                laps.push(self.measured(is_new, by, plan)?);
            }
            let standing = Standing::of(&pairs(&laps), plan.floor);
            self.progress.block(block, plan.most, &standing, &pairs(&laps));
            if plan.is_until_decided && standing.is_decided() {
                return Ok(End::Decided);
            }
        }
        Ok(End::All)
    }

    /// Returns the times of the first earlier run of each side; `None` if a side has none.
    fn known(&self) -> Result<Option<[Runs; 2]>, End> {
        let first = |side: &str| self.earlier.iter().find(|run| run.is_raced(side));
        let [base, new] = SIDES;
        match (first(base), first(new)) {
            (Some(of_base), Some(of_new)) => {
                Ok(Some([self.times(base, of_base)?, self.times(new, of_new)?]))
            }
            _ => Ok(None),
        }
    }

    /// Does a run of each side that does not count, and says how long the race may take.
    fn warm_up(&mut self, plan: &Plan) -> Result<[Runs; 2], End> {
        let begun = Instant::now();
        let warm = [self.lap(false, false)?.0, self.lap(true, false)?.0];
        self.is_warm = true;
        self.progress.expects(begun.elapsed() / 2, (plan.most, plan.time_limit));
        Ok(warm)
    }

    /// Takes an earlier run, or does a run that counts.
    fn measured(&mut self, is_new: bool, by: Summarized, plan: &Plan) -> Result<Lap, End> {
        let (times, run) = if let Some(run) = self.earlier.pop_front() {
            let [base, new] = SIDES;
            let side = if is_new { new } else { base };
            if !run.is_raced(side) {
                let (name, folder) = (&run.name, self.series.path().display());
                return Err(CliError::Usage(format!(
                    "{name} in {folder} is of the other side: give --seed as when the race began, or another --output"
                ))
                .into());
            }
            (self.times(side, &run)?, run)
        } else {
            if !self.is_warm {
                self.warm_up(plan)?;
            }
            self.lap(is_new, true)?
        };
        let logarithm = logarithms(&times, by).into_values().next().ok_or_else(|| {
            let (run, clock) = (&run.name, by.clock);
            CliError::Unjudged(format!(
                "{run} has no times on the {clock}'s clock, but earlier runs have"
            ))
        })?;
        self.progress.ran(is_new, &run, times.runs.iter().any(|run| run.is_throttled));
        Ok(Lap { is_new, logarithm })
    }

    /// Does a run of a side and reads its times.
    fn lap(&mut self, is_new: bool, counts: bool) -> Result<(Runs, Run), End> {
        let [of_base, of_new] = SIDES;
        let (side, known) =
            if is_new { (of_new, &mut self.new) } else { (of_base, &mut self.base) };
        let start = Start { side: counts.then(|| side.to_owned()), ..known.clone() };
        let progress = &mut self.progress;
        let captured = self.series.capture(start, self.stop, &mut |event| progress.take(event));
        let mut report = captured.map_err(CliError::from)?;
        let run = whole(&mut report, known, self.series.path())?;
        // Each run records the same again.
        known.known = Known { captured: Vec::new(), before: 0, ..report.known };
        Ok((self.times(side, &run)?, run))
    }

    /// Reads the times of a run of a side.
    fn times(&self, side: &str, run: &Run) -> Result<Runs, End> {
        let bundle = self.series.path().join(run.bundle.as_deref().unwrap_or_default());
        let bundles = vec![format!("{}={}", run.name, bundle.display())];
        let given = Given { name: side.to_owned(), bundles };
        Ok(sides::open(&given, &KERNEL_TIME, &Parameters::default(), self.opening)?)
    }
}

/// Returns the run of a report that was done to its end and answers the question.
pub fn whole(report: &mut Report, start: &Start, folder: &Path) -> Result<Run, End> {
    if let Some(failure) = report.failure.take() {
        return Err(CliError::from(failure).into());
    }
    if report.is_interrupted {
        return Err(End::Interrupted);
    }
    if !report.has_recorded() {
        return Err(CliError::Unjudged(nothing(report, &start.wanted, folder)).into());
    }
    let mut questions = start.wanted.questions.iter();
    if let Some(lacking) = questions.find(|it| report.known.answer(it).is_none()) {
        let why = answer(report, lacking);
        return Err(CliError::Unjudged(format!("{} is {why}", lacking.name)).into());
    }
    let is_whole = |run: &&Run| run.outcome == Outcome::Captured && run.bundle.is_some();
    let lacking = || CliError::Unjudged("the tool did not come to its end".into()).into();
    report.runs.iter().rfind(is_whole).cloned().ok_or_else(lacking)
}

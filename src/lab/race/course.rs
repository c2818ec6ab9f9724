//! The course of a race: a run of each side to warm up, then blocks of four runs. Runs of an earlier race that ended early
//! take the first places in the blocks.

use std::collections::VecDeque;
use std::time::Instant;

use model::compare::{
    Lap, RunTime, Runs, Standing, clock_of, next_block, objection, pairs, unlike,
};
use model::statistics::Summary;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use read::bundle::set::{Run, SIDES};
use tools::capture::{Series, Stop};
use workspace::WorkspaceOptions;
use workspace::comparison::{Selection, SideSource};

use super::earlier;
use super::error::{RaceError, RunError};
use super::event::{End, Race, RaceEvent};
use super::request::RaceRequest;
use super::whole::whole;

/// Runs a race. Fails if it cannot begin; a failure later is the end of the race.
pub fn run(
    request: RaceRequest,
    options: &WorkspaceOptions,
    stop: &Stop,
    tell: &mut dyn FnMut(RaceEvent<'_>),
) -> Result<Race, RaceError> {
    let folder = request.folder.clone();
    let series = Series::open(&folder)?;
    let Some(earlier) = earlier::of(series.manifest(), (&request.base, &request.new)) else {
        return Err(RaceError::OtherCommands(folder));
    };
    if !earlier.is_empty() {
        tell(RaceEvent::Continues { runs: earlier.len(), folder: &folder });
    }
    let (is_warm, standing) = (false, None);
    let mut course = Course { series, earlier, is_warm, request, stop, options, tell, standing };
    let end = match course.run() {
        Err(RaceError::Run(RunError::Interrupted)) => Ok(End::Interrupted),
        end => end,
    };
    Ok(Race { end, folder, has_sides: course.has_sides(), standing: course.standing })
}

/// A race that is run.
struct Course<'a> {
    series: Series,
    /// Runs that count already, in their order.
    earlier: VecDeque<Run>,
    /// Whether a run of each side has warmed up the machine.
    is_warm: bool,
    request: RaceRequest,
    stop: &'a Stop,
    options: &'a WorkspaceOptions,
    tell: &'a mut dyn FnMut(RaceEvent<'_>),
    /// The verdict after the last block.
    standing: Option<Standing>,
}

impl Course<'_> {
    /// Whether each side has a whole run.
    fn has_sides(&self) -> bool {
        let runs = &self.series.manifest().runs;
        SIDES.iter().all(|side| runs.iter().any(|run| run.is_raced(side)))
    }

    /// Runs the race to its end.
    fn run(&mut self) -> Result<End, RaceError> {
        let begun = Instant::now();
        let first = match self.known()? {
            Some(known) => known,
            None => self.warm_up()?,
        };
        let [base, new] = &first;
        if let Some(what) = objection(base, new).or_else(|| unlike(base, new)) {
            return Err(RaceError::NotComparable(what));
        }
        let clock = clock_of(&first).map_err(RaceError::NoClock)?;
        let time = RunTime { clock, by_iteration: true, summary: Summary::Median };
        let mut random = ChaCha8Rng::seed_from_u64(self.request.seed);
        let floor = self.request.noise_floor.map(f64::ln_1p);
        let most = self.most();
        let mut laps = Vec::new();
        for block in 1..=most / 2 {
            if self.request.time_limit.is_some_and(|limit| begun.elapsed() >= limit) {
                return Ok(End::TimeLimit);
            }
            for is_new in next_block(&mut random) {
                laps.push(self.measured(is_new, time)?);
            }
            let pairs = pairs(&laps);
            let standing = Standing::of(&pairs, floor);
            (self.tell)(RaceEvent::Block { block, most, standing: &standing, pairs: &pairs });
            self.standing = Some(standing);
            if self.request.is_until_decided && standing.is_decided() {
                return Ok(End::Decided);
            }
        }
        Ok(End::AllRuns)
    }

    /// Returns the largest number of runs on each side.
    const fn most(&self) -> u32 {
        self.request.most.next_multiple_of(2)
    }

    /// Returns the times of the first earlier run of each side; `None` if a side has none.
    fn known(&self) -> Result<Option<[Runs; 2]>, RaceError> {
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
    fn warm_up(&mut self) -> Result<[Runs; 2], RaceError> {
        let begun = Instant::now();
        let warm = [self.lap(false, false)?.0, self.lap(true, false)?.0];
        self.is_warm = true;
        let (run, most) = (begun.elapsed() / 2, self.most());
        (self.tell)(RaceEvent::WarmedUp { run, most });
        Ok(warm)
    }

    /// Takes an earlier run, or does a run that counts.
    fn measured(&mut self, is_new: bool, time: RunTime) -> Result<Lap, RaceError> {
        let (times, run) = if let Some(run) = self.earlier.pop_front() {
            let [base, new] = SIDES;
            let side = if is_new { new } else { base };
            if !run.is_raced(side) {
                let folder = self.series.path().to_owned();
                return Err(RaceError::OtherSide { run: run.name, folder });
            }
            (self.times(side, &run)?, run)
        } else {
            if !self.is_warm {
                self.warm_up()?;
            }
            self.lap(is_new, true)?
        };
        let logarithm = time.logarithms(&times).into_values().next();
        let logarithm = logarithm
            .ok_or_else(|| RaceError::OtherClock { run: run.name.clone(), clock: time.clock })?;
        let is_throttled = times.runs.iter().any(|run| run.is_throttled);
        (self.tell)(RaceEvent::Ran { is_new, run: &run, is_throttled });
        Ok(Lap { is_new, logarithm })
    }

    /// Does a run of a side and reads its times.
    fn lap(&mut self, is_new: bool, counts: bool) -> Result<(Runs, Run), RaceError> {
        let [of_base, of_new] = SIDES;
        let RaceRequest { base, new, .. } = &mut self.request;
        let (side, known) = if is_new { (of_new, new) } else { (of_base, base) };
        let mut start = known.clone();
        start.side = counts.then(|| side.to_owned());
        let tell = &mut self.tell;
        let captured =
            self.series.capture(start, self.stop, &mut |event| tell(RaceEvent::Capture(event)));
        let mut report = captured.map_err(RunError::from)?;
        let run = whole(&mut report, known, self.series.path())?;
        Ok((self.times(side, &run)?, run))
    }

    /// Reads the times of a run of a side.
    fn times(&self, side: &str, run: &Run) -> Result<Runs, RaceError> {
        let bundle = self.series.path().join(run.bundle.as_deref().unwrap_or_default());
        let bundles = vec![format!("{}={}", run.name, bundle.display())];
        let source = SideSource { name: side.to_owned(), bundles };
        Ok(source.open(&Selection::default(), self.options)?)
    }
}

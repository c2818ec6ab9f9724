//! What was measured of a side: the rows of its runs, and what recorded them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use schemas::Clock;

use super::side::Side;
use super::time::Measured;

/// What recorded a run, and what disturbs or cuts it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Run {
    /// Label of its bundle.
    pub name: String,
    pub driver: String,
    pub devices: String,
    /// Whether hardware counters were read, which makes dispatches slower.
    pub has_counters: bool,
    /// Whether the device reported that it throttled its clocks.
    pub is_throttled: bool,
    /// Whether records are missing.
    pub is_cut: bool,
    /// What its records say that cannot be true.
    pub contradiction: Option<String>,
    /// How certain the number of its calls is, and how many dispatches a call has at the mean, if they are known.
    pub calls: Option<[f64; 2]>,
    /// The functions of the dispatches of a call, in order, of each kind of calls one after the other; empty if they are not
    /// known.
    pub sequence: Vec<String>,
    /// Number of functions that ran and of which no dispatch was timed, as if a filter left them out.
    pub untimed_functions: u64,
    /// When it started, on a clock that all runs of the machine share since it was booted; `None` if it is not known.
    pub started: Option<i64>,
    /// Length of the longest tick of its devices in nanoseconds, if it is known.
    pub tick_ns: Option<f64>,
    /// Digest of its bundle, if another one of the comparison is as large.
    pub digest: Option<String>,
    /// Where the bundle is, and its size in bytes; `None` if only a history or a table knows it.
    pub file: Option<(PathBuf, u64)>,
    /// The function and the inputs of the command that recorded it, if they are known.
    pub inputs: Option<String>,
    /// The sizes of its results, if they are known.
    pub results: Option<String>,
    /// The processor, and how many processors it was allowed to use, if they are known.
    pub machine: Option<String>,
    /// The flags of its command that may change times, if they are known.
    pub flags: Option<Vec<String>>,
    /// The digests of the modules that ran, if they are known.
    pub build: Option<String>,
    /// The modes that its command asked for, if they are known.
    pub asked: Option<Vec<String>>,
}

/// The runs of a side with their times.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Runs {
    /// Name of the side.
    pub name: String,
    pub runs: Vec<Run>,
    /// Times on the device's clock.
    pub device: Vec<Measured>,
    /// Times on the host's clock.
    pub host: Vec<Measured>,
    /// Dispatches by function on either clock, if the times are others.
    pub work: Vec<Measured>,
    /// The runs that were left out as copies, each with what it is a copy of.
    pub copies: Vec<[String; 2]>,
    /// The runs that were left out because they were recorded for something else.
    pub others: Vec<Run>,
}

impl Runs {
    /// Returns the times by one clock. If not `by_iteration`, a run is one iteration.
    pub fn side(&self, clock: Clock, by_iteration: bool) -> Side {
        let mut side = Side::of(self.times(clock), by_iteration).in_order(self.sequence());
        let started = |name: &String| self.runs.iter().find(|run| run.name == *name)?.started;
        side.started = side.runs.iter().map(started).collect();
        side
    }

    /// Returns the functions of the dispatches of a call, in order; empty if no run tells it.
    pub(super) fn sequence(&self) -> &[String] {
        self.runs.iter().map(|run| &*run.sequence).find(|it| !it.is_empty()).unwrap_or_default()
    }

    /// Returns the rows of one clock.
    pub fn times(&self, clock: Clock) -> &[Measured] {
        match clock {
            Clock::Device => &self.device,
            Clock::Host => &self.host,
        }
    }

    /// Returns the rows of functions.
    pub fn dispatched(&self) -> &[Measured] {
        if self.work.is_empty() {
            self.times(if self.device.is_empty() { Clock::Host } else { Clock::Device })
        } else {
            &self.work
        }
    }

    /// Leaves out copies of runs: they say nothing more.
    #[must_use]
    pub fn without_copies(mut self) -> Self {
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        let copies = &mut self.copies;
        self.runs.retain(|run| {
            let Some(digest) = run.digest.clone() else { return true };
            let first = known.entry(digest).or_insert_with(|| run.name.clone());
            let is_first = *first == run.name;
            if !is_first {
                copies.push([run.name.clone(), first.clone()]);
            }
            is_first
        });
        let is_copy = |row: &Measured| copies.iter().any(|[copy, _]| *copy == row.run);
        for rows in [&mut self.device, &mut self.host, &mut self.work] {
            if !copies.is_empty() {
                rows.retain(|row| !is_copy(row));
            }
        }
        self
    }

    /// Returns the digests of its bundles; `None` if one is not known.
    pub fn digests(&self) -> Option<BTreeSet<&str>> {
        self.runs.iter().map(|run| run.digest.as_deref()).collect()
    }

    /// Returns the clocks that timed all runs.
    fn clocks(&self) -> Vec<Clock> {
        let has = |clock: &Clock| {
            let timed: BTreeSet<&str> = self.times(*clock).iter().map(|row| &*row.run).collect();
            !self.runs.is_empty() && self.runs.iter().all(|run| timed.contains(&*run.name))
        };
        Clock::ALL.into_iter().filter(has).collect()
    }

    /// Returns what the runs have in common, or all that there is.
    pub fn all(&self, of: impl Fn(&Run) -> &str) -> BTreeSet<String> {
        self.runs.iter().map(|run| of(run).to_owned()).collect()
    }
}

/// Returns the resolution of the times that a clock measured of some sides, in nanoseconds: a tick of the slowest device, at
/// least a nanosecond.
pub fn resolution_ns(sides: &[Runs], clock: Clock) -> f64 {
    let ticks = sides.iter().flat_map(|side| &side.runs).filter_map(|run| run.tick_ns);
    ticks.filter(|_| clock == Clock::Device).fold(1.0, f64::max)
}

/// Returns the best clock that timed all runs of all sides; an error if there is none.
pub fn clock_of(sides: &[Runs]) -> Result<Clock, String> {
    if let Some(side) = sides.iter().find(|side| side.device.is_empty() && side.host.is_empty()) {
        return Err(format!(
            "{} has no times to compare: it recorded none, or no iteration with all of them (`ireescope gaps` says what it has), or option `filter` and option `warmup` leave none",
            side.name
        ));
    }
    let common =
        Clock::ALL.into_iter().find(|clock| sides.iter().all(|side| side.clocks().contains(clock)));
    common.ok_or_else(|| {
        let each = sides.iter().map(|side| {
            let clocks: Vec<&str> = side.clocks().into_iter().map(Clock::name).collect();
            let clocks =
                if clocks.is_empty() { "neither".to_owned() } else { clocks.join(" and ") };
            format!("{} has {clocks}", side.name)
        });
        format!(
            "the sides cannot be compared, because not all runs have times on the same clock (device or host), without warm-up and other functions: {}",
            each.collect::<Vec<_>>().join(", ")
        )
    })
}

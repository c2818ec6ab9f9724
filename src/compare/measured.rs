//! What was measured of a side: the rows of its runs, and what recorded them.

use std::collections::BTreeSet;

use super::side::{Measured, Side};

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
    /// Length of the longest tick of its devices in nanoseconds, if it is known.
    pub tick_ns: Option<f64>,
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
}

/// The clocks, best first.
const CLOCKS: [&str; 2] = ["device", "host"];

impl Runs {
    /// Returns the times by one clock. If not `by_iteration`, a run is one iteration.
    pub fn side(&self, clock: &str, by_iteration: bool) -> Side {
        Side::of(self.times(clock), by_iteration)
    }

    /// Returns the rows of one clock.
    pub fn times(&self, clock: &str) -> &[Measured] {
        if clock == "device" { &self.device } else { &self.host }
    }

    /// Returns the clocks that timed all runs.
    fn clocks(&self) -> Vec<&'static str> {
        let has = |clock: &&str| {
            let timed: BTreeSet<&str> = self.times(clock).iter().map(|row| &*row.run).collect();
            !self.runs.is_empty() && self.runs.iter().all(|run| timed.contains(&*run.name))
        };
        CLOCKS.into_iter().filter(has).collect()
    }

    /// Returns what the runs have in common, or all that there is.
    fn all(&self, of: impl Fn(&Run) -> &str) -> BTreeSet<String> {
        self.runs.iter().map(|run| of(run).to_owned()).collect()
    }
}

/// Returns the resolution of the times that a clock measured of some sides, in nanoseconds: a tick of the slowest device, at
/// least a nanosecond.
pub fn resolution_ns(sides: &[Runs], clock: &str) -> f64 {
    let ticks = sides.iter().flat_map(|side| &side.runs).filter_map(|run| run.tick_ns);
    ticks.filter(|_| clock == "device").fold(1.0, f64::max)
}

/// Returns the best clock that timed all runs of all sides; an error if there is none.
pub fn clock_of(sides: &[Runs]) -> Result<&'static str, String> {
    if let Some(side) = sides.iter().find(|side| side.device.is_empty() && side.host.is_empty()) {
        return Err(format!(
            "{} has no times to compare: it recorded none (`ireescope gaps` says what it has), or --filter and --warmup leave none",
            side.name
        ));
    }
    let common =
        CLOCKS.into_iter().find(|clock| sides.iter().all(|side| side.clocks().contains(clock)));
    common.ok_or_else(|| {
        let each = sides.iter().map(|side| {
            let clocks = side.clocks();
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

/// Returns why the times of two sides say nothing about their code; `None` if they may.
pub fn objection(base: &Runs, new: &Runs) -> Option<String> {
    let sides = [base, new];
    let differ = |what: &str, of: fn(&Run) -> &str| {
        let [base_has, new_has] = sides.map(|side| side.all(of));
        let list = |all: BTreeSet<String>| all.into_iter().collect::<Vec<_>>().join(" and ");
        (base_has != new_has).then(|| {
            format!(
                "they were recorded by different {what}: {} by {}, {} by {}",
                base.name,
                list(base_has),
                new.name,
                list(new_has)
            )
        })
    };
    let one = |is: fn(&Run) -> bool, what: &str| {
        let mut runs = sides.into_iter().flat_map(|side| &side.runs).filter(|run| is(run));
        runs.next().map(|run| format!("{} {what}", run.name))
    };
    let has_counters = |side: &Runs| side.runs.iter().any(|run| run.has_counters);
    let counted = sides.into_iter().find(|side| has_counters(side));
    let counted = counted.filter(|_| has_counters(base) != has_counters(new)).map(|side| {
        format!(
            "only {} was recorded with hardware counters, which slow dispatches down",
            side.name
        )
    });
    differ("drivers", |run| &run.driver)
        .or_else(|| differ("devices", |run| &run.devices))
        .or(counted)
        .or_else(|| one(|run| run.is_throttled, "says that its device throttled its clocks"))
        .or_else(|| one(|run| run.is_cut, "is truncated: records are missing"))
        .or_else(|| contradiction(sides))
}

/// Returns the first contradiction of a run, if any.
fn contradiction(sides: [&Runs; 2]) -> Option<String> {
    let mut runs = sides.into_iter().flat_map(|side| &side.runs);
    runs.find_map(|run| {
        Some(format!("{} contradicts itself: {}", run.name, run.contradiction.as_ref()?))
    })
}

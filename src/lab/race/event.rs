//! The progress of a race, and how it ends.

use std::path::{Path, PathBuf};
use std::time::Duration;

use model::compare::Standing;
use read::bundle::set::Run;
use tools::capture::Event;

use super::error::RaceError;

/// A progress event.
#[derive(Debug)]
pub enum RaceEvent<'a> {
    /// Runs of an earlier race count.
    Continues { runs: usize, folder: &'a Path },
    /// A run of each side has warmed up the machine; a run took this long.
    WarmedUp { run: Duration, most: u32 },
    /// An event of a run.
    Capture(&'a Event<'a>),
    /// A run that counts is done.
    Ran { is_new: bool, run: &'a Run, is_throttled: bool },
    /// A block of four runs is done. `pairs` are the logarithms of the ratios of neighboring runs.
    Block { block: u32, most: u32, standing: &'a Standing, pairs: &'a [f64] },
}

/// Why a race ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The verdict is decided.
    Decided,
    /// All runs are done.
    AllRuns,
    TimeLimit,
    Interrupted,
}

/// A race that is over.
#[derive(Debug)]
pub struct Race {
    /// How it ended. What was captured before a failure stays in the set.
    pub end: Result<End, RaceError>,
    /// The folder of the capture set.
    pub folder: PathBuf,
    /// Whether each side has a whole run, so that the set can be compared.
    pub has_sides: bool,
    /// The verdict on the total after the last block; `None` without one.
    pub standing: Option<Standing>,
}

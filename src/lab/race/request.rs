//! What a race is asked for.

use std::path::PathBuf;
use std::time::Duration;

use tools::capture::Start;

/// The mode that tells how fast and how hot a device is, where its driver records it.
const METRICS: &str = "device-metrics";

/// Number of runs on each side, if none is given.
pub const DEFAULT_RUNS: u32 = 20;

/// Seed of the order of the runs, if none is given.
pub const DEFAULT_SEED: u64 = 1;

/// A race between two commands.
#[derive(Debug, Clone)]
pub struct RaceRequest {
    /// The captures of the baseline, which record kernel times.
    pub base: Start,
    /// The captures of the new side.
    pub new: Start,
    /// The folder of the capture set. Runs of an earlier race of the same commands that ended early count.
    pub folder: PathBuf,
    /// Largest number of runs on each side, rounded up to an even number.
    pub most: u32,
    /// Whether the race ends as soon as the verdict on the total is decided.
    pub is_until_decided: bool,
    /// No block of four runs begins after this time.
    pub time_limit: Option<Duration>,
    /// Differences up to this share do not matter; `None` for 1 %.
    pub noise_floor: Option<f64>,
    /// Seed of the order of the runs.
    pub seed: u64,
}

impl RaceRequest {
    /// Creates the request of a race into a folder, with the defaults. The captures also record the state of the device,
    /// where its driver can.
    pub fn new(base: Start, new: Start, folder: PathBuf) -> Self {
        Self {
            base: with_metrics(base),
            new: with_metrics(new),
            folder,
            most: DEFAULT_RUNS,
            is_until_decided: true,
            time_limit: None,
            noise_floor: None,
            seed: DEFAULT_SEED,
        }
    }
}

fn with_metrics(mut start: Start) -> Start {
    if !start.known.refused.contains_key(METRICS) && !start.wanted.modes.contains(&METRICS) {
        start.wanted.modes.push(METRICS);
    }
    start
}

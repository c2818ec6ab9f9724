//! The options of `tune`, and what texts call them.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::search::Limits;

/// The options that a folder keeps. Those that are `None` have their defaults.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TuneOptions {
    /// Bundles with times of the untuned model, instead of runs.
    pub profile: Vec<String>,
    /// Tune dispatches, largest expected saving first, until they cover this share of the time; by default [`Self::COVER`].
    pub cover: Option<f64>,
    /// Tune at most so many dispatches.
    pub top: Option<u32>,
    /// Tune only dispatches whose name matches one of these patterns.
    pub dispatches: Vec<String>,
    /// The time of the whole run; by default [`Self::BUDGET`].
    pub budget: Option<Duration>,
    /// Measure at most so many candidates; by default [`Self::CANDIDATES`].
    pub candidates: Option<u32>,
    /// End the search of a dispatch after so many rounds without a better candidate; by default [`Self::PATIENCE`].
    pub patience: Option<u32>,
    /// Gains up to this share do not count; by default [`Self::NOISE_FLOOR`].
    pub noise_floor: Option<f64>,
    /// The seed of the search, the inputs and the order of the proof; by default [`Self::SEED`].
    pub seed: Option<u64>,
    /// The time limit of a compilation; by default [`Self::COMPILE_TIMEOUT`].
    pub compile_timeout: Option<Duration>,
    /// The time limit of a run; by default [`Self::RUN_TIMEOUT`].
    pub run_timeout: Option<Duration>,
    /// A JSON file of values to try instead of generated ones: patterns of dispatches, each with knobs and lists of values.
    pub space: Option<PathBuf>,
}

impl TuneOptions {
    pub const COVER: f64 = 0.95;
    pub const BUDGET: Duration = Duration::from_mins(10);
    pub const CANDIDATES: u32 = 400;
    pub const PATIENCE: u32 = 6;
    pub const NOISE_FLOOR: f64 = 0.02;
    pub const SEED: u64 = 1;
    pub const COMPILE_TIMEOUT: Duration = Duration::from_mins(2);
    pub const RUN_TIMEOUT: Duration = Duration::from_mins(2);

    /// Returns these options, and earlier ones where there are none.
    pub fn over(&self, earlier: &Self) -> serde_json::Result<Self> {
        let is_given = |value: &Value| !value.is_null() && *value != Value::Array(Vec::new());
        let mut all: Map<String, Value> = serde_json::from_value(serde_json::to_value(earlier)?)?;
        let given: Map<String, Value> = serde_json::from_value(serde_json::to_value(self)?)?;
        all.extend(given.into_iter().filter(|(_, value)| is_given(value)));
        serde_json::from_value(Value::Object(all))
    }

    pub(super) fn cover(&self) -> f64 {
        self.cover.unwrap_or(Self::COVER)
    }

    pub(super) fn top(&self) -> usize {
        self.top.map_or(usize::MAX, |top| top as usize)
    }

    pub(super) fn compile_timeout(&self) -> Duration {
        self.compile_timeout.unwrap_or(Self::COMPILE_TIMEOUT)
    }

    pub(super) fn run_timeout(&self) -> Duration {
        self.run_timeout.unwrap_or(Self::RUN_TIMEOUT)
    }

    pub(super) fn seed(&self) -> u64 {
        self.seed.unwrap_or(Self::SEED)
    }

    /// Returns when the search ends, and what counts as a gain.
    pub(super) fn limits(&self) -> Limits {
        Limits {
            budget: self.budget.unwrap_or(Self::BUDGET),
            candidates: self.candidates.unwrap_or(Self::CANDIDATES),
            patience: self.patience.unwrap_or(Self::PATIENCE),
            floor: self.noise_floor.unwrap_or(Self::NOISE_FLOOR).ln_1p(),
            seed: self.seed(),
        }
    }
}

//! The flags of `tune`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::search::Limits;
use crate::cli::values::{duration, share};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Tune {
    /// Model in MLIR
    #[arg(value_name = "MODEL", required_unless_present = "resume")]
    pub model: Option<PathBuf>,
    /// Go on with the last run of this folder: its model, flags of the compiler, command and options, unless others are
    /// given
    #[arg(long, value_name = "DIR", conflicts_with_all = ["output", "flags"])]
    pub resume: Option<PathBuf>,
    /// Run the model on this device: replaces --device of the command
    #[arg(long, value_name = "URI")]
    pub device: Option<String>,
    /// Flag of iree-compile, such as --iree-hal-target-device=vulkan; may be repeated [default: those for the CPU of this
    /// machine]
    #[arg(long = "compile-flag", short = 'C', value_name = "FLAG", allow_hyphen_values = true)]
    pub flags: Vec<String>,
    /// Folder of IREE's tools, if they are not on the PATH or in an activated Python environment
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    /// Folder of the trials and results; a run in an existing one is continued [default: MODEL.tune]
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Compile candidates and check that they are applied, for a device that is elsewhere; run nothing
    #[arg(long)]
    pub compile_only: bool,
    /// Print what would be tuned, and measure nothing but the model as it is
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub kept: Kept,
    /// The command that runs the model, without --module
    #[arg(last = true, value_name = "TOOL ARGS")]
    pub command: Vec<String>,
}

/// The options that a folder keeps for `--resume`. Those that are not given have their defaults.
#[derive(Debug, Clone, Default, PartialEq, Args, Serialize, Deserialize)]
#[serde(default)]
pub struct Kept {
    /// Bundle with times of the untuned model, instead of runs; may be repeated
    #[arg(long, value_name = "BUNDLE")]
    pub profile: Vec<String>,
    /// Tune dispatches, largest expected saving first, until they cover this share of the time [default: 95%]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub cover: Option<f64>,
    /// Tune at most so many dispatches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,
    /// Tune only dispatches whose name matches this pattern; may be repeated
    #[arg(long = "dispatch", value_name = "PATTERN")]
    pub dispatches: Vec<String>,
    /// Take no longer than this in all: what the proof needs of it is kept for the proof [default: 10m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub budget: Option<Duration>,
    /// Measure at most so many candidates [default: 400]
    #[arg(long, value_name = "N")]
    pub candidates: Option<u32>,
    /// End the search of a dispatch after so many rounds without a better candidate [default: 6]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub patience: Option<u32>,
    /// Gains up to this share do not count [default: 2%]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub noise_floor: Option<f64>,
    /// Seed of the search, the inputs and the order of the proof [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Time limit of a compilation; a candidate that takes longer is refused [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub compile_timeout: Option<Duration>,
    /// Time limit of a run; a candidate that takes longer is refused [default: 2m]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub run_timeout: Option<Duration>,
    /// Values to try instead of generated ones: a JSON file of patterns of dispatches, each with knobs and lists of values
    #[arg(long, value_name = "FILE")]
    pub space: Option<PathBuf>,
}

/// The limit of a compilation or a run if none is given.
const TIMEOUT: Duration = Duration::from_mins(2);

impl Kept {
    /// Returns these options over earlier ones.
    pub fn over(&self, earlier: &Self) -> serde_json::Result<Self> {
        let is_given = |value: &Value| !value.is_null() && *value != Value::Array(Vec::new());
        let mut all: Map<String, Value> = serde_json::from_value(serde_json::to_value(earlier)?)?;
        let given: Map<String, Value> = serde_json::from_value(serde_json::to_value(self)?)?;
        all.extend(given.into_iter().filter(|(_, value)| is_given(value)));
        serde_json::from_value(Value::Object(all))
    }

    pub fn cover(&self) -> f64 {
        self.cover.unwrap_or(0.95)
    }

    pub fn compile_timeout(&self) -> Duration {
        self.compile_timeout.unwrap_or(TIMEOUT)
    }

    pub fn run_timeout(&self) -> Duration {
        self.run_timeout.unwrap_or(TIMEOUT)
    }

    pub fn seed(&self) -> u64 {
        self.seed.unwrap_or(1)
    }

    /// Returns when the search ends, and what counts as a gain.
    pub fn limits(&self) -> Limits {
        Limits {
            budget: self.budget.unwrap_or(Duration::from_mins(10)),
            candidates: self.candidates.unwrap_or(400),
            patience: self.patience.unwrap_or(6),
            floor: self.noise_floor.unwrap_or(0.02).ln_1p(),
            seed: self.seed(),
        }
    }
}

const AFTER: &str = "\
Tries configurations of the dispatches that take the most time, all of them in one module at a time, and measures each dispatch \
in a profile of the model. What wins is raced against the untuned model with new runs, its results are compared, and only \
what is faster stays. Writes tuned.mlir (the spec), tuned.vmfb and report.md into the folder. Exit code 1 if nothing pays.

Example:
  ireescope tune model.mlir -o model.tune -- iree-benchmark-module --device=local-task --function=main \\
    --input=1x224x224x3xf32 --benchmark_min_time=5x";

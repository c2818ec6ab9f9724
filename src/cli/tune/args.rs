//! The flags of `tune`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::capture::args::duration;
use crate::cli::compare::share::share;

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Tune {
    /// Model in MLIR
    #[arg(value_name = "MODEL", required_unless_present = "resume")]
    pub model: Option<PathBuf>,
    /// Go on with the last run of this folder: its model, flags of the compiler, seed and command, unless others are given;
    /// what limits the search must be given again
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
    /// Folder of the trials and results; an existing one goes on [default: MODEL.tune]
    #[arg(long, short = 'o', value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Bundle with times of the untuned model, instead of runs; may be repeated
    #[arg(long, value_name = "BUNDLE")]
    pub profile: Vec<String>,
    /// Tune the dispatches that take this share of the time, those first that may save most
    #[arg(long, default_value = "95%", value_name = "SHARE", value_parser = share)]
    pub cover: f64,
    /// Tune at most so many dispatches
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub top: Option<u32>,
    /// Tune only dispatches whose name matches this pattern; may be repeated
    #[arg(long = "dispatch", value_name = "PATTERN")]
    pub dispatches: Vec<String>,
    /// Search no longer than this; the proof comes after it
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = duration)]
    pub budget: Duration,
    /// Measure at most so many candidates
    #[arg(long, default_value_t = 400, value_name = "N")]
    pub candidates: u32,
    /// End the search of a dispatch after so many rounds without a better candidate
    #[arg(long, default_value_t = 6, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub patience: u32,
    /// Gains up to this share do not count
    #[arg(long, default_value = "2%", value_name = "SHARE", value_parser = share)]
    pub noise_floor: f64,
    /// Seed of the search, the inputs and the order of the proof [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Time limit of a compilation; a candidate that takes longer is refused
    #[arg(long, default_value = "2m", value_name = "TIME", value_parser = duration)]
    pub compile_timeout: Duration,
    /// Time limit of a run; a candidate that takes longer is refused
    #[arg(long, default_value = "2m", value_name = "TIME", value_parser = duration)]
    pub run_timeout: Duration,
    /// Values to try instead of generated ones: a JSON file of patterns of dispatches, each with knobs and lists of values
    #[arg(long, value_name = "FILE")]
    pub space: Option<PathBuf>,
    /// Compile candidates and check that they are applied, for a device that is elsewhere; run nothing
    #[arg(long)]
    pub compile_only: bool,
    /// Print what would be tuned, and measure nothing but the model as it is
    #[arg(long)]
    pub dry_run: bool,
    /// The command that runs the model, without --module
    #[arg(last = true, value_name = "TOOL ARGS")]
    pub command: Vec<String>,
}

const AFTER: &str = "\
Tries configurations of the dispatches that take the most time, all of them in one module at a time, and measures each dispatch \
in a profile of the model. What wins is raced against the untuned model with new runs, its results are compared, and only \
what is faster stays. Writes tuned.mlir (the spec), tuned.vmfb and report.md into the folder. Exit code 1 if nothing pays.

Example:
  ireescope tune model.mlir -o model.tune -- iree-benchmark-module --device=local-task --function=main \\
    --input=1x224x224x3xf32 --benchmark_min_time=5x";

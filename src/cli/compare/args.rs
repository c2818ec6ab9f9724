//! The flags of `compare`.

use clap::{Args, ValueEnum};

use crate::cli::judging::Judging;
use crate::cli::names;
use crate::cli::values::warmup;
use crate::engine::Warmup;
use crate::engine::comparison::{MEASURES, Measure};

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Compare {
    /// The baseline, then one or more sides to compare with it: bundles, patterns, folders or capture sets, whose bundles are
    /// the runs of the side; NAME=PATH names it. The capture set of a `race` alone has both
    #[arg(required = true, num_args = 1.., value_name = "BASE NEW")]
    pub sides: Vec<String>,
    /// What is compared: kernel-time (dispatches, by function), queue-time (queue operations, by type), iteration-time (from the
    /// first dispatch of an iteration to the end of its last) or wall (from the start of an iteration to that of the next)
    #[arg(long, default_value = "kernel-time", value_name = "MEASURE", value_parser = measure)]
    pub measure: &'static Measure,
    /// Invocations at the start of a run to leave out: `auto` (those that are slower than the rest), `keep` (none), or a
    /// number
    #[arg(long, default_value = "auto", value_name = "N", value_parser = warmup, allow_hyphen_values = true)]
    pub warmup: Warmup,
    /// `auto`: the invocations of a run are its iterations; `none`: a run is one iteration
    #[arg(long, value_enum, default_value_t = Iterations::Auto)]
    pub iterations: Iterations,
    /// Correct for the machine: divide the times of each run by those of functions that have the same code on both sides, or
    /// whose names match the pattern
    #[arg(long, value_name = "PATTERN", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub control: Option<String>,
    /// Only functions whose name matches this pattern: `*` matches any characters, `?` matches one
    #[arg(long, default_value = "*", value_name = "PATTERN", hide_default_value = true)]
    pub filter: String,
    #[command(flatten)]
    pub judging: Judging,
}

const AFTER: &str = "\
Verdicts: `faster` and `slower` if the 95 % interval excludes equality, the change is at least 1 % (--noise-floor), and at \
most 5 % of such verdicts are expected to be false; `same` if it lies within the noise floor; else `ambiguous`, with the number of further runs that would \
decide. A side needs four runs; with fewer, a verdict is at most `likely`. docs/compare.md explains the methods.

Examples:
  ireescope compare before.capture after.capture
  ireescope compare base='runs/main-*.ireeprof' new='runs/branch-*.ireeprof' --fail-on slower:2% --format=markdown";

/// What the iterations of a run are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Iterations {
    Auto,
    None,
}

fn measure(name: &str) -> Result<&'static Measure, String> {
    let names = MEASURES.iter().map(|measure| measure.name);
    names::found(name, Measure::named(name), "measures", names)
}

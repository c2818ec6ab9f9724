//! The flags of `compare`.

use clap::{Args, ValueEnum};
use exporters::Format;

use super::gate;
use crate::cli::names;
use crate::cli::values::{share, warmup};
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
    pub warmup: i64,
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

/// How the sides are judged, and how that is printed.
#[derive(Debug, Args)]
pub struct Judging {
    /// How the iterations of a run are summarized
    #[arg(long, value_enum, default_value_t = Stat::Median)]
    pub stat: Stat,
    /// Differences up to this share do not matter, e.g. 1% (default: estimated from how halves of the baseline's runs differ)
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub noise_floor: Option<f64>,
    /// Maximum number of functions in text and Markdown
    #[arg(long, short = 'n', default_value_t = 20, value_name = "N")]
    pub limit: usize,
    /// Exit with 1 if a function or the total is `slower` (by more than a share: `slower:2%`), or the `total` is (`total:1%`),
    /// and with 5 if that cannot be judged; may be repeated
    #[arg(long, value_name = "RULE", value_parser = gate::rule)]
    pub fail_on: Vec<gate::Rule>,
    /// Exit with 1 if a function exceeds a limit of this TOML file, and with 5 if that cannot be judged (docs/compare.md)
    #[arg(long, value_name = "FILE")]
    pub budget: Option<std::path::PathBuf>,
    /// With --fail-on or --budget: whether a total that is ambiguous or likely slower fails, too
    #[arg(long, value_enum, default_value_t = Ambiguous::Pass)]
    pub ambiguous: Ambiguous,
    /// Output format: text, markdown (for a pull request), junit, or the rows as box, csv, tsv, json, jsonl, line, arrow or
    /// parquet
    #[arg(long, default_value = "text", value_name = "FORMAT", value_parser = shape)]
    pub format: Shape,
    /// Write to this file, atomically
    #[arg(long, short = 'o', value_name = "FILE")]
    pub output: Option<std::path::PathBuf>,
}

const AFTER: &str = "\
Verdicts: `faster` and `slower` if the 95 % interval lies beyond the noise floor and at most 5 % of such verdicts are \
expected to be false; `same` if it lies within the floor; else `ambiguous`, with the number of further runs that would \
decide. A side needs four runs; with fewer, a verdict is at most `likely`. docs/compare.md explains the methods.

Examples:
  ireescope compare before.capture after.capture
  ireescope compare base='runs/main-*.ireeprof' new='runs/branch-*.ireeprof' --fail-on slower:2% --format=markdown";

/// How the iterations of a run are summarized.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Stat {
    Median,
    Min,
    Mean,
}

/// What the iterations of a run are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Iterations {
    Auto,
    None,
}

/// Whether an ambiguous total fails a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Ambiguous {
    Pass,
    Fail,
}

/// A value of `--format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    Text,
    Markdown,
    Junit,
    Rows(Format),
}

fn measure(name: &str) -> Result<&'static Measure, String> {
    let names = MEASURES.iter().map(|measure| measure.name);
    names::found(name, Measure::named(name), "measures", names)
}

fn shape(name: &str) -> Result<Shape, String> {
    match name {
        "text" => Ok(Shape::Text),
        "markdown" => Ok(Shape::Markdown),
        "junit" => Ok(Shape::Junit),
        name => {
            let names = ["text", "junit"].into_iter().chain(Format::names());
            names::found(name, Format::named(name), "formats", names).map(Shape::Rows)
        }
    }
}

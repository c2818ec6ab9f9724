//! The flags of `race`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::cli::error::CliError;
use crate::cli::values::{duration, local, share};
use crate::compare::Rule;
use crate::race::{DEFAULT_RUNS, DEFAULT_SEED};

/// The word between the two commands.
const VERSUS: &str = "--vs";

#[derive(Debug, Args)]
#[command(after_help = AFTER)]
pub struct Race {
    /// Number of runs on each side, rounded up to an even number; with `--until decided`, at most so many [default: 20, with
    /// `--until decided`]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=10_000))]
    pub repeat: Option<u32>,
    /// `decided`: stop as soon as the verdict on the total is decided
    #[arg(long, value_enum)]
    pub until: Option<Until>,
    /// Begin no further block of four runs after this time, such as 10m
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time_limit: Option<Duration>,
    /// Folder of the capture set [default: MODULE.race in the working directory, or MODULE.race-2 and so on, if that exists]
    #[arg(long, short = 'o', value_name = "DIR", value_parser = local())]
    pub output: Option<PathBuf>,
    /// Differences up to this share do not matter [default: 1%]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub noise_floor: Option<f64>,
    /// Exit with 1 if a function or the total is `slower` (by more than a share: `slower:2%`), or the `total` is (`total:1%`),
    /// and with 5 if the race has no verdict; may be repeated
    #[arg(long, value_name = "RULE", value_parser = str::parse::<Rule>)]
    pub fail_on: Vec<Rule>,
    /// Seed of the order of the runs
    #[arg(long, value_name = "N", default_value_t = DEFAULT_SEED)]
    pub seed: u64,
    /// Folder of the tools, if they are not on the PATH or in an activated Python environment
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    /// The tool of the baseline and its arguments, `--vs`, and the tool of the new side and its arguments
    #[arg(last = true, required = true, value_name = "TOOL ARGS --vs TOOL ARGS")]
    pub tools: Vec<String>,
}

/// When a race ends before its last run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Until {
    Decided,
}

impl Race {
    /// Returns the largest number of runs on each side.
    pub fn most(&self) -> u32 {
        self.repeat.unwrap_or(DEFAULT_RUNS)
    }

    /// Whether it stops as soon as the verdict is decided.
    pub const fn is_until_decided(&self) -> bool {
        self.until.is_some() || self.repeat.is_none()
    }

    /// Splits the words into the commands of the baseline and the new side.
    pub fn commands(&self) -> Result<(&[String], &[String]), CliError> {
        let parts: Vec<&[String]> = self.tools.split(|word| word == VERSUS).collect();
        match parts.as_slice() {
            [base, new] if !base.is_empty() && !new.is_empty() => Ok((base, new)),
            _ => Err(CliError::Usage(format!(
                "give two commands after --, with one {VERSUS} between them, as in: -- iree-benchmark-module --module=a.vmfb {VERSUS} iree-benchmark-module --module=b.vmfb"
            ))),
        }
    }
}

const AFTER: &str = "\
Blocks of four runs (base, new, new, base, or the reverse, at random) measure the kernel time of both sides. After each block, \
an interval that holds however often it is looked at says whether the new side is faster, slower or, within the noise floor, \
the same. The capture set has the runs of both sides: `ireescope compare SET` compares them again. docs/compare.md explains \
the method.

Examples:
  ireescope race -- iree-benchmark-module --module=a.vmfb --benchmark_min_time=20x --vs iree-benchmark-module --module=b.vmfb --benchmark_min_time=20x
  ireescope race --repeat 30 --noise-floor 0.5% -o ab.race -- old/iree-run-module --module=m.vmfb --vs new/iree-run-module --module=m.vmfb";

//! `--check-results`: compares the results of a model that is compiled with a spec with those of the untuned model.

use std::path::Path;
use std::time::Duration;

use clap::Args;

use super::compiler::Compiling;
use crate::cli::error::CliError;
use crate::cli::flags::FLAGS;
use crate::cli::values::duration;
use crate::compiler::{Compiler, ResultCheck, SpecFlag};

/// The flags of subcommands that compare results.
#[derive(Debug, Args)]
pub struct Checking {
    /// Compile the whole model, run it with and without the spec, and compare the results, as `tune` does
    #[arg(long)]
    pub check_results: bool,
    /// Flag of iree-run-module for --check-results, such as --device=local-task, --function=main or --input=32x128xf32; may
    /// be repeated
    #[arg(
        long = "run-flag",
        short = 'R',
        value_name = "FLAG",
        allow_hyphen_values = true,
        requires = "check_results"
    )]
    pub run_flags: Vec<String>,
    /// Time limit of a run
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = duration)]
    pub run_timeout: Duration,
}

/// Compares results, if that is asked for. Says what was compared; fails if they differ.
pub fn checked(
    checking: &Checking,
    (compiler, compiling): (&Compiler, &Compiling),
    model: &Path,
    spec: (&Path, SpecFlag),
    longest_reduction: f64,
) -> Result<String, CliError> {
    if !checking.check_results {
        return Ok("Results were not compared (--check-results).".to_owned());
    }
    let check = ResultCheck {
        tools: compiling.iree_bin_dir.clone(),
        run_flags: checking.run_flags.clone(),
        time_limit: checking.run_timeout,
        style: FLAGS,
    };
    check.run(compiler, model, spec, longest_reduction)?.map_err(CliError::No)
}

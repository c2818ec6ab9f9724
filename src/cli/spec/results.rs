//! `--check-results`: compares the results of a model that is compiled with a spec with those of the untuned model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::compiler::Compiling;
use crate::cli::error::CliError;
use crate::cli::flags::FLAGS;
use crate::cli::values::duration;
use crate::compiler::{
    Compiler, CompilerError, ResultComparison, RunOptions, SpecFlag, temporary_folder,
};

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

/// The seed of inputs.
const SEED: u64 = 1;

/// Compares results, if that is asked for. Says what was compared; fails if they differ.
pub fn checked(
    checking: &Checking,
    (compiler, compiling): (&Compiler, &Compiling),
    model: &Path,
    (spec, flag): (&Path, SpecFlag),
    longest_reduction: f64,
) -> Result<String, CliError> {
    if !checking.check_results {
        return Ok("Results were not compared (--check-results).".to_owned());
    }
    let folder = temporary_folder()?;
    let module = |name: &str, flags: &[String]| -> Result<PathBuf, CompilerError> {
        let path = folder.path().join(name);
        compiler.compile(model, flags, &path)?;
        Ok(path)
    };
    let untuned = module("untuned.vmfb", &[])?;
    let tuned = module("tuned.vmfb", &flag.arguments(spec))?;
    let options = RunOptions {
        tools: compiling.iree_bin_dir.as_deref(),
        folder: folder.path(),
        time_limit: checking.run_timeout,
        style: FLAGS,
        stop: compiler.stop(),
        seed: SEED,
    };
    let mut results = ResultComparison::new(&checking.run_flags, options)?;
    match results.difference([&untuned, &tuned], longest_reduction)? {
        None => Ok(format!("Results equal those of the untuned model, on {}.", results.inputs())),
        Some(how) => {
            Err(CliError::No(format!("the results differ from those of the untuned model: {how}")))
        }
    }
}

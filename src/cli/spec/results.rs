//! `--check-results`: compares the results of a model that is compiled with a spec with those of the untuned model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use super::compiler::{Compiler, Compiling, SpecFlag, folder};
use crate::cli::error::CliError;
use crate::cli::outputs::Outputs;
use crate::cli::values::duration;

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
    let folder = folder()?;
    let module = |name: &str, flags: &[String]| -> Result<PathBuf, CliError> {
        let path = folder.path().join(name);
        let made = compiler.compile(model, flags, &path)?;
        made.map_err(|words| CliError::Model { path: model.to_owned(), words })?;
        Ok(path)
    };
    let untuned = module("untuned.vmfb", &[])?;
    let tuned = module("tuned.vmfb", &flag.arguments(spec))?;
    let limit = (checking.run_timeout, compiler.stop(), SEED);
    let bin = compiling.iree_bin_dir.as_deref();
    let mut outputs = Outputs::new(&checking.run_flags, bin, folder.path(), limit)?;
    match outputs.difference([&untuned, &tuned], longest_reduction)? {
        None => Ok(format!("Results equal those of the untuned model, on {}.", outputs.told())),
        Some(how) => {
            Err(CliError::No(format!("the results differ from those of the untuned model: {how}")))
        }
    }
}

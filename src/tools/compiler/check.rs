//! Compares the results of a model that is compiled with a spec with those of the untuned model.

use std::path::{Path, PathBuf};
use std::time::Duration;

use base::words::OptionStyle;

use super::compile::{Compiler, SpecFlag, temporary_folder};
use super::error::CompilerError;
use super::results::{ResultComparison, RunOptions};

/// The seed of inputs.
const SEED: u64 = 1;

/// How results are compared.
#[derive(Debug, Clone)]
pub struct ResultCheck {
    /// The folder of IREE's tools; `None` to look on the PATH and in an activated Python environment.
    pub tools: Option<PathBuf>,
    /// Flags of iree-run-module, such as those for the function and its inputs.
    pub run_flags: Vec<String>,
    /// The time limit of a run.
    pub time_limit: Duration,
    /// How reasons spell options.
    pub style: OptionStyle,
}

impl ResultCheck {
    /// Compiles the whole model with and without the spec, runs both, and says on which inputs their results are equal. The
    /// inner error says how they differ.
    pub fn run(
        &self,
        compiler: &Compiler,
        model: &Path,
        (spec, flag): (&Path, SpecFlag),
        longest_reduction: f64,
    ) -> Result<Result<String, String>, CompilerError> {
        let folder = temporary_folder()?;
        let module = |name: &str, flags: &[String]| -> Result<PathBuf, CompilerError> {
            let path = folder.path().join(name);
            compiler.compile(model, flags, &path)?;
            Ok(path)
        };
        let untuned = module("untuned.vmfb", &[])?;
        let tuned = module("tuned.vmfb", &flag.arguments(spec))?;
        let options = RunOptions {
            tools: self.tools.as_deref(),
            folder: folder.path(),
            time_limit: self.time_limit,
            style: self.style,
            stop: compiler.stop(),
            seed: SEED,
        };
        let mut results = ResultComparison::new(&self.run_flags, options)?;
        Ok(match results.difference([&untuned, &tuned], longest_reduction)? {
            None => {
                Ok(format!("Results equal those of the untuned model, on {}.", results.inputs()))
            }
            Some(how) => Err(format!("the results differ from those of the untuned model: {how}")),
        })
    }
}

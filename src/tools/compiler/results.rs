//! Compares the results of a tuned and the untuned module on inputs that show errors.
//!
//! Inputs of floating-point numbers are random, zero, extreme and with NaNs; those of integers are random and zero, as they are
//! often indices.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use base::words::OptionStyle;
use model::tuning::configuration::Operation;

use super::error::CompilerError;
use super::tensor::{Tensor, difference, input_bytes, rounding, shape_of, width};
use crate::capture::process::{self, Cut};
use crate::capture::{self, Stop, find};

/// What the inputs are made of.
const KINDS: [&str; 4] = ["random", "zero", "extreme", "nan"];

/// How often a tuned module runs on random inputs: what depends on which thread is first differs from run to run.
const REPEATS: usize = 3;

/// How modules are run.
#[derive(Debug, Clone, Copy)]
pub struct RunOptions<'a> {
    /// The folder of IREE's tools; `None` to look on the PATH and in an activated Python environment.
    pub tools: Option<&'a Path>,
    /// The folder of inputs and results.
    pub folder: &'a Path,
    /// The time limit of a run.
    pub time_limit: Duration,
    /// How reasons spell options.
    pub style: OptionStyle,
    pub stop: &'a Stop,
    /// The seed of inputs.
    pub seed: u64,
}

/// Runs modules on inputs, and compares their results.
pub struct ResultComparison<'a> {
    tool: PathBuf,
    /// The results of the untuned module on each kind of inputs.
    untuned: BTreeMap<&'static str, Result<Vec<Tensor>, String>>,
    arguments: Vec<String>,
    /// The inputs as the user gives them.
    inputs: Vec<String>,
    options: RunOptions<'a>,
}

impl<'a> ResultComparison<'a> {
    /// Runs modules with these flags of iree-run-module.
    pub fn new(arguments: &[String], options: RunOptions<'a>) -> Result<Self, CompilerError> {
        let tool = find::find("iree-run-module", options.tools, options.stop)?.path;
        let (inputs, arguments): (Vec<String>, Vec<String>) =
            arguments.iter().cloned().partition(|word| word.starts_with("--input="));
        let inputs = inputs
            .iter()
            .filter_map(|word| word.strip_prefix("--input="))
            .map(str::to_owned)
            .collect();
        Ok(Self { tool, untuned: BTreeMap::new(), arguments, inputs, options })
    }

    /// Returns how the results of a tuned module differ from those of the untuned one; `None` if they do not.
    pub fn difference(
        &mut self,
        [untuned, tuned]: [&Path; 2],
        longest_reduction: f64,
    ) -> Result<Option<String>, CompilerError> {
        let (mut compared, mut why) = (0, String::new());
        for kind in self.kinds() {
            if !self.untuned.contains_key(kind) {
                let results = self.results(untuned, kind)?;
                self.untuned.insert(kind, results);
            }
            // What the untuned module cannot run says nothing.
            let base = match self.untuned.get(kind) {
                Some(Ok(base)) => base,
                Some(Err(words)) => {
                    why.clone_from(words);
                    continue;
                }
                None => continue,
            };
            compared += base.len();
            for _ in 0..if *kind == "random" { REPEATS } else { 1 } {
                let new = match self.results(tuned, kind)? {
                    Ok(new) => new,
                    Err(words) => return Ok(Some(format!("it fails on {kind} inputs: {words}"))),
                };
                if base.len() != new.len() {
                    return Ok(Some("it has another number of results".to_owned()));
                }
                for (nth, (base, new)) in base.iter().zip(&new).enumerate() {
                    if let Some(how) = difference(base, new, longest_reduction) {
                        return Ok(Some(format!("result {nth} on {kind} inputs: {how}")));
                    }
                }
            }
        }
        if compared == 0 {
            let why = if why.is_empty() { "it has no results of known types" } else { &why };
            return Err(CompilerError::NoResults(why.to_owned()));
        }
        Ok(None)
    }

    /// Says on which inputs results were compared.
    pub fn inputs(&self) -> String {
        if !self.inputs.iter().any(|it| shape_of(it).is_some()) {
            return "the inputs as they are given".to_owned();
        }
        let ran = |kind: &&&str| matches!(self.untuned.get(**kind), Some(Ok(_)));
        let kinds: Vec<&str> = self.kinds().iter().filter(ran).copied().collect();
        format!("inputs of these kinds: {}", kinds.join(", "))
    }

    /// Returns the kinds of inputs that make a difference.
    fn kinds(&self) -> &'static [&'static str] {
        let is_float = |input: &String| shape_of(input).is_some_and(|(_, it)| rounding(it) > 0.0);
        let kinds = if self.inputs.iter().any(is_float) {
            KINDS.len()
        } else if self.inputs.iter().any(|it| shape_of(it).is_some()) {
            2
        } else {
            1
        };
        KINDS.get(..kinds).unwrap_or_default()
    }

    /// Runs a module and returns its results, or why it failed.
    fn results(
        &self,
        module: &Path,
        kind: &str,
    ) -> Result<Result<Vec<Tensor>, String>, CompilerError> {
        let RunOptions { folder, seed, .. } = self.options;
        let mut words = self.arguments.clone();
        words.push(format!("--module={}", module.display()));
        for (nth, input) in self.inputs.iter().enumerate() {
            words.push(match shape_of(input) {
                Some((count, element)) => {
                    let path = folder.join(format!("input-{nth}.bin"));
                    let values = input_bytes(element, count, kind, seed.wrapping_add(nth as u64));
                    std::fs::write(&path, values).map_err(CompilerError::writing(&path))?;
                    format!("--input={input}=@{}", path.display())
                }
                None => format!("--input={input}"),
            });
        }
        let said = match self.ran(&words)? {
            Ok(said) => said,
            Err(words) => return Ok(Err(words)),
        };
        // The tool prints the type of each result; their bytes it writes into as many files.
        let elements: Vec<String> = said
            .lines()
            .filter_map(|line| Some(line.split_once("=[").or_else(|| line.split_once('='))?.0))
            .filter_map(|head| head.rsplit('x').next().map(str::to_owned))
            .filter(|element| width(element).is_some())
            .collect();
        let paths: Vec<PathBuf> =
            (0..elements.len()).map(|nth| folder.join(format!("output-{nth}.bin"))).collect();
        words.extend(paths.iter().map(|path| format!("--output=@{}", path.display())));
        if let Err(words) = self.ran(&words)? {
            return Ok(Err(words));
        }
        let read = |(element, path): (String, &PathBuf)| {
            let bytes = std::fs::read(path).map_err(CompilerError::reading(path))?;
            Ok(Tensor { element, bytes })
        };
        elements.into_iter().zip(&paths).map(read).collect::<Result<_, CompilerError>>().map(Ok)
    }

    fn ran(&self, arguments: &[String]) -> Result<Result<String, String>, CompilerError> {
        let RunOptions { folder, time_limit, style, stop, .. } = self.options;
        let output = (folder, "verify");
        let said = process::said(&self.tool, arguments, output, time_limit, stop)?;
        match said.cut {
            Some(Cut::Interrupted) => return Err(CompilerError::Interrupted),
            Some(Cut::TimeLimit) => {
                let seconds = time_limit.as_secs_f64();
                let why = format!("it took longer than {seconds} s (option `run_timeout`)");
                return Ok(Err(style.spell(&why)));
            }
            None => {}
        }
        Ok(if said.is_well { Ok(said.stdout) } else { Err(capture::why(&said.stderr)) })
    }
}

/// Returns the arguments of iree-benchmark-module that matter for results.
pub fn run_flags(arguments: &[String]) -> Vec<String> {
    let kept = ["--function", "--device", "--task_", "--input", "--parameters"];
    let is_kept = |word: &&String| kept.iter().any(|it| word.starts_with(it));
    arguments.iter().filter(is_kept).cloned().collect()
}

/// Returns the number of elements of the longest reduction; dynamic loops do not count.
pub fn longest_reduction<'o>(roots: impl Iterator<Item = &'o Operation>) -> f64 {
    let of = |root: &Operation| -> f64 {
        let loops = root.loops.iter().filter(|it| it.is_reduction);
        #[expect(clippy::cast_precision_loss, reason = "extents are far below 2^53")]
        loops.filter_map(|it| it.extent).map(|it| it as f64).product()
    };
    roots.map(of).fold(1.0, f64::max)
}

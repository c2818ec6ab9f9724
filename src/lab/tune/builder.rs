//! Compiles the model: once as far as the sources of its dispatches, then from these with each spec.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use base::processors;
use base::words::OptionStyle;
use base::{digest, in_order};
use model::tuning::configuration::Dispatch;
use model::tuning::constraints::{Constraints, constraints};
use model::tuning::spec::{Entry, Spec, verify, write};
use tools::compiler::{Compiler, CompilerError, SpecFlag};

use super::error::TuneError;
use super::evaluator::Points;
use super::files::write_text;
use super::request::TuneRequest;
use super::targets::{Target, changed_targets};

/// Compiles modules into a folder.
pub struct Builder<'a> {
    compiler: Compiler,
    folder: &'a Path,
    sources: PathBuf,
    /// The dispatches of the model, with the compiler's own configurations.
    pub dispatches: Vec<Dispatch>,
    /// The flag with which the compiler reads specs for the target.
    pub flag: SpecFlag,
    /// How reasons spell options, as they are kept.
    style: OptionStyle,
}

/// The flag for a file that is compiled as far as the sources of dispatches.
const FROM: &str = "--compile-from=executable-sources";

/// A module to compile.
pub struct BuildJob {
    /// Its name in the folder.
    pub name: String,
    /// The tuning spec; `None` for the untuned module.
    pub spec: Option<String>,
}

/// A module that was compiled, or the compiler's words.
pub struct BuildResult {
    pub module: Result<PathBuf, String>,
    pub is_timed_out: bool,
    pub took: Duration,
}

impl<'a> Builder<'a> {
    /// Compiles the model as far as the sources of its dispatches, and reads how they are configured.
    pub fn new(
        compiler: Compiler,
        request: &TuneRequest,
        folder: &'a Path,
    ) -> Result<Self, TuneError> {
        let sources = folder.join("sources");
        std::fs::create_dir_all(&sources).map_err(TuneError::writing(&sources))?;
        let sources = sources.join("sources.mlir");
        let flags = ["--compile-to=executable-sources".to_owned()];
        compiler.compile(&request.model, &flags, &sources)?;
        let dispatches = compiler.configurations(&sources, Some(FROM), None)?.dispatches;
        let style = request.style;
        Ok(Self { compiler, folder, sources, dispatches, flag: SpecFlag::TuningSpec, style })
    }

    /// Returns the folder with the sources of dispatches alone.
    pub fn sources(&self) -> &Path {
        self.sources.parent().unwrap_or(self.folder)
    }

    /// Returns what the compiler states of the spaces of dispatches. It does so for some targets only.
    pub fn constraints(&self) -> Result<Vec<Constraints>, TuneError> {
        let output = self.folder.join("constraints.mlir");
        let flags = [
            FROM,
            "--iree-codegen-emit-pipeline-constraints",
            "--compile-to=executable-configurations",
        ];
        let flags = flags.map(str::to_owned);
        self.compiler.compile(&self.sources, &flags, &output)?;
        let text = std::fs::read_to_string(&output).map_err(TuneError::reading(&output))?;
        let malformed = |error| TuneError::reading(&output)(std::io::Error::other(error));
        constraints(&text).map_err(malformed)
    }

    /// Returns the module of a name in the folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.vmfb"))
    }

    /// Returns for each matcher of a spec whether it is applied.
    pub fn applied(&self, spec: &Spec) -> Result<Vec<bool>, TuneError> {
        let path = self.write("applied", &text(spec))?;
        Ok(self.applied_from(&path, spec)?)
    }

    fn applied_from(&self, path: &Path, spec: &Spec) -> Result<Vec<bool>, CompilerError> {
        let spec_file = Some((path, self.flag));
        let after = self.compiler.configurations(&self.sources, Some(FROM), spec_file)?;
        let verdicts = verify(spec, &self.dispatches, &after.dispatches);
        Ok(verdicts.iter().map(|it| !it.applied.is_empty()).collect())
    }

    /// Finds out with which flag the compiler reads specs for the target, as some targets read only one of them. Returns
    /// for each target whether a matcher for it is applied.
    pub(crate) fn find_flag(&mut self, targets: &[Target]) -> Result<Vec<bool>, TuneError> {
        let points: Points = targets.iter().map(|it| it.space.neighbor_of_own()).collect();
        let spec = spec_of(targets, &points);
        let path = self.write("flag", &text(&spec))?;
        for flag in SpecFlag::ALL {
            self.flag = flag;
            match self.applied_from(&path, &spec) {
                Ok(are_applied) if are_applied.contains(&true) => return Ok(are_applied),
                Ok(_) => {}
                // What the compiler refuses, it has applied.
                Err(CompilerError::Refused { .. }) => return Ok(vec![true; targets.len()]),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(vec![false; targets.len()])
    }

    /// Compiles modules on all processors, and returns them in their order. Fails if tuning cannot go on.
    pub fn build(&self, jobs: &[BuildJob]) -> Result<Vec<BuildResult>, TuneError> {
        in_order(jobs, processors(), |job| self.module(job)).into_iter().collect()
    }

    /// Compiles a module.
    fn module(&self, job: &BuildJob) -> Result<BuildResult, TuneError> {
        let begun = Instant::now();
        let module = self.path(&job.name);
        let mut flags = vec![FROM.to_owned()];
        if let Some(text) = &job.spec {
            let path = self.write(&job.name, text)?;
            flags.extend(self.flag.arguments(&path));
        }
        let compiled = self.compiler.compile(&self.sources, &flags, &module);
        // A candidate on which the compiler hangs is a candidate that it refuses.
        let is_timed_out = matches!(compiled, Err(CompilerError::TimedOut(_)));
        let module = match compiled {
            Ok(()) => Ok(module),
            Err(error) if is_timed_out => Err(self.style.spell(&error.to_string())),
            Err(error) => Err(error.words()?),
        };
        Ok(BuildResult { module, is_timed_out, took: begun.elapsed() })
    }

    fn write(&self, name: &str, spec: &str) -> Result<PathBuf, TuneError> {
        let path = self.folder.join(format!("{name}.mlir"));
        write_text(&path, spec)?;
        Ok(path)
    }
}

/// Returns the name of the module of a spec.
pub(crate) fn module_name(spec_sha256: Option<&str>) -> String {
    let digest = spec_sha256.and_then(|it| it.get(..12)).unwrap_or("untuned");
    format!("candidate-{digest}")
}

/// Returns the spec for some points as text, behind its digest; `None` if all are the compiler's own choice.
pub(crate) fn candidate_spec(targets: &[Target], points: &[usize]) -> Option<(String, String)> {
    let spec = spec_of(targets, points);
    let text = text(&spec);
    (!spec.entries.is_empty()).then(|| (digest::of(&text), text))
}

fn text(spec: &Spec) -> String {
    write(spec, "A candidate.")
}

/// Returns the spec that sets the points of the targets; those at the compiler's own choice have no matcher.
pub(crate) fn spec_of(targets: &[Target], points: &[usize]) -> Spec {
    let mut spec = Spec { sequences: Vec::new(), entries: Vec::new() };
    for (target, point) in changed_targets(targets, points) {
        let made = Entry::of(target.name(), &target.root, &target.space.configuration(point));
        let Ok((entry, sequences)) = made else { continue };
        for sequence in sequences {
            if !spec.sequences.iter().any(|known| known.name == sequence.name) {
                spec.sequences.push(sequence);
            }
        }
        spec.entries.push(entry);
    }
    spec
}

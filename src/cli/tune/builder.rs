//! Compiles the model: once as far as the sources of its dispatches, then from these with each spec.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::targets::Target;
use crate::bundle::{digest, replace};
use crate::cli::error::CliError;
use crate::cli::spec::{Compiled, Compiler, SpecFlag};
use crate::tuning::configuration::Dispatch;
use crate::tuning::spec::{Entry, Spec, verify, write};

/// Compiles modules into a folder.
pub struct Builder<'a> {
    pub compiler: Compiler,
    pub folder: &'a Path,
    sources: PathBuf,
    /// The flag with which the compiler reads specs for the target.
    pub flag: SpecFlag,
}

/// The flag for a file that is compiled as far as the sources of dispatches.
const FROM: &str = "--compile-from=executable-sources";

/// A point of each target's space.
pub type Points = Vec<usize>;

impl<'a> Builder<'a> {
    /// Compiles the model as far as the sources of its dispatches.
    pub fn new(compiler: Compiler, model: &Path, folder: &'a Path) -> Result<Self, CliError> {
        let sources = folder.join("sources.mlir");
        let flags = ["--compile-to=executable-sources".to_owned()];
        compiler
            .compile(model, &flags, &sources)?
            .map_err(|words| CliError::Model { path: model.to_owned(), words })?;
        Ok(Self { compiler, folder, sources, flag: SpecFlag::TuningSpec })
    }

    /// Returns the dispatches with their configurations, with a spec if one is given.
    pub fn dispatches(&self, spec: Option<&Path>) -> Result<Vec<Dispatch>, CliError> {
        let spec = spec.map(|path| (path, self.flag));
        match self.compiler.configurations(&self.sources, Some(FROM), spec)? {
            Compiled::Dispatches(dispatches) => Ok(dispatches),
            Compiled::Refused(words) => Err(CliError::Model { path: self.sources.clone(), words }),
        }
    }

    /// Finds out with which flag the compiler reads specs for the target: some targets read only one of them.
    pub fn find_flag(&mut self, targets: &[Target], before: &[Dispatch]) -> Result<(), CliError> {
        let points: Points = targets.iter().map(|it| it.space.neighbor_of_own()).collect();
        let path = self.folder.join("flag.mlir");
        let spec = spec_of(targets, &points);
        replace(&path, |file| file.write_all(write(&spec, "A candidate.").as_bytes()))
            .map_err(CliError::writing(&path))?;
        for flag in [SpecFlag::TuningSpec, SpecFlag::Library] {
            self.flag = flag;
            let Compiled::Dispatches(after) =
                self.compiler.configurations(&self.sources, Some(FROM), Some((&path, flag)))?
            else {
                return Ok(());
            };
            let verdicts = verify(&spec, before, &after);
            if verdicts.iter().any(|it| !it.applied.is_empty() || !it.lost.is_empty()) {
                return Ok(());
            }
        }
        Err(CliError::No(
            "the compiler applies no tuning spec to the dispatches of this target".into(),
        ))
    }

    /// Compiles a module with a spec. The inner error has the compiler's words.
    pub fn module(
        &self,
        spec: Option<&Path>,
        output: &Path,
    ) -> Result<Result<(), String>, CliError> {
        let mut flags = vec![FROM.to_owned()];
        flags.extend(spec.map(|it| format!("{}={}", self.flag.name(), it.display())));
        self.compiler.compile(&self.sources, &flags, output)
    }

    /// Writes the spec of some points and compiles a module with it. Both files have this name.
    pub fn candidate(
        &self,
        name: &str,
        targets: &[Target],
        points: &[usize],
    ) -> Result<Result<PathBuf, String>, CliError> {
        let spec = self.folder.join(format!("{name}.mlir"));
        let text = write(&spec_of(targets, points), "A candidate.");
        replace(&spec, |file| file.write_all(text.as_bytes())).map_err(CliError::writing(&spec))?;
        let module = self.folder.join(format!("{name}.vmfb"));
        Ok(self.module(Some(&spec), &module)?.map(|()| module))
    }

    /// Compiles candidates on all processors, in their order.
    pub fn candidates(
        &self,
        targets: &[Target],
        all: &[Points],
        threads: usize,
    ) -> Result<Vec<Result<PathBuf, String>>, CliError> {
        let next = Mutex::new(0);
        let done: Mutex<BTreeMap<usize, Result<Result<PathBuf, String>, CliError>>> =
            Mutex::new(BTreeMap::new());
        std::thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                scope.spawn(|| {
                    loop {
                        let nth = {
                            let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
                            *next += 1;
                            *next - 1
                        };
                        let Some(points) = all.get(nth) else { return };
                        let built = self.candidate(&format!("candidate-{nth}"), targets, points);
                        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
                        done.insert(nth, built);
                    }
                });
            }
        });
        let done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
        done.into_values().collect()
    }
}

/// Returns the digest of a module, which tells equal ones.
pub fn digest_of(module: &Path) -> Result<String, CliError> {
    Ok(digest::of_file(module).map_err(CliError::reading(module))?.1)
}

/// Returns the spec that sets the points of the targets; those at the compiler's own choice have no matcher.
pub fn spec_of(targets: &[Target], points: &[usize]) -> Spec {
    let mut spec = Spec { sequences: Vec::new(), entries: Vec::new() };
    for (target, point) in targets.iter().zip(points) {
        if *point == target.space.own {
            continue;
        }
        let made = Entry::of(target.name(), &target.root, &target.space.configuration(*point));
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

//! Compiles the configurations of an operation into one module. If that fails, compiles each configuration alone to
//! find those that the compiler rejects, and then the others together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use read::bundle::set::{ToolFacts, shell_words};

use super::cache::{self, Entry, Rejected};
use super::event::Event;
use super::folders::Mode;
use super::plan::{Plan, Tell};
use super::row::{Failure, Outcome};
use super::tool_run::{self, ToolRun};
use crate::bench::request::Collection;
use crate::bench::source::source;
use crate::capture::Stop;

/// The context of a compilation.
#[derive(Clone, Copy)]
pub struct Compiler<'a> {
    pub plan: &'a Plan,
    pub tool: &'a ToolFacts,
    pub mode: Mode,
    pub stop: &'a Stop,
    pub tell: Tell<'a>,
}

/// Returns the flags of the compiler, without file names.
pub fn flags(plan: &Plan, mode: Mode) -> Vec<String> {
    let settings = &plan.settings;
    let mut flags = plan.target.compiler_flags();
    if mode == Mode::Profile {
        flags.push(format!("--iree-hal-benchmark-dispatch-repeat-count={}", settings.batch_size));
    }
    flags.extend(settings.compiler_flags.iter().cloned());
    flags
}

/// Returns the command line that compiles an operation, quoted for a shell.
pub(crate) fn command_line(
    program: &str,
    collection: &Collection,
    plan: &Plan,
    mode: Mode,
) -> String {
    let source = plan.folders.source(&collection.operation);
    let module = plan.folders.module(&collection.operation, &plan.target, mode);
    let arguments = arguments(&source, &module, plan, mode);
    shell_words(std::iter::once(program).chain(arguments.iter().map(String::as_str)))
}

fn arguments(source: &Path, module: &Path, plan: &Plan, mode: Mode) -> Vec<String> {
    let name = |path: &Path| path.to_string_lossy().into_owned();
    let files = [name(source), "-o".to_owned(), name(module)];
    files.into_iter().chain(flags(plan, mode)).collect()
}

impl Compiler<'_> {
    /// Returns the module of a collection, from the cache if it is up to date. Does not try configurations again that
    /// another mode has `rejected`.
    pub fn module(
        &self,
        collection: &Collection,
        rejected: BTreeMap<String, Rejected>,
    ) -> Result<Entry, Failure> {
        let Plan { target, folders, settings, .. } = self.plan;
        let module = folders.module(&collection.operation, target, self.mode);
        let flags = flags(self.plan, self.mode);
        let digest = cache::digest(&source(collection, target), &flags, &self.version());
        let known = cache::read(&module, &digest, settings.compile_limit);
        if let Some(entry) = known.filter(|_| !settings.force_compile) {
            return Ok(Entry { is_cached: true, ..entry });
        }
        let rejected = self.compile(collection, &module, rejected)?;
        let has_module = rejected.len() < collection.configurations.len();
        let module_sha256 = has_module
            .then(|| cache::digest_of_file(&module))
            .transpose()
            .map_err(|error| Failure::said(format!("cannot read {}: {error}", module.display())))?;
        let entry = Entry { digest, module_sha256, rejected, is_cached: false };
        cache::write(&module, &entry).map_err(|error| {
            Failure::said(format!("cannot write to the folder of {}: {error}", module.display()))
        })?;
        Ok(entry)
    }

    fn version(&self) -> String {
        let version = self.tool.version.as_deref().unwrap_or("unknown");
        format!("{version} {}", self.tool.revision.as_deref().unwrap_or_default())
    }

    /// Compiles all configurations together. On failure, removes the culprits and tries again. Returns all rejections.
    fn compile(
        &self,
        collection: &Collection,
        module: &Path,
        mut rejected: BTreeMap<String, Rejected>,
    ) -> Result<BTreeMap<String, Rejected>, Failure> {
        let mut left = collection.clone();
        left.configurations.retain(|it| !rejected.contains_key(&collection.dispatch(it)));
        // Configurations that compile alone may still fail together, so this repeats until the compiler succeeds or no
        // configuration is left.
        while !left.configurations.is_empty() {
            let is_whole = left.configurations.len() == collection.configurations.len();
            let source = if is_whole {
                self.plan.folders.source(&collection.operation)
            } else {
                self.write_part(&left, module.with_extension("accepted.mlir"))?
            };
            let Err(failure) = self.run(&source, module) else { break };
            if failure.outcome == Outcome::Interrupted {
                return Err(failure);
            }
            let culprits = self.culprits(&left, module, &failure)?;
            left.configurations.retain(|it| !culprits.contains_key(&collection.dispatch(it)));
            rejected.extend(culprits);
        }
        Ok(rejected)
    }

    /// Returns the configurations that do not compile alone; if each of them does, all configurations.
    fn culprits(
        &self,
        left: &Collection,
        module: &Path,
        together: &Failure,
    ) -> Result<BTreeMap<String, Rejected>, Failure> {
        if let [only] = left.configurations.as_slice() {
            return Ok(BTreeMap::from([(left.dispatch(only), self.rejected(together))]));
        }
        let mut culprits = BTreeMap::new();
        for configuration in &left.configurations {
            let dispatch = left.dispatch(configuration);
            let alone = Collection { configurations: vec![*configuration], ..left.clone() };
            let source =
                self.write_part(&alone, module.with_file_name(format!("{dispatch}.mlir")))?;
            let output = source.with_extension("vmfb");
            let ended = self.run(&source, &output);
            // Failures are ignored: leftover files do no harm.
            let _ = std::fs::remove_file(&output);
            match ended {
                Ok(()) => {
                    // The source of a rejected configuration is kept for inspection.
                    let _ = std::fs::remove_file(&source);
                }
                Err(failure) if failure.outcome == Outcome::Interrupted => return Err(failure),
                Err(failure) => {
                    culprits.insert(dispatch, self.rejected(&failure));
                }
            }
        }
        if culprits.is_empty() {
            let mut rejected = self.rejected(together);
            // One line, because the reason of a row is the line with `error:`.
            rejected.message = format!(
                "each configuration compiles alone, but not all of them in one module; error: {}",
                rejected.message
            );
            let each = left.configurations.iter();
            culprits.extend(each.map(|it| (left.dispatch(it), rejected.clone())));
        }
        Ok(culprits)
    }

    fn rejected(&self, failure: &Failure) -> Rejected {
        let limit = self.plan.settings.compile_limit.as_millis();
        let was_stopped = failure.outcome == Outcome::TimeLimit;
        Rejected {
            message: failure.message.clone(),
            stopped_after_ms: was_stopped.then(|| u64::try_from(limit).unwrap_or(u64::MAX)),
        }
    }

    fn write_part(&self, part: &Collection, path: PathBuf) -> Result<PathBuf, Failure> {
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(&path, source(part, &self.plan.target)))
            .map_err(|error| Failure::said(format!("cannot write {}: {error}", path.display())))?;
        Ok(path)
    }

    fn run(&self, source: &Path, module: &Path) -> Result<(), Failure> {
        let stem = module.file_stem().unwrap_or_default().to_string_lossy();
        let run = ToolRun {
            tool: self.tool,
            arguments: arguments(source, module, self.plan, self.mode),
            folder: module.parent().unwrap_or(Path::new(".")),
            stem: format!("{stem}.compile"),
        };
        let what = format!("Compiling ({})", self.mode.name());
        (self.tell)(&Event::Command { what: &what, line: run.line() });
        let settings = &self.plan.settings;
        let ended = run.run(settings.compile_limit, self.stop, "compile_timeout");
        run.tidy(settings.save_commands);
        let said = ended?;
        if said.is_well {
            return Ok(());
        }
        let nothing = "the compiler failed without a message";
        Err(Failure::said(tool_run::message(&said, nothing)))
    }
}

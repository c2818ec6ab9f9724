//! Compiles the configurations of an operation into one module. If that fails, compiles each configuration alone to
//! find those that the compiler rejects, and then the others together.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::cache::{self, Entry, Rejected};
use super::folders::{Folders, Mode};
use super::row::{Failure, Outcome};
use super::tool_run::{self, ToolRun};
use crate::bench::configuration::Configuration;
use crate::bench::request::Collection;
use crate::bench::run::event::Event;
use crate::bench::run::settings::Settings;
use crate::bench::source::source;
use crate::bench::target::Target;
use crate::bundle::set::{ToolFacts, shell_words};
use crate::capture::Stop;

/// The compiled module of an operation.
#[derive(Debug, Clone, Default)]
pub struct Compiled {
    /// Digest of the module; `None` if the compiler accepted no configuration.
    pub sha256: Option<String>,
    /// Dispatches that are not in the module, and why.
    pub rejected: BTreeMap<String, Rejected>,
    pub is_cached: bool,
}

/// The context of a compilation.
#[derive(Clone, Copy)]
pub struct Compiler<'a> {
    pub tool: &'a ToolFacts,
    pub target: &'a Target,
    pub folders: &'a Folders,
    pub settings: &'a Settings,
    pub stop: &'a Stop,
    pub tell: &'a (dyn Fn(&Event<'_>) + Sync),
}

/// Returns the flags of the compiler, without file names.
pub fn flags(target: &Target, settings: &Settings, mode: Mode) -> Vec<String> {
    let mut flags = target.compiler_flags();
    if mode == Mode::Profile {
        flags.push(format!("--iree-hal-benchmark-dispatch-repeat-count={}", settings.batch_size));
    }
    flags.extend(settings.compiler_flags.iter().cloned());
    flags
}

/// Returns the command line that compiles an operation, quoted for a shell.
pub fn command_line(
    program: &str,
    collection: &Collection,
    target: &Target,
    (folders, settings, mode): (&Folders, &Settings, Mode),
) -> String {
    let source = folders.source(&collection.operation).to_string_lossy().into_owned();
    let module = folders.module(&collection.operation, target, mode).to_string_lossy().into_owned();
    let flags = flags(target, settings, mode);
    let words = [program, &source, "-o", &module];
    shell_words(words.into_iter().chain(flags.iter().map(String::as_str)))
}

impl Compiler<'_> {
    /// Returns the module of a collection, from the cache if it is up to date. Does not try configurations again that
    /// another mode has `rejected`.
    pub fn module(
        &self,
        collection: &Collection,
        mode: Mode,
        rejected: BTreeMap<String, Rejected>,
    ) -> Result<Compiled, Failure> {
        let module = self.folders.module(&collection.operation, self.target, mode);
        let flags = flags(self.target, self.settings, mode);
        let version = self.version();
        let digest = cache::digest(&source(collection, self.target), &flags, &version);
        let limit = self.settings.compile_limit;
        let known = cache::read(&module, &digest, limit).filter(|_| !self.settings.force_compile);
        if let Some(entry) = known {
            return Ok(compiled(entry, true));
        }
        let rejected = self.compile(collection, &flags, &module, mode, rejected)?;
        let has_module = rejected.len() < collection.configurations.len();
        let module_sha256 = if has_module {
            let read = cache::digest_of_file(&module);
            Some(read.map_err(|error| said(&format!("cannot read {}: {error}", module.display())))?)
        } else {
            None
        };
        let entry = Entry { digest, module_sha256, rejected };
        cache::write(&module, &entry).map_err(|error| {
            said(&format!("cannot write to the folder of {}: {error}", module.display()))
        })?;
        Ok(compiled(entry, false))
    }

    fn version(&self) -> String {
        let facts = self.tool;
        let version = facts.version.as_deref().unwrap_or("unknown");
        format!("{version} {}", facts.revision.as_deref().unwrap_or_default())
    }

    /// Compiles all configurations together. On failure, removes the culprits and tries again. Returns all rejections.
    fn compile(
        &self,
        collection: &Collection,
        flags: &[String],
        module: &Path,
        mode: Mode,
        mut rejected: BTreeMap<String, Rejected>,
    ) -> Result<BTreeMap<String, Rejected>, Failure> {
        let mut left = collection.clone();
        left.configurations.retain(|it| !rejected.contains_key(&collection.dispatch(it)));
        // Configurations that compile alone may still fail together, so this repeats until the compiler succeeds or no
        // configuration is left.
        while !left.configurations.is_empty() {
            let is_whole = left.configurations.len() == collection.configurations.len();
            let source = if is_whole {
                self.folders.source(&collection.operation)
            } else {
                self.write_part(&left, &module.with_extension("accepted.mlir"))?
            };
            let Err(failure) = self.run(&source, module, flags, mode) else { break };
            if failure.outcome == Outcome::Interrupted {
                return Err(failure);
            }
            let culprits = self.culprits(&left, module, flags, mode, &failure)?;
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
        flags: &[String],
        mode: Mode,
        together: &Failure,
    ) -> Result<BTreeMap<String, Rejected>, Failure> {
        let mut culprits = BTreeMap::new();
        if let [only] = left.configurations.as_slice() {
            culprits.insert(left.dispatch(only), self.rejected(together));
            return Ok(culprits);
        }
        for configuration in &left.configurations {
            // The source of a rejected configuration is kept for inspection.
            let source = module.with_file_name(format!("{}.mlir", left.dispatch(configuration)));
            let source = self.write_part(&alone(left, configuration), &source)?;
            let output = source.with_extension("vmfb");
            let ended = self.run(&source, &output, flags, mode);
            // Failures are ignored: leftover files do no harm.
            let _ = std::fs::remove_file(&output);
            if ended.is_ok() {
                let _ = std::fs::remove_file(&source);
            }
            match ended {
                Ok(()) => {}
                Err(failure) if failure.outcome == Outcome::Interrupted => return Err(failure),
                Err(failure) => {
                    culprits.insert(left.dispatch(configuration), self.rejected(&failure));
                }
            }
        }
        if culprits.is_empty() {
            let each = left.configurations.iter();
            culprits.extend(each.map(|it| (left.dispatch(it), self.rejected(together))));
        }
        Ok(culprits)
    }

    fn rejected(&self, failure: &Failure) -> Rejected {
        let limit = self.settings.compile_limit.as_millis();
        let was_stopped = failure.outcome == Outcome::TimeLimit;
        Rejected {
            message: failure.message.clone(),
            stopped_after_ms: was_stopped.then(|| u64::try_from(limit).unwrap_or(u64::MAX)),
        }
    }

    fn write_part(&self, part: &Collection, path: &Path) -> Result<PathBuf, Failure> {
        let folder = path.parent().unwrap_or(Path::new("."));
        std::fs::create_dir_all(folder)
            .and_then(|()| std::fs::write(path, source(part, self.target)))
            .map_err(|error| said(&format!("cannot write {}: {error}", path.display())))?;
        Ok(path.to_owned())
    }

    /// Runs the compiler once.
    fn run(
        &self,
        source: &Path,
        module: &Path,
        flags: &[String],
        mode: Mode,
    ) -> Result<(), Failure> {
        let name = |path: &Path| path.to_string_lossy().into_owned();
        let mut arguments = vec![name(source), "-o".to_owned(), name(module)];
        arguments.extend(flags.iter().cloned());
        let folder = module.parent().unwrap_or(Path::new("."));
        let stem = module.file_stem().unwrap_or_default().to_string_lossy();
        let run = ToolRun { tool: self.tool, arguments, folder, stem: format!("{stem}.compile") };
        (self.tell)(&Event::Command { what: compiling(mode), line: run.line() });
        let ended = run.run(self.settings.compile_limit, self.stop, "--compile-timeout");
        let failure = match ended {
            Ok(ended) if ended.is_well => None,
            Ok(ended) => Some(said(&tool_run::message(
                ended.words(),
                "the compiler failed without a message",
            ))),
            Err(failure) => Some(failure),
        };
        run.tidy(self.settings.save_commands);
        failure.map_or(Ok(()), Err)
    }
}

const fn compiling(mode: Mode) -> &'static str {
    match mode {
        Mode::Verify => "Compiling (verify)",
        Mode::Profile => "Compiling (profile)",
    }
}

fn said(message: &str) -> Failure {
    Failure::said(message.to_owned())
}

fn alone(collection: &Collection, configuration: &Configuration) -> Collection {
    Collection {
        operation: collection.operation,
        configurations: vec![*configuration],
        skipped: Vec::new(),
    }
}

fn compiled(entry: Entry, is_cached: bool) -> Compiled {
    Compiled { sha256: entry.module_sha256, rejected: entry.rejected, is_cached }
}

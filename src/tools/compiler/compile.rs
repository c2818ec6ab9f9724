//! Runs `iree-compile`, as far as configurations or to the end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base::{Staging, staging};
use model::tuning::configuration::Dispatch;
use model::tuning::dumps;

use super::error::CompilerError;
use crate::bench::{Device, Target};
use crate::capture::process::{self, Cut};
use crate::capture::{Stop, compiler_errors, find};

/// How the compiler is found and run.
#[derive(Debug, Clone)]
pub struct CompilerOptions {
    /// The folder of IREE's tools; `None` to look on the PATH and in an activated Python environment.
    pub tools: Option<PathBuf>,
    /// Flags of the compiler; if there are none, those for the CPU of this machine.
    pub flags: Vec<String>,
    /// The time limit of a compilation.
    pub time_limit: Duration,
}

impl Default for CompilerOptions {
    fn default() -> Self {
        Self { tools: None, flags: Vec::new(), time_limit: Duration::from_mins(10) }
    }
}

/// The flag of the compiler that names a spec. Some targets read only one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecFlag {
    TuningSpec,
    Library,
}

impl SpecFlag {
    /// All flags, the one that is meant for specs first.
    pub const ALL: [Self; 2] = [Self::TuningSpec, Self::Library];

    /// Returns the flag without its value.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TuningSpec => "--iree-codegen-tuning-spec-path",
            Self::Library => "--iree-codegen-transform-dialect-library",
        }
    }

    /// Returns the arguments with which the compiler reads a spec.
    ///
    /// Threads are disabled, as iree-compile 3.13 can deadlock with a spec: it parses the file under a lock, and the thread
    /// that waits for the verification of what it parsed may take up another executable, which needs the same lock.
    pub fn arguments(self, spec: &Path) -> [String; 2] {
        let spec = format!("{}={}", self.name(), spec.display());
        [spec, "--mlir-disable-threading".to_owned()]
    }
}

/// The dispatches of a model, and the dumps of their configurations: a file for each executable, deleted with this.
pub struct Configured {
    pub dispatches: Vec<Dispatch>,
    folder: Staging,
}

impl Configured {
    /// Reads the dumps in a folder.
    pub fn read(folder: Staging) -> Result<Self, CompilerError> {
        Ok(Self { dispatches: dumps::read(folder.path())?, folder })
    }

    /// Returns the folder of the dumps.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// The compiler with the flags of the user.
pub struct Compiler {
    path: PathBuf,
    version: String,
    flags: Vec<String>,
    time_limit: Duration,
    stop: Arc<Stop>,
}

impl Compiler {
    /// Finds the compiler. It is stopped with `stop`.
    pub fn new(options: CompilerOptions, stop: Arc<Stop>) -> Result<Self, CompilerError> {
        let CompilerOptions { tools, flags, time_limit } = options;
        let tool = find::find("iree-compile", tools.as_deref(), &stop)?;
        let host = || Target::of(Device::LocalTask).compiler_flags();
        let flags = if flags.is_empty() { host() } else { flags };
        let version = tool.version.unwrap_or_default();
        Ok(Self { path: tool.path, version, flags, time_limit, stop })
    }

    /// Returns what stops the compiler.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Returns the compiler's version; empty if it is not known.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Returns the flags of the user, or those for the CPU of this machine.
    pub fn flags(&self) -> &[String] {
        &self.flags
    }

    /// Compiles a model, or a file that is compiled `from` a later phase on, as far as configurations, with a spec if one is
    /// given, and reads these.
    pub fn configurations(
        &self,
        model: &Path,
        from: Option<&str>,
        spec: Option<(&Path, SpecFlag)>,
    ) -> Result<Configured, CompilerError> {
        let dumps = temporary_folder()?;
        let spec = spec.map(|(path, flag)| flag.arguments(path));
        let mut words: Vec<String> = spec.into_iter().flatten().collect();
        words.extend(from.map(str::to_owned));
        words.extend([
            "--iree-codegen-add-tuner-attributes".to_owned(),
            format!("--iree-hal-dump-executable-configurations-to={}", dumps.path().display()),
            "--compile-to=executable-configurations".to_owned(),
        ]);
        self.check(model, &words)?;
        Configured::read(dumps)
    }

    /// Compiles a file with further flags, for what the compiler says of it only.
    pub fn check(&self, input: &Path, flags: &[String]) -> Result<(), CompilerError> {
        let folder = temporary_folder()?;
        self.compile(input, flags, &sink(folder.path()))
    }

    /// Compiles a file with further flags.
    pub fn compile(
        &self,
        input: &Path,
        flags: &[String],
        output: &Path,
    ) -> Result<(), CompilerError> {
        std::fs::metadata(input).map_err(CompilerError::reading(input))?;
        let folder = temporary_folder()?;
        let mut arguments = vec![input.to_string_lossy().into_owned()];
        arguments.extend(self.flags.iter().chain(flags).cloned());
        arguments.push(format!("-o={}", output.display()));
        let output = (folder.path(), "compile");
        let said = process::said(&self.path, &arguments, output, self.time_limit, &self.stop)?;
        match said.cut {
            Some(Cut::TimeLimit) => return Err(CompilerError::TimedOut(self.time_limit)),
            Some(Cut::Interrupted) => return Err(CompilerError::Interrupted),
            None => {}
        }
        // A library of the transform dialect that the compiler cannot read is no failure for it.
        let is_refused = !said.is_well || said.stderr.lines().any(|it| it.contains("error: "));
        if is_refused {
            let (path, words) = (input.to_owned(), compiler_errors(&said.stderr));
            return Err(CompilerError::Refused { path, words });
        }
        Ok(())
    }
}

/// Creates a temporary folder. If this program is killed, its next run removes it.
pub fn temporary_folder() -> Result<Staging, CompilerError> {
    staging(&std::env::temp_dir()).map_err(CompilerError::TemporaryFolder)
}

/// Returns a file for the compiled module, which is not needed.
fn sink(folder: &Path) -> PathBuf {
    if cfg!(unix) { PathBuf::from("/dev/null") } else { folder.join("module") }
}

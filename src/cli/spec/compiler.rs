//! Runs `iree-compile`, as far as configurations or to the end.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use crate::bench::{Device, Target};
use crate::bundle::{Staging, staging};
use crate::capture::process::{self, Cut};
use crate::capture::{Stop, compiler_errors, find};
use crate::cli::error::CliError;
use crate::cli::signals::{self, interrupted};
use crate::cli::values::duration;
use crate::tuning::configuration::Dispatch;
use crate::tuning::dumps;

/// The flags of subcommands that compile.
#[derive(Debug, Args)]
pub struct Compiling {
    /// Folder of IREE's tools, if they are not on the PATH or in an activated Python environment
    #[arg(long, value_name = "DIR")]
    pub iree_bin_dir: Option<PathBuf>,
    /// Time limit of a compilation
    #[arg(long, default_value = "10m", value_name = "TIME", value_parser = duration)]
    pub compile_timeout: Duration,
    /// Flags of iree-compile, such as --iree-hal-target-device=vulkan; by default those for the CPU of this machine
    #[arg(last = true, value_name = "FLAG")]
    pub flags: Vec<String>,
}

/// The flag of the compiler that names a spec. Some targets read only one of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpecFlag {
    TuningSpec,
    Library,
}

impl SpecFlag {
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
    pub fn read(folder: Staging) -> Result<Self, CliError> {
        Ok(Self { dispatches: dumps::read(folder.path())?, folder })
    }

    /// Returns the folder of the dumps.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// What the compiler made of a model.
pub enum Compiled {
    Configured(Configured),
    /// It refused, in these words.
    Refused(String),
}

/// The compiler with the flags of the user.
pub struct Compiler {
    path: PathBuf,
    version: String,
    flags: Vec<String>,
    limit: Duration,
    stop: Arc<Stop>,
}

impl Compiler {
    /// Finds the compiler, and listens for signals.
    pub fn new(args: &Compiling) -> Result<Self, CliError> {
        let stop = signals::listen()?;
        Self::with(args.iree_bin_dir.as_deref(), &args.flags, args.compile_timeout, stop)
    }

    /// Finds the compiler. It is stopped with `stop`.
    pub fn with(
        bin: Option<&Path>,
        flags: &[String],
        limit: Duration,
        stop: Arc<Stop>,
    ) -> Result<Self, CliError> {
        let tool = find::find("iree-compile", bin, &stop)?;
        let host = || Target::of(Device::LocalTask).compiler_flags();
        let flags = if flags.is_empty() { host() } else { flags.to_vec() };
        let version = tool.version.unwrap_or_default();
        Ok(Self { path: tool.path, version, flags, limit, stop })
    }

    /// Returns what stops the compiler.
    pub fn stop(&self) -> &Stop {
        &self.stop
    }

    /// Returns the compiler's version and flags.
    pub fn told(&self) -> (&str, &[String]) {
        (&self.version, &self.flags)
    }

    /// Compiles a model, or a file that is compiled `from` a later phase on, as far as configurations, with a spec if one is
    /// given, and reads these.
    pub fn configurations(
        &self,
        model: &Path,
        from: Option<&str>,
        spec: Option<(&Path, SpecFlag)>,
    ) -> Result<Compiled, CliError> {
        let dumps = folder()?;
        let spec = spec.map(|(path, flag)| flag.arguments(path));
        let mut words: Vec<String> = spec.into_iter().flatten().collect();
        words.extend(from.map(str::to_owned));
        words.extend([
            "--iree-codegen-add-tuner-attributes".to_owned(),
            format!("--iree-hal-dump-executable-configurations-to={}", dumps.path().display()),
            "--compile-to=executable-configurations".to_owned(),
        ]);
        match self.checked(model, &words)? {
            Ok(()) => Configured::read(dumps).map(Compiled::Configured),
            Err(words) => Ok(Compiled::Refused(words)),
        }
    }

    /// Compiles a file with further flags, for what the compiler says of it only.
    pub fn checked(&self, input: &Path, flags: &[String]) -> Result<Result<(), String>, CliError> {
        let folder = folder()?;
        self.compile(input, flags, &sink(folder.path()))
    }

    /// Compiles a file with further flags. The inner result has the words in which the compiler refuses it.
    pub fn compile(
        &self,
        input: &Path,
        flags: &[String],
        output: &Path,
    ) -> Result<Result<(), String>, CliError> {
        std::fs::metadata(input).map_err(CliError::reading(input))?;
        let folder = folder()?;
        let mut arguments = vec![input.to_string_lossy().into_owned()];
        arguments.extend(self.flags.iter().chain(flags).cloned());
        arguments.push(format!("-o={}", output.display()));
        let output = (folder.path(), "compile");
        let said = process::said(&self.path, &arguments, output, self.limit, &self.stop)?;
        match said.cut {
            Some(Cut::TimeLimit) => {
                let seconds = self.limit.as_secs_f64();
                return Err(CliError::Lacking(format!(
                    "iree-compile timed out after {seconds} s; increase --compile-timeout"
                )));
            }
            Some(Cut::Interrupted) => return Err(interrupted("interrupted")),
            None => {}
        }
        let (is_well, said) = (said.is_well, said.stderr);
        // A library of the transform dialect that the compiler cannot read is no failure for it.
        let is_refused = !is_well || said.lines().any(|it| it.contains("error: "));
        Ok(if is_refused { Err(compiler_errors(&said)) } else { Ok(()) })
    }

    /// Compiles as [`Compiler::configurations`] does, without a spec. Fails if the compiler refuses the model.
    pub fn plain(&self, model: &Path, from: Option<&str>) -> Result<Configured, CliError> {
        match self.configurations(model, from, None)? {
            Compiled::Configured(configured) => Ok(configured),
            Compiled::Refused(words) => Err(CliError::Model { path: model.to_owned(), words }),
        }
    }
}

/// Creates a temporary folder. If this program is killed, its next run removes it.
pub fn folder() -> Result<Staging, CliError> {
    staging(&std::env::temp_dir())
        .map_err(|source| CliError::System { action: "create a temporary folder", source })
}

/// Returns a file for the compiled module, which is not needed.
fn sink(folder: &Path) -> PathBuf {
    if cfg!(unix) { PathBuf::from("/dev/null") } else { folder.join("module") }
}

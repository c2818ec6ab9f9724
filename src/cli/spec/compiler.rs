//! Runs `iree-compile` as far as configurations.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Args;

use super::dumps;
use crate::capture::process::{self, Cut, Job};
use crate::capture::{Stop, find};
use crate::cli::capture::args::duration;
use crate::cli::error::CliError;
use crate::cli::signals;
use crate::tuning::configuration::Dispatch;

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

/// The flags for the CPU of this machine.
const HOST: [&str; 3] = [
    "--iree-hal-target-device=local",
    "--iree-hal-local-target-device-backends=llvm-cpu",
    "--iree-llvmcpu-target-cpu=host",
];

/// Number of lines of the compiler that are printed of a failure.
const LINES: usize = 5;

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
}

/// What the compiler made of a model.
pub enum Compiled {
    Dispatches(Vec<Dispatch>),
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
        let stop = Arc::new(Stop::default());
        signals::listen(&stop)?;
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
        let flags =
            if flags.is_empty() { HOST.map(str::to_owned).to_vec() } else { flags.to_vec() };
        let version = tool.version.unwrap_or_default();
        Ok(Self { path: tool.path, version, flags, limit, stop })
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
        let folder = folder()?;
        let dumps = folder.path().join("configurations");
        let create = |source| CliError::System { action: "create a temporary folder", source };
        std::fs::create_dir(&dumps).map_err(create)?;
        let mut words: Vec<String> = spec
            .map(|(path, flag)| format!("{}={}", flag.name(), path.display()))
            .into_iter()
            .collect();
        words.extend(from.map(str::to_owned));
        words.extend([
            "--iree-codegen-add-tuner-attributes".to_owned(),
            format!("--iree-hal-dump-executable-configurations-to={}", dumps.display()),
            "--compile-to=executable-configurations".to_owned(),
        ]);
        match self.compile(model, &words, &sink(folder.path()))? {
            Ok(()) => dumps::read(&dumps).map(Compiled::Dispatches),
            Err(words) => Ok(Compiled::Refused(words)),
        }
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
        let job = Job {
            program: &self.path,
            arguments: &arguments,
            directory: &std::env::current_dir().unwrap_or_default(),
            environment: &BTreeMap::new(),
            stdout: folder.path().join("stdout"),
            stderr: folder.path().join("stderr"),
        };
        let ended = process::run(&job, Some(self.limit), &self.stop, &mut |_| {})?;
        match ended.cut {
            Some(Cut::TimeLimit) => {
                let seconds = self.limit.as_secs_f64();
                return Err(CliError::Lacking(format!(
                    "iree-compile timed out after {seconds} s; increase --compile-timeout"
                )));
            }
            Some(Cut::Interrupted) => return Err(CliError::No("interrupted".to_owned())),
            None => {}
        }
        let said = process::text(&job.stderr);
        // A library of the transform dialect that the compiler cannot read is no failure for it.
        let is_refused = !ended.status.success() || said.lines().any(|it| it.contains("error: "));
        Ok(if is_refused { Err(words(&said)) } else { Ok(()) })
    }

    /// Compiles a model without a spec. Fails if the compiler refuses it.
    pub fn plain(&self, model: &Path) -> Result<Vec<Dispatch>, CliError> {
        match self.configurations(model, None, None)? {
            Compiled::Dispatches(dispatches) => Ok(dispatches),
            Compiled::Refused(words) => Err(CliError::Model { path: model.to_owned(), words }),
        }
    }
}

fn folder() -> Result<tempfile::TempDir, CliError> {
    tempfile::tempdir()
        .map_err(|source| CliError::System { action: "create a temporary folder", source })
}

/// Returns a file for the compiled module, which is not needed.
fn sink(folder: &Path) -> PathBuf {
    if cfg!(unix) { PathBuf::from("/dev/null") } else { folder.join("module") }
}

/// Returns the lines of the compiler that say what is wrong, or its first lines. What it prints besides has the text of
/// whole modules.
fn words(said: &str) -> String {
    let mut lines: Vec<&str> = said.lines().filter(|line| line.contains("error: ")).collect();
    lines.dedup();
    if lines.is_empty() {
        lines = said.lines().collect();
    }
    let short = |line: &str| match line.char_indices().nth(300) {
        Some((end, _)) => format!("{} …", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    };
    match lines.as_slice() {
        [] => "it printed nothing".to_owned(),
        lines => lines.iter().take(LINES).map(|line| short(line)).collect::<Vec<_>>().join("\n"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_found_among_what_the_compiler_prints() {
        let said = format!(
            "warning: w\na.mlir:1:2: error: bad{}\n  module {{\nb: error: worse\n",
            "x".repeat(400)
        );
        let words = words(&said);
        let lines: Vec<&str> = words.lines().collect();
        assert_eq!(lines.len(), 2);
        assert!(lines[0].starts_with("a.mlir:1:2: error: bad") && lines[0].ends_with("x …"));
        assert_eq!(lines[1], "b: error: worse");
        assert_eq!(super::words("killed"), "killed");
        assert_eq!(super::words(""), "it printed nothing");
    }
}

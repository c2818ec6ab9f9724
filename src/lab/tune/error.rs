//! Why a model cannot be tuned.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use engine::EngineError;
use tools::capture::CaptureError;
use tools::compiler::CompilerError;
use workspace::OpenError;
use workspace::comparison::CompareError;

use crate::race::RunError;

/// Why a model cannot be tuned.
#[derive(Debug, thiserror::Error)]
pub enum TuneError {
    /// The model could not be compiled, or its results not be compared.
    #[error(transparent)]
    Compiler(#[from] CompilerError),
    /// The folder is in use, or the model could not be captured.
    #[error(transparent)]
    Capture(#[from] CaptureError),
    /// A bundle with times could not be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A query over a bundle failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// A run of the model recorded no times.
    #[error("{}", .0.explained())]
    Run(RunError),
    /// The times of a run could not be read.
    #[error(transparent)]
    Compare(#[from] CompareError),
    /// A file could not be read.
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file could not be written.
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// A folder has no run to go on with.
    #[error("{} has no run of tune to go on with", .0.display())]
    NothingToResume(PathBuf),
    /// The command names a module.
    #[error("{0}: leave out the module, which is compiled from the model")]
    NamesModule(String),
    /// A pattern of an option matches no dispatch. There are these.
    #[error("no dispatch matches {pattern} of the option {option}")]
    NoMatch { option: &'static str, pattern: String, dispatches: Vec<String> },
    /// Nothing can be proven in the time.
    #[error(
        "the budget of {budget:?} is too short to prove anything: a run of the model takes {run:?}, and {needed:?} are needed"
    )]
    ShortBudget {
        budget: Duration,
        /// What a run of the model takes.
        run: Duration,
        /// What is needed at least.
        needed: Duration,
    },
    /// No clock timed the model.
    #[error("{0}")]
    NoClock(String),
    /// The untuned model does not run, for this reason.
    #[error("the untuned model does not run: {0}")]
    UntunedFails(String),
    /// The compiler refuses a module that it took before, in these words.
    #[error("{0}")]
    Refused(String),
    /// The compiler does not apply a matcher of the spec that was proven.
    #[error("the compiler does not apply @{0} of the winners' spec")]
    NotApplied(String),
    /// A stop was requested.
    #[error("interrupted; run the same command again to continue")]
    Interrupted,
}

impl TuneError {
    /// Converts the errors of reading a file.
    pub(super) fn reading<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::Read { path: path.to_owned(), source: error.into() }
    }

    /// Converts the errors of writing a file.
    pub(super) fn writing<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::Write { path: path.to_owned(), source: error.into() }
    }
}

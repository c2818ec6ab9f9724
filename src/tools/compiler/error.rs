//! Errors of compiling, and of comparing the results of modules.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use model::tuning::dumps::DumpError;
use model::tuning::spec::SpecError;

use crate::capture::CaptureError;

/// Why a model could not be compiled, or the results of modules not be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompilerError {
    /// A tool was not found or could not be started.
    #[error(transparent)]
    Tool(#[from] CaptureError),
    /// The compiler refused an input, in these words.
    #[error("iree-compile refuses {}:\n{words}", path.display())]
    Refused { path: PathBuf, words: String },
    /// The compiler took too long.
    #[error("iree-compile timed out after {} s; increase option `compile_timeout`", .0.as_secs_f64())]
    TimedOut(Duration),
    /// A stop was requested.
    #[error("interrupted")]
    Interrupted,
    /// A dumped configuration cannot be read.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// A file is no tuning spec.
    #[error("cannot read the tuning spec {}", path.display())]
    Spec { path: PathBuf, source: SpecError },
    /// The untuned module does not run, or has no results of known types.
    #[error("results cannot be compared, as iree-run-module does not run the untuned model: {0}")]
    NoResults(String),
    /// A file could not be read.
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file could not be written.
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// A temporary folder could not be created.
    #[error("cannot create a temporary folder")]
    TemporaryFolder(#[source] io::Error),
}

impl CompilerError {
    /// Returns the words in which the compiler refuses its input; other errors stay errors.
    pub fn words(self) -> Result<String, Self> {
        match self {
            Self::Refused { words, .. } => Ok(words),
            other => Err(other),
        }
    }

    /// Converts the errors of reading a file.
    pub(super) fn reading(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::Read { path: path.to_owned(), source }
    }

    /// Converts the errors of writing a file.
    pub(super) fn writing(path: &Path) -> impl Fn(io::Error) -> Self + Copy {
        move |source| Self::Write { path: path.to_owned(), source }
    }
}

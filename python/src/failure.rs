//! Why a call failed, as the exception that Python gets. The classes are those of `ireescope/errors.py`.

use std::error::Error;
use std::path::{Path, PathBuf};

use ireescope::bench::BenchError;
use ireescope::bundle::BundleError;
use ireescope::engine::{Damage, EngineError};
use ireescope::remote::RemoteError;
use ireescope::workspace::{OpenError, ReportError, SqlError};
use pyo3::prelude::*;
use pyo3::types::PyModule;

/// Why a call failed.
#[derive(Debug)]
pub enum Failure {
    /// A parameter or the SQL is wrong.
    Usage(String),
    /// A bundle or another input cannot be read.
    Input(Damage),
    /// The machine or a tool failed: the file system, memory, a thread, a process.
    Resource(String),
    /// There is no verdict: what is judged, or its baseline, is missing or not comparable.
    Verdict(String),
    /// A bug.
    Internal(String),
    /// An exception of Python, such as `KeyboardInterrupt`.
    Python(PyErr),
}

/// What a call returns.
pub type Done<T> = Result<T, Failure>;

impl Failure {
    /// An input that cannot be read, at no known place.
    pub fn input(path: Option<&Path>, text: String) -> Self {
        Self::Input(Damage { text, path: path.map(Path::to_owned), offset: None })
    }
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        let (class, text, place) = match failure {
            Failure::Usage(text) => ("UsageError", text, None),
            Failure::Input(damage) => {
                ("InputError", damage.text, Some((damage.path, damage.offset)))
            }
            Failure::Resource(text) => ("ResourceError", text, None),
            Failure::Verdict(text) => ("VerdictError", text, None),
            Failure::Internal(text) => (
                "InternalError",
                format!("a bug in ireescope or one of its libraries: {text}"),
                None,
            ),
            Failure::Python(error) => return error,
        };
        Python::attach(|py| exception(py, class, &text, place).unwrap_or_else(|error| error))
    }
}

fn exception(
    py: Python<'_>,
    class: &str,
    text: &str,
    place: Option<(Option<PathBuf>, Option<u64>)>,
) -> PyResult<PyErr> {
    let class = PyModule::import(py, "ireescope.errors")?.getattr(class)?;
    let made = match place {
        Some((path, offset)) => class.call1((text, path, offset))?,
        None => class.call1((text,))?,
    };
    Ok(PyErr::from_value(made))
}

impl From<PyErr> for Failure {
    fn from(error: PyErr) -> Self {
        Self::Python(error)
    }
}

/// Returns the message of an error with its causes.
pub fn whole(error: &dyn Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| (*cause).source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

impl From<BundleError> for Failure {
    fn from(error: BundleError) -> Self {
        match &error {
            BundleError::Stopped => Self::Resource(error.to_string()),
            BundleError::SameLabel { .. } => Self::Usage(error.to_string()),
            BundleError::Io { source, .. } if source.kind() != std::io::ErrorKind::NotFound => {
                Self::Resource(whole(&error))
            }
            _ => Self::Input(Damage {
                text: whole(&error),
                path: error.path().map(Path::to_owned),
                offset: error.offset(),
            }),
        }
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        match error {
            EngineError::Bundle(damage) => Self::Input(*damage),
            EngineError::Query(text) => Self::Usage(text),
            EngineError::Environment(text) => Self::Resource(text),
        }
    }
}

impl From<SqlError> for Failure {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Engine(error) => error.into(),
            SqlError::Panicked(text) => Self::Internal(text),
            SqlError::Rows(_) | SqlError::Time(_) => Self::Resource(error.to_string()),
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Engine(error) => error.into(),
            other => Self::Usage(other.to_string()),
        }
    }
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        match &error {
            BenchError::File { action: "read", .. } => Self::input(None, whole(&error)),
            BenchError::File { .. } | BenchError::Busy(_) => Self::Resource(whole(&error)),
            _ => Self::Usage(whole(&error)),
        }
    }
}

impl From<RemoteError> for Failure {
    fn from(error: RemoteError) -> Self {
        match &error {
            RemoteError::Address { .. } => Self::Usage(error.to_string()),
            RemoteError::Missing { address, .. } | RemoteError::Replaced(address) => {
                Self::input(Some(Path::new(address)), error.to_string())
            }
            _ => Self::Resource(error.to_string()),
        }
    }
}

impl From<OpenError> for Failure {
    fn from(error: OpenError) -> Self {
        match error {
            OpenError::Bundle(error) => error.into(),
            OpenError::Engine(error) => error.into(),
            OpenError::History(error) => error.into(),
            OpenError::Remote(error) => error.into(),
            OpenError::Bench(error) => error.into(),
            OpenError::Dump(_) => Self::input(None, whole(&error)),
            OpenError::Read { ref path, .. } => Self::input(Some(path), whole(&error)),
            OpenError::Threads(_) => Self::Resource(whole(&error)),
            other => Self::Usage(whole(&other)),
        }
    }
}

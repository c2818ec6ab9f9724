//! Exit codes, and errors of commands.

use std::error::Error;
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

use datafusion::error::DataFusionError;
use exporters::EncodeError;

use super::flags::{FLAGS, of_parameter};
use super::panics;
use crate::base::printable;
use crate::bench::BenchError;
use crate::bundle::BundleError;
use crate::capture::CaptureError;
use crate::engine::EngineError;
use crate::export::ExportError;
use crate::fill::FillError;
use crate::history::HistoryError;
use crate::panel::PanelError;
use crate::remote::RemoteError;
use crate::report::text::counted;
use crate::timeline::TimelineError;
use crate::tuning::dumps::DumpError;
use crate::tuning::spec::SpecError;
use crate::workspace::{OpenError, ReportError, SqlError};

/// Exit codes, as the README lists them.
pub mod exit {
    /// Everything went well.
    pub const FINE: u8 = 0;
    /// The answer is no: a check failed, or something requested is missing.
    pub const NO: u8 = 1;
    /// The command line or the SQL is wrong.
    pub const USAGE: u8 = 2;
    /// A bundle or another input cannot be read.
    pub const INPUT: u8 = 3;
    /// The environment failed: the file system, a tool, a thread.
    pub const ENVIRONMENT: u8 = 4;
    /// There is no verdict: what is judged, or its baseline, is missing or not comparable.
    pub const UNJUDGED: u8 = 5;
}

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum CliError {
    /// A bundle could not be opened.
    #[error(transparent)]
    Bundle(#[from] BundleError),
    /// A query failed.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// One of several statements failed, or a file of definitions is wrong.
    #[error("in {place}")]
    Statement { place: String, source: EngineError },
    /// The result could not be written.
    #[error(transparent)]
    Encode(#[from] EncodeError),
    /// A file could not be read.
    #[error("cannot read {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file could not be written.
    #[error("cannot write {}", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// Standard output, the terminal or a thread failed.
    #[error("cannot {action}")]
    System { action: &'static str, source: io::Error },
    /// A tool could not be run, or failed.
    #[error(transparent)]
    Capture(CaptureError),
    /// An object could not be read or written.
    #[error(transparent)]
    Remote(RemoteError),
    /// Dispatches could not be generated, or their results could not be stored.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// A history could not be read or written.
    #[error(transparent)]
    History(HistoryError),
    /// A file is no tuning spec.
    #[error("cannot read the tuning spec {}", path.display())]
    Spec { path: PathBuf, source: SpecError },
    /// A dumped configuration cannot be read.
    #[error(transparent)]
    Dump(#[from] DumpError),
    /// The compiler refused a model, in these words.
    #[error("iree-compile refuses {}:\n{words}", path.display())]
    Model { path: PathBuf, words: String },
    /// Traces could not be decoded.
    #[error("{}", .0.join("\n"))]
    Undecoded(Vec<String>),
    /// A required tool is missing.
    #[error("{0}")]
    Lacking(String),
    /// The answer is no.
    #[error("{0}")]
    No(String),
    /// There is nothing to judge, or nothing to compare with.
    #[error("{0}")]
    Unjudged(String),
    /// A signal ended the command, which has this exit code.
    #[error("{0}")]
    Interrupted(String, u8),
    /// The command line is invalid.
    #[error("{0}")]
    Usage(String),
}

impl From<DataFusionError> for CliError {
    fn from(error: DataFusionError) -> Self {
        Self::Engine(error.into())
    }
}

impl From<ReportError> for CliError {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Engine(error) => Self::Engine(error),
            ReportError::Parameter { command, parameter, takers } => Self::Usage(format!(
                "`{command}` does not accept {}; commands that do: {}",
                of_parameter(parameter),
                takers.join(", ")
            )),
            other => Self::Usage(other.to_string()),
        }
    }
}

impl From<SqlError> for CliError {
    fn from(error: SqlError) -> Self {
        match error {
            SqlError::Engine(error) => Self::Engine(error),
            SqlError::Rows(limit) => {
                let text = exceeded("result", counted(limit, "row"), "--row-limit");
                Self::Engine(EngineError::Environment(text))
            }
            SqlError::Time(limit) => Self::Lacking(format!(
                "stopped after {limit:?}, the time that --statement-timeout allows"
            )),
            SqlError::Panicked(said) => Self::Engine(EngineError::Query(panics::worded(&said))),
        }
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        let advice = match error {
            OpenError::Bundle(error) => return Self::Bundle(error),
            OpenError::Engine(error) => return Self::Engine(error),
            OpenError::History(error) => return error.into(),
            OpenError::Remote(error) => return Self::Remote(error),
            OpenError::Bench(error) => return Self::Bench(error),
            OpenError::Dump(error) => return Self::Dump(error),
            OpenError::Read { path, source } => return Self::Read { path, source },
            OpenError::Definition { place, source } => return Self::Statement { place, source },
            OpenError::Threads(source) => return Self::System { action: "start threads", source },
            OpenError::NotBundles { folder, what } => {
                return Self::Usage(format!(
                    "{folder} is {what}, but this command reads bundles: name the bundles, or ask with `ireescope sql {folder}`"
                ));
            }
            OpenError::HistoryBesides => "; add them to it with `ireescope history add`",
            OpenError::DatasetBesides => "; export them into the folder",
            OpenError::TuneFolders(_) => "",
            OpenError::NoSources(_) => {
                "; --sources takes the folder of iree-compile's --iree-hal-dump-executable-sources-to"
            }
            OpenError::NoConfigurations(_) => {
                "; --configurations takes the folder of iree-compile's --iree-hal-dump-executable-configurations-to"
            }
        };
        Self::Usage(format!("{error}{advice}"))
    }
}

impl From<HistoryError> for CliError {
    fn from(error: HistoryError) -> Self {
        match error {
            HistoryError::Remote(error) => Self::Remote(*error),
            other => Self::History(other),
        }
    }
}

impl From<ExportError> for CliError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Open(error) => error.into(),
            ExportError::Bundle(error) => Self::Bundle(error),
            ExportError::Engine(error) => Self::Engine(error),
            ExportError::Condition { query, source } => Self::of_statement(&query, source),
            ExportError::Encode(error) => Self::Encode(error),
            ExportError::Write { path, source } => Self::Write { path, source },
            ExportError::NotOneCondition => Self::Usage("--where requires one condition".into()),
            ExportError::NotOneRelation => {
                Self::Usage("--tables requires one name, and --where one condition".into())
            }
            ExportError::UnknownRelation(_) => {
                Self::Usage(format!("{error}; `ireescope tables` lists them"))
            }
            ExportError::Remote(error) => Self::Remote(error),
            ExportError::OtherFiles(_) | ExportError::OtherCapture { .. } => {
                Self::Usage(error.to_string())
            }
            ExportError::Stopped => Self::Lacking(error.to_string()),
        }
    }
}

impl From<PanelError> for CliError {
    fn from(error: PanelError) -> Self {
        match error {
            PanelError::Engine(error) => Self::Engine(error),
            PanelError::Open(error) => error.into(),
        }
    }
}

impl From<TimelineError> for CliError {
    fn from(error: TimelineError) -> Self {
        match error {
            TimelineError::Engine(error) => Self::Engine(error),
            TimelineError::Encode(error) => Self::Encode(error),
            TimelineError::EmptyWindow => {
                Self::Usage("--window ends before it starts, or is empty".into())
            }
            TimelineError::Window(_) => Self::Usage(error.to_string()),
            TimelineError::NoTraces => Self::No(
                "no instruction traces of functions that --filter selects were recorded, so that --att draws nothing; `ireescope att --list` lists traces"
                    .into(),
            ),
            TimelineError::Undecoded(problems) => Self::Undecoded(problems),
        }
    }
}

impl From<CaptureError> for CliError {
    fn from(error: CaptureError) -> Self {
        let advice = match error {
            CaptureError::NoCommand => " after --, as in: -- iree-run-module --module=m.vmfb",
            CaptureError::ReservedFlag(_) => {
                "; use --for, --mode, --counter, --filter-…, --flush-interval-ms and --replay before --"
            }
            CaptureError::Bulky(_) => {
                "; choose some with --function '*NAME*', --filter-command-buffer or --filter-command-index, or allow all with --all"
            }
            CaptureError::Directory(source) => {
                return Self::System { action: "find the working directory", source };
            }
            other => return Self::Capture(other),
        };
        Self::Usage(format!("{error}{advice}"))
    }
}

impl From<FillError> for CliError {
    fn from(error: FillError) -> Self {
        match error {
            FillError::Open(error) => error.into(),
            FillError::Capture(error) => error.into(),
            FillError::InPlace(_) => {
                Self::Usage(format!("--output requires a bundle, but {error}"))
            }
            FillError::UnknownCommand(_) => {
                Self::Usage(format!("{error}; give the tool and its arguments after --"))
            }
        }
    }
}

impl CliError {
    /// Returns the error of a program that was built without a feature.
    #[cfg(not(all(feature = "cluster", feature = "servers")))]
    pub fn without(what: &str, feature: &str) -> Self {
        Self::Lacking(format!(
            "this program was built without {what}; `cargo build --release --features {feature}` builds one with them"
        ))
    }

    /// Adds the text of a statement to its error.
    pub fn of_statement(text: &str, source: EngineError) -> Self {
        Self::Statement { place: format!("`{text}`"), source }
    }

    /// Converts the errors of reading a file.
    pub fn reading<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::Read { path: path.to_owned(), source: error.into() }
    }

    /// Converts the errors of writing a file.
    pub fn writing<E: Into<io::Error>>(path: &Path) -> impl Fn(E) -> Self + Copy {
        move |error| Self::Write { path: path.to_owned(), source: error.into() }
    }

    /// Converts an error of writing the output.
    pub const fn output(source: io::Error) -> Self {
        Self::System { action: "write the output", source }
    }

    /// Returns the exit code.
    pub fn code(&self) -> u8 {
        match self {
            Self::Bundle(error) | Self::Capture(CaptureError::Bundle(error)) => match error {
                BundleError::Io { source, .. } if source.kind() != io::ErrorKind::NotFound => {
                    exit::ENVIRONMENT
                }
                BundleError::SameLabel { .. } => exit::USAGE,
                _ => exit::INPUT,
            },
            Self::No(_) => exit::NO,
            Self::Unjudged(_) => exit::UNJUDGED,
            Self::Interrupted(_, code) => *code,
            Self::Engine(error) | Self::Statement { source: error, .. } => match error {
                EngineError::Bundle(_) => exit::INPUT,
                EngineError::Query(_) => exit::USAGE,
                EngineError::Environment(_) => exit::ENVIRONMENT,
            },
            Self::History(HistoryError::Write { .. }) => exit::ENVIRONMENT,
            Self::Read { .. }
            | Self::Remote(RemoteError::Missing { .. } | RemoteError::Replaced(_))
            | Self::Undecoded(_)
            | Self::Spec { .. }
            | Self::Dump(_)
            | Self::Model { .. }
            | Self::History(_)
            | Self::Bench(BenchError::File { action: "read", .. }) => exit::INPUT,
            Self::Bench(BenchError::File { .. } | BenchError::Busy(_)) => exit::ENVIRONMENT,
            Self::Usage(_)
            | Self::Remote(RemoteError::Address { .. })
            | Self::Bench(_)
            | Self::Encode(EncodeError::Unsupported(_))
            | Self::Capture(CaptureError::NotASet(_)) => exit::USAGE,
            Self::Capture(_)
            | Self::Remote(_)
            | Self::Lacking(_)
            | Self::Encode(EncodeError::Io(_))
            | Self::Write { .. }
            | Self::System { .. } => exit::ENVIRONMENT,
        }
    }

    /// True if the reader of standard output has closed the pipe.
    pub fn is_closed_pipe(&self) -> bool {
        match self {
            Self::Encode(error) => error.is_closed_pipe(),
            Self::System { source, .. } => source.kind() == io::ErrorKind::BrokenPipe,
            _ => false,
        }
    }

    /// Prints the error and its causes to standard error.
    pub fn report(&self) {
        self.print("error");
    }

    /// Prints it as a warning.
    pub fn warn(&self) {
        self.print("warning");
    }

    fn print(&self, what: &str) {
        eprintln!("ireescope: {what}: {}", safe(&FLAGS.spell(&self.to_string())));
        for cause in std::iter::successors(self.source(), |error| (*error).source()) {
            eprintln!("  because: {}", safe(&FLAGS.spell(&cause.to_string())));
        }
    }
}

/// Says that something has more than a flag allows.
pub fn exceeded(what: &str, limit: impl Display, flag: &str) -> String {
    format!("the {what} has more than {limit}, which {flag} allows")
}

/// Escapes what could control the terminal in the lines of a message, which may contain names from files.
fn safe(message: &str) -> String {
    message.lines().map(printable).collect::<Vec<_>>().join("\n")
}

//! Errors of queries, classified by cause: the data, the query, or the machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use att::AttError;
use datafusion::arrow::error::ArrowError;
use datafusion::common::SchemaError;
use datafusion::error::DataFusionError;
use dialect::in_plain_words;
use read::bundle::BundleError;
use read::history::HistoryError;

use super::dataset::DatasetError;
use super::near;

/// Why a query failed.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    /// The query read damaged parts of a bundle or of a Parquet file.
    #[error("{0}")]
    Bundle(Box<Damage>),
    /// The query is wrong.
    #[error("{0}")]
    Query(String),
    /// The machine lacks a resource: memory, disk, threads.
    #[error("{0}")]
    Environment(String),
}

/// What is wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Damage {
    pub text: String,
    /// The file; `None` if only the text names it.
    pub path: Option<PathBuf>,
    /// Where in the uncompressed file, if it has a position there.
    pub offset: Option<u64>,
}

impl Damage {
    fn of(error: &BundleError) -> Self {
        let path = error.path().map(Path::to_owned);
        Self { text: error.to_string(), path, offset: error.offset() }
    }

    fn text(text: String) -> Self {
        Self { text, path: None, offset: None }
    }
}

/// What failed in another process that takes part in a statement.
#[derive(Debug, thiserror::Error)]
pub enum Elsewhere {
    /// It does not answer.
    #[error("{0}")]
    Absent(String),
    /// It read damaged parts of a file.
    #[error("{0}")]
    Damaged(String),
}

impl From<DataFusionError> for EngineError {
    fn from(error: DataFusionError) -> Self {
        if let DataFusionError::External(cause) = error.find_root()
            && let Some(elsewhere) = cause.downcast_ref::<Elsewhere>()
        {
            return match elsewhere {
                Elsewhere::Absent(text) => Self::Environment(text.clone()),
                Elsewhere::Damaged(text) => Self::Bundle(Box::new(Damage::text(text.clone()))),
            };
        }
        if let Some(error) = undecoded(&error) {
            return match error {
                AttError::Lacking(_) | AttError::System { .. } => {
                    Self::Environment(error.to_string())
                }
                AttError::Failed(_) | AttError::Bundle(_) => {
                    Self::Bundle(Box::new(Damage::text(error.to_string())))
                }
            };
        }
        if let Some(bundle) = bundle_error(&error) {
            return Self::Bundle(Box::new(bundle));
        }
        let root = error.find_root();
        let text = plain(root);
        match root {
            DataFusionError::ResourcesExhausted(_) | DataFusionError::IoError(_) => {
                Self::Environment(text)
            }
            DataFusionError::ArrowError(error, _) if matches!(**error, ArrowError::IoError(..)) => {
                Self::Environment(text)
            }
            _ => Self::Query(text),
        }
    }
}

impl From<DatasetError> for EngineError {
    fn from(error: DatasetError) -> Self {
        Self::Bundle(Box::new(Damage::text(error.to_string())))
    }
}

impl From<HistoryError> for EngineError {
    fn from(error: HistoryError) -> Self {
        Self::Bundle(Box::new(Damage::text(whole(&error))))
    }
}

/// Returns the message of an error with its cause.
fn whole(error: &HistoryError) -> String {
    match std::error::Error::source(error) {
        Some(cause) => format!("{error}: {cause}"),
        None => error.to_string(),
    }
}

/// Returns the first error of a bundle or dataset in the chain of causes; `None` if there is none.
fn bundle_error(error: &DataFusionError) -> Option<Damage> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(current) = cause {
        if let Some(bundle) = current.downcast_ref::<BundleError>() {
            return Some(Damage::of(bundle));
        }
        if let Some(dataset) = current.downcast_ref::<DatasetError>() {
            return Some(Damage::text(dataset.to_string()));
        }
        if let Some(history) = current.downcast_ref::<HistoryError>() {
            return Some(Damage::text(whole(history)));
        }
        if let Some(shared) = current.downcast_ref::<Arc<DataFusionError>>() {
            return bundle_error(shared);
        }
        cause = current.source();
    }
    None
}

/// Returns why traces cannot be decoded, if that is in the chain of causes.
fn undecoded(error: &DataFusionError) -> Option<&AttError> {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(current) = cause {
        if let Some(error) = current.downcast_ref::<AttError>() {
            return Some(error);
        }
        if let Some(shared) = current.downcast_ref::<Arc<DataFusionError>>() {
            return undecoded(shared);
        }
        cause = current.source();
    }
    None
}

/// Returns the message without DataFusion's prefixes and its hints for developers.
fn plain(error: &DataFusionError) -> String {
    let text = match error {
        DataFusionError::SQL(parser, _) => parser.to_string(),
        DataFusionError::SchemaError(schema, _) => match schema.as_ref() {
            SchemaError::FieldNotFound { field, valid_fields } => {
                return near::no_column(field, valid_fields);
            }
            other => other.to_string(),
        },
        other => other.strip_backtrace(),
    };
    let text = text.split("\n\nbacktrace:").next().unwrap_or(&text);
    // DataFusion wraps the argument errors of our functions in a longer message.
    let text = match text.split_once("coercion failed with: Error during planning: ") {
        Some((_, said)) => said.split(". No function matches").next().unwrap_or(said),
        None => text,
    };
    if let Some(said) = near::no_signature(text) {
        return said;
    }
    if MISPLANNED.iter().any(|fault| text.contains(fault)) {
        return NOT_PLANNED.to_owned();
    }
    let text = PREFIXES.iter().fold(text, |text, prefix| text.strip_prefix(prefix).unwrap_or(text));
    near::no_name(text).or_else(|| in_plain_words(text)).unwrap_or_else(|| text.to_owned())
}

/// What DataFusion 55 says of plans that it made wrongly, and found out: it moves sorts below joins whose columns it counts wrongly
/// (apache/datafusion#23590), and runs a part of a plan twice.
const MISPLANNED: [&str; 3] = [
    " does not satisfy order requirements",
    " does not satisfy distribution requirements",
    "partition not used yet",
];

const NOT_PLANNED: &str = "the query planner cannot combine the joins and orders of this statement (apache/datafusion#23590); write its part \
    with ORDER BY, OVER or the innermost join as CREATE TABLE … AS first";

const PREFIXES: &[&str] = &[
    "Error during planning: ",
    "sql parser error: ",
    "Execution error: ",
    "IO error: ",
    "Schema error: ",
    "Arrow error: Io error: ",
    "Resources exhausted: ",
    "This feature is not implemented: ",
];

//! What can go wrong with a cluster, in words of our own: what happened, and what to do.

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use datafusion::error::DataFusionError;
use engine::Elsewhere;
use tonic::{Code, Status};
use url::Url;

/// Why a cluster cannot be used, or a worker did not start or ended.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error("{0} is no address; it has the form HOST:PORT")]
    Address(String),
    /// Plans that arrive can read what the process can read.
    #[error(
        "{0} can be reached from other machines, which needs certificates: option `tls` on all sides"
    )]
    Open(String),
    #[error("cannot read {path}: {source}")]
    Certificate { path: PathBuf, source: std::io::Error },
    #[error("the certificates do not work: {0}")]
    Tls(String),
    #[error("cannot listen at {address}: {source}")]
    Listen { address: String, source: std::io::Error },
    #[error("the worker ended: {0}")]
    Ended(String),
}

/// Marks errors of connections in what workers tell each other and the client.
const LOST: &str = "there is no answer from the worker at ";

/// Returns the error of a connection to a worker as one of a lost worker; other errors, which the worker itself tells, as they are.
pub fn lost(error: DataFusionError, url: &Url) -> DataFusionError {
    match of_connection(&error) {
        Some(said) => DataFusionError::Execution(format!("{LOST}{url} ({said})")),
        None => error,
    }
}

/// Returns what a connection says, if an error is of one.
fn of_connection(error: &DataFusionError) -> Option<String> {
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(current) = cause {
        if let Some(status) = current.downcast_ref::<Status>() {
            let is_refused = matches!(status.code(), Code::InvalidArgument | Code::OutOfRange);
            return (!is_refused).then(|| innermost(status));
        }
        if let Some(shared) = current.downcast_ref::<Arc<DataFusionError>>() {
            return of_connection(shared);
        }
        cause = current.source();
    }
    None
}

/// Returns the innermost cause, which has the facts.
pub(super) fn innermost(error: &(dyn Error + 'static)) -> String {
    let mut last = error;
    while let Some(cause) = last.source() {
        last = cause;
    }
    match last.downcast_ref::<Status>() {
        Some(status) => status.message().to_owned(),
        None => last.to_string(),
    }
}

/// Returns an error of a statement that ran on a cluster, classified as errors of one that runs here.
pub fn classified(error: DataFusionError) -> DataFusionError {
    if matches!(error.find_root(), DataFusionError::External(said) if said.is::<Elsewhere>()) {
        return error;
    }
    let text = error.find_root().strip_backtrace();
    if let Some((_, said)) = text.split_once(LOST) {
        return absent(format!(
            "{LOST}{said}. Run the statement again; workers that do not answer are left out then"
        ));
    }
    if text.contains(NO_PLAN) {
        return absent(
            "a worker has not begun with its part of the statement within 10 s. Run the statement again"
                .into(),
        );
    }
    if text.contains(NOT_ORDERED) {
        return DataFusionError::Plan(
            "workers cannot compute the windows of this statement, as a key of PARTITION BY is constant; leave out option `cluster`".into(),
        );
    }
    match error.find_root() {
        // Of errors of other processes only the text is left; those of scans are of this kind.
        DataFusionError::External(said) => {
            DataFusionError::External(Box::new(Elsewhere::Damaged(said.to_string())))
        }
        _ => error,
    }
}

/// What datafusion-distributed says of a task whose plan does not come.
const NO_PLAN: &str = "timed-out while waiting for the plan";

/// What DataFusion says of a window whose input is ordered as a key is constant, which rows from another worker do not tell.
const NOT_ORDERED: &str = "Expects PARTITION BY expression to be ordered";

/// Returns the error of a worker that is not there.
pub fn absent(text: String) -> DataFusionError {
    DataFusionError::External(Box::new(Elsewhere::Absent(text)))
}

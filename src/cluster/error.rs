//! What can go wrong with a cluster.

use std::path::PathBuf;

use ballista_core::error::BallistaError;

/// Why a scheduler or worker did not start, or ended.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    #[error("{0} is no address; it has the form HOST:PORT")]
    Address(String),
    /// Plans that arrive can read what the process can read.
    #[error(
        "{0} can be reached from other machines, which needs certificates: option `tls` on all sides"
    )]
    Open(String),
    /// Others cannot tell which machine is meant.
    #[error(
        "{0} stands for all addresses of this machine, by which others do not reach it: give its name with option `advertise`"
    )]
    Everywhere(String),
    #[error("cannot read {path}: {source}")]
    Certificate { path: PathBuf, source: std::io::Error },
    #[error("the certificates do not work: {0}")]
    Tls(String),
    #[error("{what} {address}: {source}")]
    Ballista { what: &'static str, address: String, source: Box<BallistaError> },
    #[error("there is no scheduler at {address}: {source}")]
    NoScheduler { address: String, source: std::io::Error },
    #[error("cannot start: {0}")]
    Io(#[from] std::io::Error),
}

impl ClusterError {
    pub(super) fn of(what: &'static str, address: &str) -> impl FnOnce(BallistaError) -> Self {
        let address = address.to_owned();
        move |source| Self::Ballista { what, address, source: Box::new(source) }
    }
}

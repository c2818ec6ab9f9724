//! What a program says that was built without clusters.

use super::args::{OfCluster, Worker};
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::engine::Planning;

fn lacking<T>() -> Result<T, CliError> {
    Err(CliError::without("clusters", "cluster"))
}

pub fn planning(args: &OfCluster, _: &Opening) -> Result<Option<Planning>, CliError> {
    if args.cluster.is_empty() { Ok(None) } else { lacking() }
}

pub fn run_worker(_: &Worker, _: &Opening) -> Result<(), CliError> {
    lacking()
}

//! The flags of `scheduler` and `worker`, and those of `sql` that name a cluster.

use std::path::PathBuf;

use clap::Args;

/// Where a cluster listens by default.
const SCHEDULER: &str = "127.0.0.1:50050";

#[derive(Debug, Args)]
#[command(after_help = SCHEDULER_AFTER)]
pub struct Scheduler {
    /// Address to listen at
    #[arg(long, value_name = "HOST:PORT", default_value = SCHEDULER)]
    pub listen: String,
    #[command(flatten)]
    pub tls: Tls,
    /// Cancel the statements that run when nothing was heard of a worker for so many seconds
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = clap::value_parser!(u64).range(2..=86_400))]
    pub worker_timeout: u64,
}

const SCHEDULER_AFTER: &str = "\
Example:
  ireescope scheduler --listen=127.0.0.1:50050 &
  ireescope worker --scheduler=127.0.0.1:50050 &
  ireescope sql --cluster=127.0.0.1:50050 -c 'SELECT count(*) FROM dispatches' nightly/

docs/cluster.md describes clusters.";

#[derive(Debug, Args)]
pub struct Worker {
    /// Address of the scheduler
    #[arg(long, value_name = "HOST:PORT", default_value = SCHEDULER)]
    pub scheduler: String,
    /// Address where others get results; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:0")]
    pub listen: String,
    /// Name by which others reach this machine (default: the host of --listen, which must not be 0.0.0.0 or [::])
    #[arg(long, value_name = "HOST")]
    pub advertise: Option<String>,
    #[command(flatten)]
    pub tls: Tls,
}

/// The certificates of a process.
#[derive(Debug, Clone, Args)]
pub struct Tls {
    /// Folder with `ca.crt`, `node.crt` and `node.key`, which connections between machines need
    #[arg(long, value_name = "DIR")]
    pub tls: Option<PathBuf>,
}

/// The cluster that answers.
#[derive(Debug, Clone, Args)]
pub struct OfCluster {
    /// Let the cluster of the scheduler at this address run the SQL; for datasets
    #[arg(long, value_name = "HOST:PORT")]
    pub cluster: Option<String>,
    #[command(flatten)]
    pub tls: Tls,
}

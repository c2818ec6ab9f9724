//! The flags of `worker`, and those of `sql` that name a cluster.

use std::path::PathBuf;

use clap::Args;

/// Where a worker listens by default.
const WORKER: &str = "127.0.0.1:50051";

#[derive(Debug, Args)]
#[command(after_help = WORKER_AFTER)]
pub struct Worker {
    /// Address to listen at; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT", default_value = WORKER)]
    pub listen: String,
    /// After SIGTERM or Ctrl-C, let statements that run go on for so many seconds
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = clap::value_parser!(u64).range(0..=86_400))]
    pub grace: u64,
    #[command(flatten)]
    pub connections: Connections,
}

const WORKER_AFTER: &str = "\
Example:
  ireescope worker --listen=127.0.0.1:50051 &
  ireescope worker --listen=127.0.0.1:50052 &
  ireescope sql --cluster=127.0.0.1:50051,127.0.0.1:50052 -c 'SELECT count(*) FROM dispatches' nightly/

docs/cluster.md describes clusters.";

/// How the processes of a cluster connect.
#[derive(Debug, Clone, Args)]
pub struct Connections {
    /// Folder with `ca.crt`, `node.crt` and `node.key`, which connections between machines need
    #[arg(long, value_name = "DIR")]
    pub tls: Option<PathBuf>,
    /// Take a worker for lost that has been silent for so many seconds
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = clap::value_parser!(u64).range(2..=86_400))]
    pub worker_timeout: u64,
}

/// The cluster that answers.
#[derive(Debug, Clone, Args)]
pub struct OfCluster {
    /// Let the workers at these addresses run the SQL; for datasets
    #[arg(long, value_name = "HOST:PORT,…", value_delimiter = ',')]
    pub cluster: Vec<String>,
    #[command(flatten)]
    pub connections: Connections,
}

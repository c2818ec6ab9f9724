//! The flags of `serve`.

use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::{ArgGroup, Args};

use crate::cli::values::duration;

#[derive(Debug, Args)]
#[command(after_help = SERVE_AFTER, group(ArgGroup::new("door").args(["postgres", "flight_sql"]).multiple(true).required(true)))]
pub struct Serve {
    /// Bundles, folders, a dataset or a history to serve
    #[arg(value_name = "BUNDLE", required = true)]
    pub bundles: Vec<String>,
    /// Address for PostgreSQL's protocol, e.g. `127.0.0.1:5439`; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT")]
    pub postgres: Option<String>,
    /// Address for Arrow Flight SQL, e.g. `127.0.0.1:32010`; port 0 takes a free one
    #[arg(long, value_name = "HOST:PORT")]
    pub flight_sql: Option<String>,
    /// Address for counts for Prometheus, at `/metrics`
    #[arg(long, value_name = "HOST:PORT")]
    pub metrics: Option<String>,
    /// Open files again when they change, and new ones in folders
    #[arg(long)]
    pub watch: bool,
    /// Certificate of the server with those that lead to its authority, as PEM; all connections must use it
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Key of the certificate, as PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// File with a line USER:PASSWORD for each user, which nobody else may read
    #[arg(long, value_name = "FILE")]
    pub password_file: Option<PathBuf>,
    /// Maximum time of a statement until its last row is sent
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "5min")]
    pub statement_timeout: Duration,
    /// Maximum number of rows of a result; more are an error
    #[arg(long, value_name = "N")]
    pub row_limit: Option<u64>,
    /// Maximum size of a result, as Arrow arrays; more is an error
    #[arg(long, value_name = "SIZE", default_value = "4GiB")]
    pub byte_limit: ByteSize,
    /// Memory for the statements of one client (default: a quarter of --memory-limit)
    #[arg(long, value_name = "SIZE")]
    pub client_memory: Option<ByteSize>,
    /// Maximum number of connections of each protocol
    #[arg(long, value_name = "N", default_value = "256", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub max_connections: u32,
    /// Maximum number of statements that run at once; others wait
    #[arg(long, value_name = "N", default_value = "256", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub max_statements: u32,
    /// Maximum time that a connection may be idle
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "1h")]
    pub idle_timeout: Duration,
    /// How long statements may still run after SIGTERM or Ctrl-C
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "10s")]
    pub grace: Duration,
}

const SERVE_AFTER: &str = "\
Examples:
  ireescope serve --postgres=127.0.0.1:5439 --watch runs/
  psql -h 127.0.0.1 -p 5439 -c '\\d+ dispatches'
  ireescope serve --flight-sql=127.0.0.1:32010 --metrics=127.0.0.1:9464 nightly/
  ireescope serve --postgres=0.0.0.0:5439 --tls-cert=server.crt --tls-key=server.key --password-file=users runs/

Statements only read. docs/servers.md describes clients, limits and operation.";

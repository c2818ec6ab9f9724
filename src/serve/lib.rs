//! Servers: answer SQL over the network, to many clients at once, from the same engine as everything else.
//!
//! [`Service`] opens what is served, and runs the statements of clients within limits. Each protocol is a folder that only
//! translates: [`postgres`] for PostgreSQL's, [`flight`] for Arrow Flight SQL.
//!
//! It knows no flags and no terminal.
//!
//! Invariants: nothing is changed for a client; a statement reads one state of what is served, from its first row to its
//! last; and what one client does neither stops nor delays the statements of others beyond its share of the processors.

mod access;
mod client;
mod error;
mod flight;
mod limits;
mod log;
mod memory;
mod metrics;
mod opened;
mod places;
mod postgres;
mod rows;
mod runtimes;
mod service;
mod watch;

pub use access::{Access, Certificate, Passwords};
pub use client::{Client, Door};
pub use error::ServeError;
pub use flight::serve_flight_sql;
pub use limits::Limits;
pub use metrics::{Metrics, serve_metrics};
pub use opened::Snapshot;
pub use postgres::serve_postgres;
pub use rows::Rows;
pub use service::{Prepared, Service};

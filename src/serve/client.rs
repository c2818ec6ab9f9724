//! A client of a server.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use engine::Memory;
use parking_lot::Mutex;

use super::opened::Snapshot;

/// The protocol that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Door {
    Postgres,
    FlightSql,
}

impl Door {
    /// Returns its name in logs and metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Postgres => "postgres",
            Self::FlightSql => "flight-sql",
        }
    }
}

/// A client: a connection of PostgreSQL's protocol, or a login of Flight SQL's.
#[derive(Debug)]
pub struct Client {
    pub door: Door,
    pub address: SocketAddr,
    pub user: String,
    /// The portion of the memory that its statements share.
    pub(super) memory: Memory,
    /// The state of the files that all statements of its transaction read.
    pub(super) held: Mutex<Option<Arc<Snapshot>>>,
}

impl fmt::Display for Client {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}@{}", self.user, self.address)
    }
}

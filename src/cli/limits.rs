//! The limits of SQL that others send: what it may do, how long it may take, and how much it may return.

use std::io::{self, Write};
use std::time::Duration;

use bytesize::ByteSize;
use clap::Args;
use exporters::Output;

use super::error::exceeded;
use super::values::duration;
use crate::workspace::SqlLimits;

#[derive(Debug, Clone, Default, Args)]
pub struct Limits {
    /// Refuse statements that define or change something, set options or open files
    #[arg(long)]
    pub read_only_sql: bool,
    /// Maximum time of a statement, e.g. 30s; longer ones are stopped
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub statement_timeout: Option<Duration>,
    /// Maximum number of rows of a result; more are an error
    #[arg(long, value_name = "N")]
    pub row_limit: Option<u64>,
    /// Maximum size of the output of a statement, e.g. 10MB; more is an error
    #[arg(long, value_name = "SIZE")]
    pub byte_limit: Option<ByteSize>,
}

impl Limits {
    /// Returns the limits of statements.
    pub fn of_statements(&self) -> SqlLimits {
        SqlLimits { time: self.statement_timeout, rows: self.row_limit }
    }

    /// Makes an output fail at the byte that exceeds the limit.
    pub fn bytes(&self, output: Output) -> Output {
        match self.byte_limit {
            Some(limit) => Box::new(Limited { output, limit, left: limit.as_u64() }),
            None => output,
        }
    }
}

/// An output of limited size.
struct Limited {
    output: Output,
    limit: ByteSize,
    left: u64,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            return Err(io::Error::other(exceeded("output", self.limit, "--byte-limit")));
        };
        self.left = left;
        self.output.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

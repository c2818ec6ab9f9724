//! The limits of SQL that others send: what it may do, how long it may take, and how much it may return.

use std::fmt::Display;
use std::io::{self, Write};
use std::time::Duration;

use arrow::array::RecordBatch;
use bytesize::ByteSize;
use clap::Args;
use datafusion::error::DataFusionError;
use exporters::Output;
use futures::{Stream, StreamExt};

use super::error::CliError;
use super::values::duration;
use crate::report::text::counted;

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
    /// Makes a stream fail at the batch that exceeds the row limit.
    pub fn rows(
        &self,
        batches: impl Stream<Item = Result<RecordBatch, DataFusionError>> + Unpin,
    ) -> impl Stream<Item = Result<RecordBatch, DataFusionError>> + Unpin {
        let limit = self.row_limit.unwrap_or(u64::MAX);
        let mut rows: u64 = 0;
        batches.map(move |batch| {
            let batch = batch?;
            rows = rows.saturating_add(batch.num_rows() as u64);
            if rows > limit {
                let text = exceeded("result", counted(limit, "row"), "--row-limit");
                return Err(DataFusionError::ResourcesExhausted(text));
            }
            Ok(batch)
        })
    }

    /// Makes an output fail at the byte that exceeds the limit.
    pub fn bytes(&self, output: Output) -> Output {
        match self.byte_limit {
            Some(limit) => Box::new(Limited { output, limit, left: limit.as_u64() }),
            None => output,
        }
    }

    /// Waits for a statement that runs in a task of its own, up to the time limit.
    pub async fn time<T>(
        &self,
        statement: impl Future<Output = Result<T, CliError>>,
    ) -> Result<T, CliError> {
        let Some(limit) = self.statement_timeout else { return statement.await };
        tokio::time::timeout(limit, statement).await.unwrap_or_else(|_| {
            let text = format!("stopped after {limit:?}, the time that --statement-timeout allows");
            Err(CliError::Lacking(text))
        })
    }
}

fn exceeded(what: &str, limit: impl Display, flag: &str) -> String {
    format!("the {what} has more than {limit}, which {flag} allows")
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

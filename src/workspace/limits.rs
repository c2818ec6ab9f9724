//! What a statement may take, and why it has no result.

use std::time::Duration;

use arrow::array::RecordBatch;
use datafusion::error::DataFusionError;
use engine::EngineError;
use futures::{Stream, StreamExt};

/// Why a statement has no result.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    /// The statement is wrong, what it reads is damaged, or the machine lacks something.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The result has more rows than allowed.
    #[error("the result has more than {0} rows, the limit of this session")]
    Rows(u64),
    /// The statement took longer than allowed.
    #[error("stopped after {0:?}, the time limit of this session")]
    Time(Duration),
    /// A library has a bug, in these words.
    #[error("a bug in ireescope or one of its libraries: {0}")]
    Panicked(String),
}

/// What a statement may take; the defaults are no limits.
#[derive(Debug, Clone, Copy, Default)]
pub struct SqlLimits {
    /// The longest time.
    pub time: Option<Duration>,
    /// Most rows of a result.
    pub rows: Option<u64>,
}

impl SqlLimits {
    /// Makes a stream fail at the batch that exceeds the limit of rows.
    pub fn limited<'a>(
        self,
        batches: impl Stream<Item = Result<RecordBatch, DataFusionError>> + Send + Unpin + 'a,
    ) -> impl Stream<Item = Result<RecordBatch, SqlError>> + Send + Unpin + 'a {
        let limit = self.rows.unwrap_or(u64::MAX);
        let mut rows: u64 = 0;
        batches.map(move |batch| {
            let batch = batch.map_err(EngineError::from)?;
            rows = rows.saturating_add(batch.num_rows() as u64);
            if rows > limit { Err(SqlError::Rows(limit)) } else { Ok(batch) }
        })
    }
}

//! Lists the entries of a history.

use std::path::Path;

use arrow::array::{BooleanArray, RecordBatch};
use arrow::compute::{concat_batches, filter_record_batch};
use arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use engine::{EngineError, Parameters};
use read::history::Kept;
use report::{Row, rows};

use super::error::TrackingError;
use crate::{Workspace, WorkspaceOptions, open_history};

/// Which entries are listed.
#[derive(Debug, Clone, Default)]
pub struct ListRequest {
    /// Only entries of this branch.
    pub branch: Option<String>,
    /// Only entries with these labels.
    pub labels: Vec<String>,
    /// Maximum number of entries, the newest; `None` for all.
    pub limit: Option<usize>,
}

/// Entries of a history.
#[derive(Debug)]
pub struct Listed {
    /// Rows of the view `history_entries`, by time.
    pub batch: RecordBatch,
    /// Number of older entries, which exceed the limit.
    pub older: usize,
}

/// Lists the entries of a history.
pub fn list(
    place: &Path,
    request: &ListRequest,
    options: &WorkspaceOptions,
) -> Result<Listed, TrackingError> {
    let history = open_history(place, Kept::Runs, options)?;
    let Workspace { engine, runtime } = Workspace::of_history(history, options)?;
    let parameters = Parameters::default();
    let view = engine.prepare(sql::Kind::View, "history_entries", &parameters);
    let answer = runtime.block_on(async { view.await?.answer().await })?;
    let failed = |error: ArrowError| EngineError::from(DataFusionError::from(error));
    let all = concat_batches(&answer.schema, &answer.batches).map_err(failed)?;
    let chosen = filter_record_batch(&all, &chosen(request, &all)).map_err(failed)?;
    let older = chosen.num_rows().saturating_sub(request.limit.unwrap_or(usize::MAX));
    Ok(Listed { batch: chosen.slice(older, chosen.num_rows() - older), older })
}

/// Returns which rows are of the branch and have the labels.
fn chosen(request: &ListRequest, batch: &RecordBatch) -> BooleanArray {
    let is_chosen = |row: Row<'_>| {
        let labels = row.text("labels");
        let has = |label: &String| labels.split(',').any(|own| own == label);
        request.branch.as_ref().is_none_or(|branch| row.text("branch") == *branch)
            && request.labels.iter().all(has)
    };
    rows(std::slice::from_ref(batch)).into_iter().map(|row| Some(is_chosen(row))).collect()
}

//! What a history has of a table.

use std::path::PathBuf;

use arrow::array::AsArray;
use arrow::compute::max;
use arrow::datatypes::UInt64Type;

use super::error::HistoryError;
use super::folder::History;
use super::read::{ReadOptions, batches};

/// Returns the files of a table, by month and piece.
pub fn stored(history: &History, table: &str) -> Result<Vec<PathBuf>, HistoryError> {
    let paths = history.pieces()?.into_iter().map(|piece| piece.file(table));
    Ok(paths.filter(|path| path.exists()).collect())
}

/// Returns the number of the next addition to a table. Two that are made at once may have the same.
pub fn next_addition(history: &History, table: &str) -> Result<u64, HistoryError> {
    let asked = ReadOptions { table, entries: None, columns: Some(&["addition"]) };
    let mut last = 0;
    for piece in history.pieces()? {
        for batch in batches(&piece, asked)? {
            let numbers =
                batch.columns().first().and_then(|it| it.as_primitive_opt::<UInt64Type>());
            last = numbers.and_then(max).unwrap_or_default().max(last);
        }
    }
    Ok(last + 1)
}

//! Reads the rows of a history.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch};
use arrow::compute::max;
use arrow::datatypes::{SchemaRef, UInt64Type};
use serde::de::DeserializeOwned;

use super::error::HistoryError;
use super::folder::{History, Piece};
use crate::store::{self, Only};

/// The column by which rows are selected.
const ENTRY: &str = "entry";

/// What is read of a table.
#[derive(Debug, Clone, Copy)]
pub struct ReadOptions<'a> {
    pub table: &'a str,
    /// Only the rows of these entries; `None` for all.
    pub entries: Option<&'a BTreeSet<String>>,
    /// Only these columns; `None` for all. Their order is that of the table.
    pub columns: Option<&'a [&'a str]>,
}

/// Returns the files of a table, by month and piece.
pub fn stored(history: &History, table: &str) -> Result<Vec<PathBuf>, HistoryError> {
    let paths = history.pieces()?.into_iter().map(|piece| piece.file(table));
    Ok(paths.filter(|path| path.exists()).collect())
}

/// Reads the rows of a table in a piece; none if it has no such file.
pub fn batches(piece: &Piece, options: ReadOptions<'_>) -> Result<Vec<RecordBatch>, HistoryError> {
    let path = piece.file(options.table);
    let Some(table) = schemas::find(options.table).filter(|_| path.exists()) else {
        return Ok(Vec::new());
    };
    let all = schemas::arrow::schema(table);
    let is_asked = |name: &str| options.columns.is_none_or(|columns| columns.contains(&name));
    let wanted = (0..all.fields().len()).filter(|nth| is_asked(all.field(*nth).name()));
    let wanted =
        Arc::new(all.project(&wanted.collect::<Vec<_>>()).map_err(HistoryError::damaged(&path))?);
    read(&path, &wanted, options.entries)?.collect()
}

/// Reads the rows of a table in a piece as structs; none if it has no such file.
pub fn rows<Row: DeserializeOwned>(
    piece: &Piece,
    options: ReadOptions<'_>,
) -> Result<Vec<Row>, HistoryError> {
    let mut all = Vec::new();
    for batch in batches(piece, options)? {
        all.extend(store::rows(&batch).map_err(HistoryError::damaged(&piece.file(options.table)))?);
    }
    Ok(all)
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

/// The batches of a file.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch, HistoryError>> + Send>;

/// Reads columns of a file, with the types of the schema. Those that an older file lacks are NULL.
pub fn read(
    path: &Path,
    schema: &SchemaRef,
    entries: Option<&BTreeSet<String>>,
) -> Result<Batches, HistoryError> {
    let only = entries.map(|values| Only { column: ENTRY, values: values.clone() });
    let batches = store::batches(path, schema, only).map_err(HistoryError::of_rows(path))?;
    let path = path.to_owned();
    Ok(Box::new(batches.map(move |batch| batch.map_err(HistoryError::of_rows(&path)))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Sample, write};
    use crate::store::tests::{bits, doubles};

    #[test]
    fn times_come_back_to_the_last_bit() {
        let folder = tempfile::tempdir().expect("a folder");
        let piece = Piece { folder: folder.path().to_owned(), month: String::new() };
        let table = "history_samples";
        let sample =
            |total_ns: f64| Sample { entry: "e".to_owned(), total_ns, ..Sample::default() };
        let samples: Vec<Sample> = doubles().into_iter().map(sample).collect();
        let schema = store::schema(table);
        let batch = store::batch(&schema, &samples).map_err(HistoryError::damaged(folder.path()));
        write(&piece.file(table), &schema, [batch]).expect("room");
        let entries = std::iter::once("e".to_owned()).collect();
        let asked = ReadOptions { table, entries: Some(&entries), columns: None };
        let found = rows::<Sample>(&piece, asked).expect("rows");
        assert_eq!(bits(found.iter().map(|it| it.total_ns)), bits(doubles()));
    }
}

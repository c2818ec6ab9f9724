//! Reads the rows of a history.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::SchemaRef;
use serde::de::DeserializeOwned;

use super::error::HistoryError;
use super::piece::Piece;
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
    let found = read(&path, &wanted, options.entries).and_then(Iterator::collect);
    found.map_err(|error| match &piece.copies {
        Some(copies) => copies.named(error),
        None => error,
    })
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
    use crate::store::doubles::{bits, doubles};

    #[test]
    fn times_come_back_to_the_last_bit() {
        let folder = tempfile::tempdir().expect("a folder");
        let piece = Piece { folder: folder.path().to_owned(), month: String::new(), copies: None };
        let table = "history_samples";
        let sample = |total_ns: f64| Sample {
            entry: "e".to_owned(),
            total_ns: Some(total_ns),
            ..Sample::default()
        };
        let samples: Vec<Sample> = doubles().into_iter().map(sample).collect();
        let schema = store::schema(table);
        let batch = store::batch(&schema, &samples).map_err(HistoryError::damaged(folder.path()));
        write(&piece.file(table), &schema, [batch]).expect("room");
        let entries = std::iter::once("e".to_owned()).collect();
        let asked = ReadOptions { table, entries: Some(&entries), columns: None };
        let found = rows::<Sample>(&piece, asked).expect("rows");
        assert_eq!(bits(found.iter().filter_map(|it| it.total_ns)), bits(doubles()));
    }
}

//! Reads and writes the files of `dispatch_runs`, one Parquet file per command. The file is rewritten atomically for
//! each row, so that it is valid whenever the command is interrupted.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch};
use arrow::datatypes::{DataType, FieldRef, Float64Type, Schema, UInt64Type};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use super::folders::Folders;
use super::row::DispatchRun;
use crate::bench::error::BenchError;
use crate::history::{self, with_schema};

/// The rows of a command, and their file.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    rows: Vec<DispatchRun>,
}

impl Store {
    /// Chooses an unused file name. The file is created with the first row.
    pub fn new(folders: &Folders, started: &str) -> Self {
        let folder = folders.dispatch_runs();
        let when: String = started.chars().filter(char::is_ascii_alphanumeric).collect();
        let names = std::iter::once(when.clone())
            .chain((2..=u32::MAX).map(|number| format!("{when}-{number}")));
        let mut paths = names.map(|name| folder.join(format!("{name}.parquet")));
        let path = paths.find(|path| !path.exists()).unwrap_or_default();
        Self { path, rows: Vec::new() }
    }

    /// Adds a row and writes the file.
    pub fn put(&mut self, row: DispatchRun) -> Result<(), BenchError> {
        self.rows.push(row);
        self.write().map_err(BenchError::file("write", &self.path))
    }

    fn write(&self) -> io::Result<()> {
        fs::create_dir_all(self.path.parent().unwrap_or(Path::new(".")))?;
        let declared = history::schema("dispatch_runs");
        let plain = |field: &FieldRef| field.as_ref().clone().with_metadata(HashMap::new());
        let schema = Schema::new(declared.fields().iter().map(plain).collect::<Vec<_>>());
        history::replace_rows(&self.path, &Arc::new(schema), &self.rows)
    }
}

/// Reads all batches of a folder, with the declared columns, ordered from old to new files.
pub fn batches(folder: &Path) -> Result<Vec<RecordBatch>, BenchError> {
    let Some(table) = schemas::find("dispatch_runs") else { return Ok(Vec::new()) };
    let schema = schemas::arrow::schema(table);
    let mut batches = Vec::new();
    for path in files(&Folders::new(folder))? {
        let failed = BenchError::file("read", &path);
        let other = |error: String| failed(io::Error::other(error));
        let file = File::open(&path).map_err(failed)?;
        let reader = ParquetRecordBatchReaderBuilder::try_new(file)
            .and_then(ParquetRecordBatchReaderBuilder::build)
            .map_err(|error| other(error.to_string()))?;
        for batch in reader {
            let batch = batch.and_then(|batch| with_schema(&batch, &schema));
            batches.push(batch.map_err(|error| other(error.to_string()))?);
        }
    }
    Ok(batches)
}

/// Reads all rows of a folder, ordered from old to new files.
pub fn rows(folder: &Path) -> Result<Vec<DispatchRun>, BenchError> {
    let path = Folders::new(folder).dispatch_runs();
    let failed = BenchError::file("read", &path);
    let mut rows = Vec::new();
    for batch in batches(folder)? {
        for row in 0..batch.num_rows() {
            let row = row_of(&batch, row).map_err(io::Error::from);
            rows.push(row.map_err(failed)?);
        }
    }
    Ok(rows)
}

/// Converts a row of a batch. Numbers are not formatted as text on the way, so that no digit is lost.
fn row_of(batch: &RecordBatch, row: usize) -> Result<DispatchRun, serde_json::Error> {
    let schema = batch.schema();
    let cells = schema.fields().iter().zip(batch.columns()).filter(|(_, it)| it.is_valid(row));
    let values = cells.map(|(field, column)| {
        let value = match column.data_type() {
            DataType::UInt64 => Value::from(column.as_primitive::<UInt64Type>().value(row)),
            DataType::Float64 => Value::from(column.as_primitive::<Float64Type>().value(row)),
            _ => Value::from(column.as_string_view().value(row)),
        };
        (field.name().clone(), value)
    });
    serde_json::from_value(Value::Object(values.collect()))
}

fn files(folders: &Folders) -> Result<Vec<PathBuf>, BenchError> {
    let folder = folders.dispatch_runs();
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = BenchError::file("read", &folder);
    let entries = fs::read_dir(&folder).map_err(failed)?.map(|entry| Ok(entry?.path()));
    let mut paths = entries.collect::<Result<Vec<_>, _>>().map_err(failed)?;
    paths.retain(|path| path.extension().is_some_and(|end| end == "parquet"));
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::run::{Outcome, Stage, Verification};

    #[test]
    fn rows_are_kept_to_the_last_digit() {
        let folder = tempfile::tempdir().expect("a folder");
        let row = |dispatch: &str| DispatchRun {
            dispatch: dispatch.to_owned(),
            stage: Stage::Profile,
            outcome: Outcome::TimeLimit,
            verification: Verification::NotVerified,
            message: Some("slow\n\"very\"".to_owned()),
            // A reader of decimal text may round the second value to its neighbor.
            median_ns: Some(0.1 + 0.2),
            wall_median_ns: Some(1_827_254.100_498_976_2),
            flops: u64::MAX,
            k: Some(0),
            ..DispatchRun::default()
        };
        let mut store = Store::new(&Folders::new(folder.path()), "2026-01-02T03:04:05.006Z");
        store.put(row("a")).expect("room");
        store.put(row("b")).expect("room");
        let second = Store::new(&Folders::new(folder.path()), "2026-01-02T03:04:05.006Z");
        assert_ne!(second.path, store.path, "a file of its own");
        assert_eq!(rows(folder.path()).expect("they are there"), [row("a"), row("b")]);
        assert!(rows(Path::new("/nowhere")).expect("none are there").is_empty());
    }
}

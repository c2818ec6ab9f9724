//! Reads and writes the files of `dispatch_runs`, one Parquet file per command. The file is rewritten atomically for
//! each row, so that it is valid whenever the command is interrupted.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use arrow::array::RecordBatch;
use read::store;

use super::folders::Folders;
use super::row::DispatchRun;
use crate::bench::error::BenchError;

const TABLE: &str = "dispatch_runs";

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
        store::replace(&self.path, &store::schema(TABLE), &self.rows)
    }
}

/// Reads all batches of a folder, with the declared columns, ordered from old to new files.
pub fn batches(folder: &Path) -> Result<Vec<RecordBatch>, BenchError> {
    let Some(table) = schemas::find(TABLE) else { return Ok(Vec::new()) };
    let schema = schemas::arrow::schema(table);
    let mut all = Vec::new();
    for path in files(&Folders::new(folder))? {
        let batches = store::batches(&path, &schema, None).and_then(Iterator::collect);
        let batches: Vec<_> =
            batches.map_err(|error| BenchError::file("read", &path)(error.into()))?;
        all.extend(batches);
    }
    Ok(all)
}

/// Reads all rows of a folder, ordered from old to new files.
pub fn rows(folder: &Path) -> Result<Vec<DispatchRun>, BenchError> {
    let path = Folders::new(folder).dispatch_runs();
    let mut all = Vec::new();
    for batch in batches(folder)? {
        let rows = store::rows(&batch).map_err(io::Error::other);
        all.extend(rows.map_err(BenchError::file("read", &path))?);
    }
    Ok(all)
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
#[path = "../../../../tests/support/doubles.rs"]
mod doubles;

#[cfg(test)]
mod tests {
    use super::doubles::{bits, doubles};
    use super::*;
    use crate::bench::run::{Outcome, Stage, Verification};

    #[test]
    fn times_come_back_to_the_last_bit() {
        let folder = tempfile::tempdir().expect("a folder");
        let row = |ns: f64| DispatchRun { median_ns: Some(ns), ..DispatchRun::default() };
        let mut store = Store::new(&Folders::new(folder.path()), "2026-01-02T03:04:05.006Z");
        store.rows = doubles().into_iter().map(row).collect();
        store.write().expect("room");
        let found = rows(folder.path()).expect("they are there");
        assert_eq!(bits(found.iter().filter_map(|row| row.median_ns)), bits(doubles()));
    }

    #[test]
    fn rows_come_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let row = |dispatch: &str| DispatchRun {
            dispatch: dispatch.to_owned(),
            stage: Stage::Profile,
            outcome: Outcome::TimeLimit,
            verification: Verification::NotVerified,
            message: Some("slow\n\"very\"".to_owned()),
            wall_median_ns: Some(0.1 + 0.2),
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

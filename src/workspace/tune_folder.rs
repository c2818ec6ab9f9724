//! Accepts a folder of `tune` in place of a bundle: its captures are opened as bundles, its Parquet files as the tables
//! whose names they have.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, RecordBatch, StringViewArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::error::OpenError;
use crate::bundle::set;
use crate::bundle::sources::named;
use crate::engine::ExtraTables;
use crate::history::with_schema;

/// The tables, each in a file of its name.
const TABLES: [&str; 4] = ["tune_runs", "tune_dispatches", "tune_candidates", "tune_trials"];

/// A folder of `tune`, and the name that precedes the labels of its bundles.
struct TuneFolder {
    name: Option<String>,
    path: PathBuf,
}

impl TuneFolder {
    /// Returns the folder that one of the arguments names, as DIR or NAME=DIR. Besides others, a folder without NAME has
    /// its own, so that the labels of its bundles differ from theirs.
    fn of(argument: &str, is_alone: bool) -> Option<Self> {
        let is_one = |path: &Path| TABLES.iter().any(|table| file(path, table).is_file());
        let path = Path::new(argument);
        if is_one(path) {
            let own = || std::path::absolute(path).ok()?.file_name()?.to_str().map(str::to_owned);
            let name = if is_alone { None } else { own() };
            return Some(Self { name, path: path.to_owned() });
        }
        let (name, path) = named(argument)?;
        let path = Path::new(path);
        is_one(path).then(|| Self { name: Some(name.to_owned()), path: path.to_owned() })
    }

    /// Returns the argument that opens its captures; `None` if there are none yet.
    fn captures(&self) -> Option<String> {
        let captures = self.path.join("captures");
        let name = self.name.as_ref().map_or_else(String::new, |name| format!("{name}="));
        set::is_one(&captures).then(|| format!("{name}{}", captures.display()))
    }

    /// Reads a table.
    fn table(&self, table: &'static str) -> Result<Vec<RecordBatch>, OpenError> {
        let path = file(&self.path, table);
        let failed = |kind, what: String| {
            let advice = "name the folder `captures` in it to open the profiles alone";
            OpenError::reading(&path)(io::Error::new(kind, format!("{what}; {advice}")))
        };
        let opened = File::open(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => {
                let what = "there is no such file, but other tables of `ireescope tune`";
                failed(error.kind(), what.to_owned())
            }
            kind => failed(kind, error.to_string()),
        })?;
        let damaged = |error: ArrowError| {
            failed(io::ErrorKind::InvalidData, format!("the file is damaged ({error})"))
        };
        let reader = ParquetRecordBatchReaderBuilder::try_new(opened)
            .and_then(ParquetRecordBatchReaderBuilder::build)
            .map_err(|error| damaged(error.into()))?;
        let batches = reader.map(|batch| self.declared(table, &batch?));
        batches.collect::<Result<_, _>>().map_err(damaged)
    }

    /// Converts a batch to the declared columns, with the labels of the bundles beside the captures.
    fn declared(&self, table: &str, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        if batch.column_by_name("run").is_none() {
            return Err(ArrowError::SchemaError("there is no column `run`".to_owned()));
        }
        let schema = schemas::find(table).map(schemas::arrow::schema).unwrap_or(batch.schema());
        let batch = with_schema(batch, &schema)?;
        let Some((place, _)) = schema.column_with_name("bundle") else { return Ok(batch) };
        let mut columns = batch.columns().to_vec();
        let captures = batch.column_by_name("capture").map(|it| cast(it, &DataType::Utf8View));
        if let (Some(captures), Some(labels)) = (captures.transpose()?, columns.get_mut(place)) {
            let prefix = self.name.as_ref().map_or_else(String::new, |name| format!("{name}/"));
            let label = |capture: Option<&str>| capture.map(|it| format!("{prefix}{it}"));
            let all = captures.as_string_view().iter().map(label);
            *labels = Arc::new(all.collect::<StringViewArray>());
        }
        RecordBatch::try_new(schema, columns)
    }
}

fn file(folder: &Path, table: &str) -> PathBuf {
    folder.join(format!("{table}.parquet"))
}

/// Replaces each folder of `tune` among the arguments by its captures.
pub fn spread(arguments: &[String]) -> Vec<String> {
    let is_alone = arguments.len() == 1;
    let each = arguments.iter().filter_map(|argument| match TuneFolder::of(argument, is_alone) {
        Some(folder) => folder.captures(),
        None => Some(argument.clone()),
    });
    each.collect()
}

/// Reads the tables of the folder of `tune` among the arguments. Fails if there are several, as each counts its runs.
pub fn tables(arguments: &[String]) -> Result<ExtraTables, OpenError> {
    let is_alone = arguments.len() == 1;
    let mut folders = arguments.iter().filter_map(|argument| TuneFolder::of(argument, is_alone));
    let Some(folder) = folders.next() else { return Ok(ExtraTables::new()) };
    if let Some(other) = folders.next() {
        return Err(OpenError::TuneFolders([folder.path, other.path]));
    }
    TABLES.into_iter().map(|table| Ok((table, folder.table(table)?))).collect()
}

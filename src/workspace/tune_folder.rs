//! Accepts a folder of `tune` in place of a bundle: its captures are opened as bundles, its Parquet files as the tables
//! whose names they have.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{Array, AsArray, RecordBatch, StringViewArray};
use arrow::compute::cast;
use arrow::datatypes::DataType;
use arrow::error::ArrowError;
use engine::ExtraTables;
use read::bundle::set;
use read::bundle::sources::named;
use read::store::{self, StoreError};

use super::error::OpenError;

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
        let damaged = |error: ArrowError| {
            failed(io::ErrorKind::InvalidData, format!("the file is damaged ({error})"))
        };
        let unread = |error: StoreError| match error {
            StoreError::Io(error) if error.kind() == io::ErrorKind::NotFound => {
                let what = "there is no such file, but other tables of `ireescope tune`";
                failed(error.kind(), what.to_owned())
            }
            StoreError::Io(error) => failed(error.kind(), error.to_string()),
            StoreError::Parquet(error) => damaged(error.into()),
            StoreError::Arrow(error) => damaged(error),
            StoreError::Row(error) => damaged(ArrowError::SchemaError(error.to_string())),
        };
        let schema =
            schemas::find(table).map_or_else(|| store::schema(table), schemas::arrow::schema);
        let batches = store::batches(&path, &schema, None).map_err(unread)?;
        batches.map(|batch| self.labelled(batch.map_err(unread)?).map_err(damaged)).collect()
    }

    /// Fills in the labels of the bundles beside the captures.
    fn labelled(&self, batch: RecordBatch) -> Result<RecordBatch, ArrowError> {
        if batch.column_by_name("run").is_none_or(|it| it.null_count() == it.len()) {
            return Err(ArrowError::SchemaError("there is no column `run`".to_owned()));
        }
        let schema = batch.schema();
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

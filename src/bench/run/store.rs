//! The files of `dispatch_runs`: a Parquet file for each command, written anew with every row, so that it is whole
//! whenever the command is cut.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use arrow::json::{LineDelimitedWriter, ReaderBuilder};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use tempfile::NamedTempFile;

use super::folders::Folders;
use super::row::DispatchRun;
use crate::bench::BenchError;

/// Rows of a command, and the file that keeps them.
#[derive(Debug)]
pub struct Store {
    path: PathBuf,
    rows: Vec<DispatchRun>,
}

impl Store {
    /// A file that is there from the first row on.
    pub fn new(folders: &Folders, started: &str) -> Self {
        let folder = folders.dispatch_runs();
        let when: String = started.chars().filter(char::is_ascii_alphanumeric).collect();
        let names = std::iter::once(when.clone())
            .chain((2..=u32::MAX).map(|number| format!("{when}-{number}")));
        let mut paths = names.map(|name| folder.join(format!("{name}.parquet")));
        let path = paths.find(|path| !path.exists()).unwrap_or_default();
        Self { path, rows: Vec::new() }
    }

    /// Adds a row, which is kept from now on.
    pub fn put(&mut self, row: DispatchRun) -> Result<(), BenchError> {
        self.rows.push(row);
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let failed = |source| BenchError::File { action: "write", path: self.path.clone(), source };
        fs::create_dir_all(folder).map_err(failed)?;
        let file = temporary(folder).map_err(failed)?;
        let batch = batch(&self.rows).map_err(|error| failed(std::io::Error::other(error)))?;
        write(file.as_file(), &batch).map_err(|error| failed(std::io::Error::other(error)))?;
        file.persist(&self.path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    /// The rows so far.
    pub fn rows(&self) -> &[DispatchRun] {
        &self.rows
    }
}

#[cfg(unix)]
fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    use std::os::unix::fs::PermissionsExt;
    // As any new file: the umask takes away what it takes away.
    tempfile::Builder::new()
        .prefix(".ireescope-")
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
}

#[cfg(not(unix))]
fn temporary(folder: &Path) -> std::io::Result<NamedTempFile> {
    tempfile::Builder::new().prefix(".ireescope-").tempfile_in(folder)
}

fn write(file: &File, batch: &RecordBatch) -> Result<(), parquet::errors::ParquetError> {
    let mut writer = ArrowWriter::try_new(file, batch.schema(), None)?;
    writer.write(batch)?;
    writer.close()?;
    Ok(())
}

/// Rows as the table's columns.
fn batch(rows: &[DispatchRun]) -> Result<RecordBatch, arrow::error::ArrowError> {
    let schema = schema();
    let mut decoder = ReaderBuilder::new(Arc::clone(&schema)).build_decoder()?;
    decoder.serialize(rows)?;
    Ok(decoder.flush()?.unwrap_or_else(|| RecordBatch::new_empty(schema)))
}

/// The table's columns in plain types, which any reader of Parquet knows.
fn schema() -> SchemaRef {
    let columns = schemas::find("dispatch_runs").map(schemas::Table::columns).unwrap_or_default();
    let fields = columns.iter().map(|column| {
        let found = schemas::arrow::data_type(column.kind);
        let plain = if found == DataType::Utf8View { DataType::Utf8 } else { found };
        Field::new(&column.name, plain, true)
    });
    Arc::new(Schema::new(fields.collect::<Vec<_>>()))
}

/// The rows of a folder as the declared table has them, those of older files first.
pub fn batches(folder: &Path) -> Result<Vec<RecordBatch>, BenchError> {
    let mut batches = Vec::new();
    for path in files(&Folders::new(folder))? {
        let failed = |source| BenchError::File { action: "read", path: path.clone(), source };
        let other = |error: String| failed(std::io::Error::other(error));
        let file = File::open(&path).map_err(failed)?;
        let reader = ParquetRecordBatchReaderBuilder::try_new(file)
            .and_then(ParquetRecordBatchReaderBuilder::build)
            .map_err(|error| other(error.to_string()))?;
        for batch in reader {
            let batch = batch.map_err(|error| other(error.to_string()))?;
            batches.push(declared(&batch).map_err(|error| other(error.to_string()))?);
        }
    }
    Ok(batches)
}

/// The rows of a folder, those of older files first.
pub fn rows(folder: &Path) -> Result<Vec<DispatchRun>, BenchError> {
    let mut rows = Vec::new();
    for batch in batches(folder)? {
        let wrong = |source: std::io::Error| BenchError::File {
            action: "read",
            path: Folders::new(folder).dispatch_runs(),
            source,
        };
        let mut text = Vec::new();
        let mut writer = LineDelimitedWriter::new(&mut text);
        let written = writer.write(&batch).and_then(|()| writer.finish());
        written.map_err(|error| wrong(std::io::Error::other(error)))?;
        let lines = serde_json::Deserializer::from_slice(&text).into_iter::<DispatchRun>();
        for row in lines {
            rows.push(row.map_err(|error| wrong(error.into()))?);
        }
    }
    Ok(rows)
}

fn files(folders: &Folders) -> Result<Vec<PathBuf>, BenchError> {
    let folder = folders.dispatch_runs();
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let failed = |source| BenchError::File { action: "read", path: folder.clone(), source };
    let mut paths = Vec::new();
    for entry in fs::read_dir(&folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_some_and(|end| end == "parquet") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// The columns that are declared today: what an older file lacks is NULL.
fn declared(batch: &RecordBatch) -> Result<RecordBatch, arrow::error::ArrowError> {
    let Some(table) = schemas::find("dispatch_runs") else { return Ok(batch.clone()) };
    let schema = schemas::arrow::schema(table);
    let arrays = schema.fields().iter().map(|field| match batch.column_by_name(field.name()) {
        Some(column) => arrow::compute::cast(column, field.data_type()),
        None => Ok(arrow::array::new_null_array(field.data_type(), batch.num_rows())),
    });
    RecordBatch::try_new(Arc::clone(&schema), arrays.collect::<Result<_, _>>()?)
}

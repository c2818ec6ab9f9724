//! A data file: the rows of a relation from one bundle, or from a batch of bundles.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::error::{DataFusionError, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;

use super::error::DatasetError;
use crate::bundle::limits;
use crate::store::guarded;

/// A Parquet file.
#[derive(Debug)]
pub struct DataFile {
    /// The label of its bundle; `None` if it has a column of labels.
    pub label: Option<String>,
    path: PathBuf,
    pub metadata: ArrowReaderMetadata,
}

/// A row group: a file and an index.
pub type RowGroup = (Arc<DataFile>, usize);

/// The rows of a file in batches.
pub type Batches = Box<dyn Iterator<Item = Result<RecordBatch>> + Send>;

/// The name of the column of labels.
pub const LABEL: &str = "bundle";

/// Returns the column of labels, with its documentation.
pub fn label_column() -> Field {
    let doc = schemas::arrow::metadata("Label of the bundle.", "");
    Field::new(LABEL, DataType::Utf8, false).with_metadata(doc)
}

impl DataFile {
    /// Opens a file with the rows of the bundle with this label, or without a label, one with a column of labels.
    pub fn open(path: PathBuf, label: Option<String>) -> std::result::Result<Self, DatasetError> {
        let file = open(&path)?;
        let metadata = ArrowReaderMetadata::load(&file, ArrowReaderOptions::default())
            .map_err(|error| damaged(&path, &error))?;
        let first = metadata.schema().fields().first();
        let is_labelled =
            first.is_some_and(|it| it.name() == LABEL && *it.data_type() == DataType::Utf8);
        if label.is_none() && !is_labelled {
            let what = format!("its first column is not {LABEL}");
            return Err(DatasetError::Damaged { path, what });
        }
        Ok(Self { label, path, metadata })
    }

    /// Returns the columns: the label of the bundle, then those of the relation.
    pub fn schema(&self) -> SchemaRef {
        let stored = self.metadata.schema();
        if self.label.is_none() {
            return Arc::clone(stored);
        }
        let fields = stored.fields().iter().map(Arc::clone);
        Arc::new(Schema::new(
            std::iter::once(Arc::new(label_column())).chain(fields).collect::<Vec<_>>(),
        ))
    }

    /// Returns the error of a file whose columns are not those of the other files of its relation.
    pub fn unlike(&self) -> DatasetError {
        let what = "its columns differ from those of the other bundles".to_owned();
        DatasetError::Damaged { path: self.path.clone(), what }
    }

    /// Reads the columns at these positions from row groups. `schema` has these columns.
    pub fn read(
        self: &Arc<Self>,
        groups: Vec<usize>,
        columns: &[usize],
        schema: &SchemaRef,
    ) -> std::result::Result<Batches, DatasetError> {
        // The label is the first column, but may not be stored.
        let before = usize::from(self.label.is_some());
        let wanted = columns.iter().filter_map(|column| column.checked_sub(before));
        let parquet = self.metadata.metadata().file_metadata().schema_descr();
        let mask = ProjectionMask::roots(parquet, wanted);
        let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(
            open(&self.path)?,
            self.metadata.clone(),
        )
        .with_projection(mask)
        .with_row_groups(groups)
        .with_batch_size(limits::BATCH_ROWS)
        .build()
        .map_err(|error| damaged(&self.path, &error))?;
        let (file, schema) = (Arc::clone(self), Arc::clone(schema));
        Ok(Box::new(guarded(reader).map(move |batch| {
            let batch = batch.map_err(|error| {
                let what = error.to_string();
                let path = file.path.clone();
                DataFusionError::External(Box::new(DatasetError::Damaged { path, what }))
            })?;
            labelled(&batch, file.label.as_deref().unwrap_or_default(), &schema)
        })))
    }

    /// Reads all rows and columns.
    pub fn read_all(self: &Arc<Self>) -> std::result::Result<Batches, DatasetError> {
        let schema = self.schema();
        let columns: Vec<usize> = (0..schema.fields().len()).collect();
        self.read((0..self.metadata.metadata().num_row_groups()).collect(), &columns, &schema)
    }
}

fn open(path: &Path) -> std::result::Result<File, DatasetError> {
    File::open(path).map_err(|source| DatasetError::Io { path: path.to_owned(), source })
}

fn damaged(path: &Path, error: &ParquetError) -> DatasetError {
    DatasetError::Damaged { path: path.to_owned(), what: error.to_string() }
}

/// Reorders the columns of a batch to the schema, and adds the label if it is projected but not stored.
fn labelled(batch: &RecordBatch, label: &str, schema: &SchemaRef) -> Result<RecordBatch> {
    let arrays = schema.fields().iter().map(|field| -> Result<ArrayRef> {
        match batch.column_by_name(field.name()) {
            Some(array) => Ok(Arc::clone(array)),
            None => Ok(Arc::new(StringArray::from(vec![label; batch.num_rows()]))),
        }
    });
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    let arrays = arrays.collect::<Result<Vec<_>>>()?;
    Ok(RecordBatch::try_new_with_options(Arc::clone(schema), arrays, &options)?)
}

//! A data file: the rows of a relation from one bundle, or from a batch of bundles.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Buf;
use datafusion::arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions, StringArray};
use datafusion::arrow::datatypes::{DataType, Field, Schema, SchemaRef};
use datafusion::error::{DataFusionError, Result};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
    RowSelectionPolicy,
};
use parquet::errors::ParquetError;
use parquet::file::reader::ChunkReader;
use read::bundle::limits;
use read::remote::RemoteFile;
use read::store::guarded;
use tokio::sync::OnceCell;

use super::error::DatasetError;
use super::pages::{self, PageFilter};
use super::pieces::Pieces;

/// A Parquet file.
#[derive(Debug)]
pub struct DataFile {
    /// The label of its bundle; `None` if it has a column of labels.
    pub label: Option<String>,
    place: Place,
    pub metadata: ArrowReaderMetadata,
    /// The same with the index of the pages, which is read when a filter needs it.
    indexed: OnceCell<ArrowReaderMetadata>,
}

/// Where the bytes are.
#[derive(Debug)]
enum Place {
    Local(PathBuf),
    Remote(Box<RemoteFile>),
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
        Self::of(Place::Local(path), label, &file)
    }

    /// The same of a file in an object store, of which the end was read.
    pub fn of_remote(
        file: RemoteFile,
        label: Option<String>,
    ) -> std::result::Result<Self, DatasetError> {
        let mut parts = vec![(file.size() - file.tail.len() as u64, file.tail.clone())];
        let footer = footer_length(&file.tail).min(file.size());
        if footer > file.tail.len() as u64 {
            parts = file.read_now(file.size() - footer..file.size())?;
        }
        let end = Pieces { size: file.size(), parts };
        Self::of(Place::Remote(Box::new(file)), label, &end)
    }

    fn of(
        place: Place,
        label: Option<String>,
        bytes: &impl ChunkReader,
    ) -> std::result::Result<Self, DatasetError> {
        let metadata = ArrowReaderMetadata::load(bytes, ArrowReaderOptions::default())
            .map_err(|error| place.damaged(&error))?;
        let first = metadata.schema().fields().first();
        let is_labelled =
            first.is_some_and(|it| it.name() == LABEL && *it.data_type() == DataType::Utf8);
        if label.is_none() && !is_labelled {
            let what = format!("its first column is not {LABEL}");
            return Err(DatasetError::Damaged { path: place.name(), what });
        }
        Ok(Self { label, place, metadata, indexed: OnceCell::new() })
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
        DatasetError::Damaged { path: self.place.name(), what }
    }

    /// Returns the metadata with the index of the pages, if there is one.
    async fn indexed(&self) -> std::result::Result<&ArrowReaderMetadata, DatasetError> {
        let read = async || {
            let Some(range) = pages::index_range(self.metadata.metadata()) else {
                return Ok(self.metadata.clone());
            };
            let indexed = match &self.place {
                Place::Local(path) => pages::indexed(&self.metadata, &open(path)?),
                Place::Remote(file) => {
                    let tail = file.size() - file.tail.len() as u64;
                    let parts = if range.start < tail {
                        file.read(vec![range]).await?
                    } else {
                        vec![(tail, file.tail.clone())]
                    };
                    pages::indexed(&self.metadata, &Pieces { size: file.size(), parts })
                }
            };
            indexed.map_err(|error| self.place.damaged(&error))
        };
        self.indexed.get_or_try_init(read).await
    }

    /// Reads the columns at these positions from the pages of a row group that may match the filters. `schema` has these
    /// columns.
    pub(crate) async fn read_group(
        self: &Arc<Self>,
        group: usize,
        columns: &[usize],
        schema: &SchemaRef,
        filters: &[PageFilter],
    ) -> std::result::Result<Batches, DatasetError> {
        let rows = match filters {
            [] => None,
            filters => pages::rows(self.indexed().await?, group, filters),
        };
        self.read(vec![group], columns, schema, rows).await
    }

    /// Reads the columns at these positions from row groups, of a single one maybe only some rows. `schema` has these columns.
    /// Of a file in an object store, their bytes are read first.
    async fn read(
        self: &Arc<Self>,
        groups: Vec<usize>,
        columns: &[usize],
        schema: &SchemaRef,
        rows: Option<RowSelection>,
    ) -> std::result::Result<Batches, DatasetError> {
        let mask = self.mask(columns);
        match &self.place {
            Place::Local(path) => self.decoded(open(path)?, groups, mask, schema, rows),
            Place::Remote(file) => {
                let ranges = match (&rows, groups.first(), self.indexed.get()) {
                    (Some(rows), Some(group), Some(indexed)) => {
                        pages::ranges(indexed, *group, &mask, rows)
                    }
                    _ => self.chunks(&groups, &mask),
                };
                let parts = file.read(ranges).await?;
                let pieces = Pieces { size: file.size(), parts };
                self.decoded(pieces, groups, mask, schema, rows)
            }
        }
    }

    /// Returns how many bytes of an object store the columns at these positions take in a row group; `None` of a file here.
    pub(crate) fn remote_bytes(&self, group: usize, columns: &[usize]) -> Option<u64> {
        match &self.place {
            Place::Local(_) => None,
            Place::Remote(_) => {
                let chunks = self.chunks(&[group], &self.mask(columns));
                Some(chunks.iter().map(|range| range.end - range.start).sum())
            }
        }
    }

    /// Returns the stored columns that those at these positions are.
    fn mask(&self, columns: &[usize]) -> ProjectionMask {
        // The label is the first column, but may not be stored.
        let before = usize::from(self.label.is_some());
        let wanted = columns.iter().filter_map(|column| column.checked_sub(before));
        let parquet = self.metadata.metadata().file_metadata().schema_descr();
        ProjectionMask::roots(parquet, wanted)
    }

    /// Returns where the columns of row groups are.
    fn chunks(&self, groups: &[usize], mask: &ProjectionMask) -> Vec<Range<u64>> {
        let all = self.metadata.metadata().row_groups();
        let groups = groups.iter().filter_map(|nth| all.get(*nth));
        let chunks = groups.flat_map(|group| group.columns().iter().enumerate());
        let chunks = chunks.filter(|(nth, _)| mask.leaf_included(*nth));
        let ranges = chunks.map(|(_, chunk)| {
            let (start, length) = chunk.byte_range();
            start..start.saturating_add(length)
        });
        ranges.collect()
    }

    fn decoded(
        self: &Arc<Self>,
        bytes: impl ChunkReader + 'static,
        groups: Vec<usize>,
        mask: ProjectionMask,
        schema: &SchemaRef,
        rows: Option<RowSelection>,
    ) -> std::result::Result<Batches, DatasetError> {
        let metadata = if rows.is_some() { self.indexed.get() } else { None };
        let metadata = metadata.unwrap_or(&self.metadata).clone();
        let mut reader = ParquetRecordBatchReaderBuilder::new_with_metadata(bytes, metadata)
            .with_projection(mask)
            .with_row_groups(groups)
            .with_batch_size(limits::BATCH_ROWS)
            // Pages without such rows are skipped; a mask would read them.
            .with_row_selection_policy(RowSelectionPolicy::Selectors);
        if let Some(rows) = rows {
            reader = reader.with_row_selection(rows);
        }
        let reader = reader.build().map_err(|error| self.place.damaged(&error))?;
        let (file, schema) = (Arc::clone(self), Arc::clone(schema));
        Ok(Box::new(guarded(reader).map(move |batch| {
            let batch = batch.map_err(|error| {
                let what = error.to_string();
                let path = file.place.name();
                DataFusionError::External(Box::new(DatasetError::Damaged { path, what }))
            })?;
            labelled(&batch, file.label.as_deref().unwrap_or_default(), &schema)
        })))
    }

    /// Reads all rows and columns.
    pub async fn read_all(self: &Arc<Self>) -> std::result::Result<Batches, DatasetError> {
        let schema = self.schema();
        let columns: Vec<usize> = (0..schema.fields().len()).collect();
        let groups = (0..self.metadata.metadata().num_row_groups()).collect();
        self.read(groups, &columns, &schema, None).await
    }
}

impl Place {
    /// Returns what users call it.
    fn name(&self) -> PathBuf {
        match self {
            Self::Local(path) => path.clone(),
            Self::Remote(file) => PathBuf::from(file.address()),
        }
    }

    fn damaged(&self, error: &ParquetError) -> DatasetError {
        DatasetError::Damaged { path: self.name(), what: error.to_string() }
    }
}

/// Returns the length of the footer of a Parquet file, with its length and magic, by its last 8 bytes.
fn footer_length(tail: &[u8]) -> u64 {
    let at = tail.len().saturating_sub(8);
    let mut last = tail.get(at..).unwrap_or_default();
    if last.len() < 8 { 0 } else { u64::from(last.get_u32_le()) + 8 }
}

fn open(path: &Path) -> std::result::Result<File, DatasetError> {
    File::open(path).map_err(|source| DatasetError::Io { path: path.to_owned(), source })
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

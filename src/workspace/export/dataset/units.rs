//! The units of an export: bundles whose rows are written to files of their own, and batches of bundles whose rows are
//! written to the same files.

use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, RecordBatch, StringArray};
use arrow::compute::cast;
use arrow::datatypes::{DataType, FieldRef, Schema, SchemaRef};
use base::digest;
use datafusion::error::DataFusionError;
use engine::dataset::{Exported, LABEL, batch_file, label_column, partition};
use engine::{Engine, EngineError, Options};
use exporters::{EncodeError, Encoder, Format, Output, Target};
use futures::StreamExt;
use read::bundle::Bundle;

use super::places;
use super::queries::Query;
use crate::export::error::ExportError;
use crate::{Threads, Workspace};

/// Bundles that are queried together.
pub struct Unit {
    pub engine: Arc<Engine>,
    runtime: Threads,
    options: Options,
    /// The name of the batch; `None` for one bundle with files of its own.
    batch: Option<String>,
}

/// A unit of work, which one thread performs: the file with the rows of a relation, or without a query the manifest entry of
/// a bundle, which includes a digest of all its bytes.
pub enum Part<'a> {
    Rows(&'a Unit, &'a Query),
    Entry(&'a Unit, &'a Bundle),
}

impl Unit {
    /// Opens bundles that share files under the name of a batch, or one with files of its own.
    pub fn open(
        bundles: Vec<Bundle>,
        batch: Option<String>,
        mut options: Options,
    ) -> Result<Self, ExportError> {
        // Many bundles are many rows of few threads each: the threads write different relations.
        if bundles.len() > 1 {
            options.threads = Some(1);
        }
        let bundles = bundles.into_iter().map(Arc::new).collect();
        let engine = Engine::sharing(bundles, options.clone());
        let Workspace { engine, runtime } = Workspace::of(engine)?;
        Ok(Self { engine, runtime, options, batch })
    }

    /// Returns the work of the unit.
    pub fn parts<'a>(&'a self, queries: &'a [Query]) -> impl Iterator<Item = Part<'a>> {
        let entries = self.engine.bundles().iter().map(move |bundle| Part::Entry(self, bundle));
        entries.chain(queries.iter().map(move |query| Part::Rows(self, query)))
    }

    /// Writes the rows of a relation to a file below `folder`.
    fn write(&self, query: &Query, folder: &Path) -> Result<(), ExportError> {
        let label = self.engine.bundles().first().map_or("", |bundle| &bundle.label);
        let path = match &self.batch {
            Some(batch) => batch_file(query.relation, batch),
            None => partition(query.relation, label),
        };
        let file = places::create(folder, &path)?;
        let written = self.runtime.block_on(self.write_rows(query, file));
        written.map_err(|error| query.failed(error))
    }

    async fn write_rows(&self, query: &Query, file: File) -> Result<(), ExportError> {
        let groups = query.groups(self.engine.bundles());
        let mut output: Option<Output> = Some(Box::new(BufWriter::new(file)));
        let mut encoder: Option<Box<dyn Encoder>> = None;
        for group in &groups {
            let other =
                (groups.len() > 1).then(|| Engine::sharing(group.clone(), self.options.clone()));
            let mut rows = query.rows(other.as_ref().unwrap_or(&self.engine)).await?;
            let only = if let [only] = group.as_slice() { Some(only.label.as_str()) } else { None };
            let shape = Shape::new(&rows.schema(), self.batch.is_some(), only);
            if let Some(output) = output.take() {
                let target = Target { file: true, ..Target::default() };
                encoder = Some(Format::Parquet.encoder(&shape.schema, output, target)?);
            }
            while let Some(batch) = rows.next().await {
                let batch = shape.apply(&batch.map_err(EngineError::from)?)?;
                if let Some(encoder) = &mut encoder {
                    encoder.batch(&batch)?;
                }
            }
        }
        Ok(encoder.map_or(Ok(()), Encoder::finish)?)
    }
}

impl Part<'_> {
    /// Writes the file below `folder`, or returns the manifest entry.
    pub fn perform(
        &self,
        folder: &Path,
        queries: &[Query],
        condition: Option<&str>,
    ) -> Result<Option<Exported>, ExportError> {
        let (unit, bundle) = match self {
            Self::Rows(unit, query) => return unit.write(query, folder).map(|()| None),
            Self::Entry(unit, bundle) => (unit, bundle),
        };
        Ok(Some(Exported {
            bundle: bundle.label.clone(),
            source: bundle.path.display().to_string(),
            source_bytes: bundle.bytes().len() as u64,
            source_sha256: digest::of(bundle.bytes()),
            ireescope_version: env!("CARGO_PKG_VERSION").to_owned(),
            condition: condition.map(str::to_owned),
            batch: unit.batch.clone(),
            relations: queries.iter().map(|query| query.relation.to_owned()).collect(),
        }))
    }

    /// Returns how much work it is: the number of bundles that it reads.
    pub fn amount(&self) -> u64 {
        match self {
            Self::Rows(unit, _) => unit.engine.bundles().len() as u64,
            Self::Entry(..) => 1,
        }
    }

    /// Whether it reads a table. Views take longer.
    pub fn is_table(&self) -> bool {
        matches!(self, Self::Rows(_, query) if schemas::find(query.relation).is_some())
    }
}

/// The columns of a file.
struct Shape<'a> {
    schema: SchemaRef,
    /// Whether labels are stored. Those of a partition are in its name.
    is_labelled: bool,
    /// The label of all rows, if they are those of one bundle.
    label: Option<&'a str>,
}

impl<'a> Shape<'a> {
    fn new(rows: &Schema, is_labelled: bool, label: Option<&'a str>) -> Self {
        let others = rows.fields().iter().filter(|field| field.name() != LABEL).map(Arc::clone);
        let first = is_labelled.then(|| Arc::new(label_column()));
        let fields: Vec<FieldRef> = first.into_iter().chain(others).collect();
        let schema = Schema::new_with_metadata(fields, rows.metadata().clone());
        Self { schema: Arc::new(schema), is_labelled, label }
    }

    fn apply(&self, rows: &RecordBatch) -> Result<RecordBatch, ExportError> {
        let mut columns: Vec<ArrayRef> = Vec::with_capacity(self.schema.fields().len());
        for (field, column) in rows.schema_ref().fields().iter().zip(rows.columns()) {
            if field.name() != LABEL {
                columns.push(Arc::clone(column));
            } else if self.is_labelled {
                let labels: ArrayRef = match self.label {
                    Some(label) => Arc::new(StringArray::from(vec![label; column.len()])),
                    None => cast(column, &DataType::Utf8).map_err(EncodeError::from)?,
                };
                columns.insert(0, labels);
            }
        }
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        Ok(batch.map_err(|error| EngineError::from(DataFusionError::from(error)))?)
    }
}

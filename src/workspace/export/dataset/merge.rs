//! Writes the rows of stored bundles to the files of new batches.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow::array::{AsArray, BooleanArray, RecordBatch};
use arrow::compute::filter_record_batch;
use arrow::datatypes::SchemaRef;
use base::try_in_order;
use engine::EngineError;
use engine::dataset::{DataFile, Exported, Manifest, batch_file};
use exporters::{EncodeError, Encoder, Format, Output, Target};
use futures::executor::block_on;

use super::{batches, places};
use crate::STACK;
use crate::export::error::ExportError;

/// Where the rows of bundles are stored.
#[derive(Clone, Copy)]
pub struct Places<'a> {
    /// The folder of the export.
    pub folder: &'a Path,
    /// The staging folder, in which new files are written.
    pub staged: &'a Path,
    /// The labels of the bundles whose rows are in the staging folder.
    pub new: &'a HashSet<&'a str>,
    /// The end of the names of new batches, if they must differ from all others.
    pub suffix: Option<&'a str>,
}

/// A file to write: the rows of a relation from the bundles of a new batch.
struct Part<'a> {
    relation: &'a str,
    batch: &'a str,
    bundles: Vec<&'a Exported>,
}

/// A file to read.
struct Source<'a> {
    path: PathBuf,
    /// The label of its bundle; `None` for a batch.
    label: Option<String>,
    /// The bundles whose rows are taken from it. The new rows of others may be in another file.
    labels: HashSet<&'a str>,
}

/// Writes the new batches that the manifest needs after an export, and changes it to name them.
pub fn merge(
    places: Places<'_>,
    before: &Manifest,
    after: &mut Manifest,
    threads: usize,
) -> Result<(), ExportError> {
    let mut batches = Vec::new();
    for nths in batches::merged(before, after) {
        let bundles = nths.iter().filter_map(|nth| after.bundles.get(*nth)).cloned();
        let bundles: Vec<Exported> = bundles.collect();
        let labels = bundles.iter().map(|bundle| bundle.bundle.as_str());
        let name = batches::distinct(labels, places.suffix);
        batches.push((name, nths, bundles));
    }
    let parts: Vec<Part<'_>> = batches
        .iter()
        .flat_map(|(batch, _, bundles)| {
            let relations: HashSet<&str> =
                bundles.iter().flat_map(|bundle| &bundle.relations).map(String::as_str).collect();
            relations.into_iter().map(move |relation| Part {
                relation,
                batch,
                bundles: bundles.iter().filter(|bundle| bundle.has(relation)).collect(),
            })
        })
        .collect();
    try_in_order(&parts, threads, Some(STACK), |_| {}, |part| part.write(places))?;
    for (batch, nths, bundles) in batches {
        for bundle in bundles.iter().filter(|bundle| places.new.contains(&*bundle.bundle)) {
            bundle.files().try_for_each(|file| remove(&places.staged.join(file)))?;
        }
        for nth in nths {
            if let Some(bundle) = after.bundles.get_mut(nth) {
                bundle.batch = Some(batch.clone());
            }
        }
    }
    Ok(())
}

/// Removes a file and its folder. It may be gone with another bundle of its batch.
fn remove(file: &Path) -> Result<(), ExportError> {
    let folder = file.parent().unwrap_or(file);
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed.map_err(ExportError::writing(folder)),
    }
}

impl Part<'_> {
    fn write(&self, places: Places<'_>) -> Result<(), ExportError> {
        let path = batch_file(self.relation, self.batch);
        let mut output: Option<Output> =
            Some(Box::new(BufWriter::new(places::create(places.staged, &path)?)));
        let mut written: Option<(SchemaRef, Box<dyn Encoder>)> = None;
        for Source { path, label, labels } in self.sources(places) {
            let file = Arc::new(DataFile::open(path, label)?);
            if let Some(output) = output.take() {
                let target = Target { file: true, ..Target::default() };
                let encoder = Format::Parquet.encoder(&file.schema(), output, target)?;
                written = Some((file.schema(), encoder));
            }
            let Some((schema, encoder)) = &mut written else { continue };
            if file.schema().fields() != schema.fields() {
                return Err(file.unlike().into());
            }
            for batch in block_on(file.read_all())? {
                encoder.batch(&of_labels(&batch.map_err(EngineError::from)?, &labels)?)?;
            }
        }
        Ok(written.map_or(Ok(()), |(_, encoder)| encoder.finish())?)
    }

    /// Returns the files to read, in the order of their first bundles.
    fn sources(&self, places: Places<'_>) -> Vec<Source<'_>> {
        let mut known: HashMap<PathBuf, usize> = HashMap::new();
        let mut sources: Vec<Source<'_>> = Vec::new();
        for bundle in &self.bundles {
            let is_new = places.new.contains(&*bundle.bundle);
            let root = if is_new { places.staged } else { places.folder };
            let path = root.join(bundle.file(self.relation));
            let nth = *known.entry(path.clone()).or_insert(sources.len());
            if nth == sources.len() {
                let label = bundle.batch.is_none().then(|| bundle.bundle.clone());
                sources.push(Source { path, label, labels: HashSet::new() });
            }
            if let Some(source) = sources.get_mut(nth) {
                source.labels.insert(&bundle.bundle);
            }
        }
        sources
    }
}

/// Returns the rows of the bundles with these labels.
fn of_labels(batch: &RecordBatch, labels: &HashSet<&str>) -> Result<RecordBatch, ExportError> {
    let column = batch.column(0).as_string::<i32>();
    let kept = column.iter().map(|label| label.is_some_and(|label| labels.contains(label)));
    let kept = BooleanArray::from(kept.collect::<Vec<bool>>());
    if kept.true_count() == kept.len() {
        return Ok(batch.clone());
    }
    Ok(filter_record_batch(batch, &kept).map_err(EncodeError::from)?)
}

//! Builds the table `records` from the headers of file records, which are decoded like any other fixed layout.

use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use schemas::spec::{Column, Read, Table};

use super::builder::Builder;
use super::decoder::values;
use crate::bundle::limits::BATCH_ROWS;
use crate::bundle::{Bundle, BundleError, Entry, RecordType};
use crate::record::{Rows, is_family};
use schemas::escape::escaped;

/// Returns the batches of `records` for one bundle. Each batch is decoded when the iterator reaches it.
pub fn record_batches(
    columns: Arc<[Column]>,
    schema: SchemaRef,
    bundle: Arc<Bundle>,
) -> impl Iterator<Item = Result<RecordBatch, Box<dyn std::error::Error + Send + Sync>>> + Send + use<>
{
    let count = bundle.directory.entries.len();
    (0..count).step_by(BATCH_ROWS).map(move |first| {
        let last = count.min(first + BATCH_ROWS);
        let arrays: Vec<ArrayRef> = columns
            .iter()
            .map(|column| decode(&bundle, column, first..last))
            .collect::<Result<_, _>>()?;
        let options = RecordBatchOptions::new().with_row_count(Some(last - first));
        Ok(RecordBatch::try_new_with_options(Arc::clone(&schema), arrays, &options)?)
    })
}

fn decode(
    bundle: &Bundle,
    column: &Column,
    range: std::ops::Range<usize>,
) -> Result<ArrayRef, Box<dyn std::error::Error + Send + Sync>> {
    let entries = bundle.directory.entries.get(range.clone()).unwrap_or_default();
    let repeats = matches!(column.name.as_str(), "bundle" | "content_type" | "family");
    let mut builder = Builder::new(column.kind, repeats || column.name == "name");
    if let Read::Record(at) = column.read {
        let starts =
            entries.iter().map(|entry| usize::try_from(entry.offset).unwrap_or(usize::MAX));
        values(column.kind, bundle.bytes(), &Rows::At(starts.collect()), at, &mut builder);
        return Ok(builder.finish()?);
    }
    for (index, entry) in range.zip(entries) {
        derive(bundle, column, index, entry, &mut builder)?;
    }
    Ok(builder.finish()?)
}

fn derive(
    bundle: &Bundle,
    column: &Column,
    index: usize,
    entry: &Entry,
    builder: &mut Builder,
) -> Result<(), BundleError> {
    match builder {
        Builder::U64(numbers) => {
            numbers.push(Some(if column.name == "byte_offset" {
                entry.offset
            } else {
                index as u64
            }));
        }
        Builder::Picked(picked) => {
            let text = match column.name.as_str() {
                "bundle" => Some(bundle.label.clone()),
                "content_type" => Some(escaped(content_type(bundle, entry)).into_owned()),
                "family" => family(bundle, entry).map(str::to_owned),
                _ => Some(escaped(bundle.record_name(entry)?).into_owned()),
            };
            let pick = text.map(|text| picked.intern(&text));
            picked.push(pick);
        }
        _ => debug_assert!(false, "records has no column {}", column.name),
    }
    Ok(())
}

fn content_type<'a>(bundle: &'a Bundle, entry: &Entry) -> &'a [u8] {
    bundle
        .directory
        .content_types
        .get(entry.content_type as usize)
        .map(Vec::as_slice)
        .unwrap_or_default()
}

/// Returns the table that holds the rows of a chunk; `None` for other records.
fn family(bundle: &Bundle, entry: &Entry) -> Option<&'static str> {
    if entry.record_type != RecordType::Chunk {
        return None;
    }
    table_of(content_type(bundle, entry))
}

/// Returns the table that holds the rows of chunks of a content type; `None` if the content type is unknown.
pub fn table_of(content_type: &[u8]) -> Option<&'static str> {
    let holds =
        |table: &&&Table| table.reads().is_some_and(|family| is_family(content_type, family));
    schemas::all().iter().find(holds).map(|table| table.name)
}

//! Builds the table `records` from the headers of file records, which are decoded like any other fixed layout.

use std::ops::Range;
use std::sync::Arc;

use arrow::array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow::datatypes::SchemaRef;
use schemas::escape::escaped;
use schemas::spec::{Column, Read, Table};

use super::builder::Builder;
use super::decoder::values;
use crate::bundle::limits::BATCH_ROWS;
use crate::bundle::{Bundle, BundleError, Entry, RecordType};
use crate::record::{RowOffsets, is_family};

/// Why a batch could not be built.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Returns the batches of `records` for one bundle. Each batch is decoded when the iterator reaches it.
pub fn record_batches(
    columns: Arc<[Column]>,
    schema: SchemaRef,
    bundle: Arc<Bundle>,
) -> impl Iterator<Item = Result<RecordBatch, Failure>> + Send + use<> {
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

fn decode(bundle: &Bundle, column: &Column, range: Range<usize>) -> Result<ArrayRef, Failure> {
    let entries = bundle.directory.entries.get(range.clone()).unwrap_or_default();
    let mut builder = Builder::new(column);
    if let Read::Record(at) = column.read {
        let starts =
            entries.iter().map(|entry| usize::try_from(entry.offset).unwrap_or(usize::MAX));
        values(column.kind, bundle.bytes(), &RowOffsets::At(starts.collect()), at, &mut builder);
        return Ok(builder.finish()?);
    }
    for (index, entry) in range.zip(entries) {
        derive(bundle, &column.name, index, entry, &mut builder)?;
    }
    Ok(builder.finish()?)
}

fn derive(
    bundle: &Bundle,
    column: &str,
    index: usize,
    entry: &Entry,
    builder: &mut Builder,
) -> Result<(), BundleError> {
    let content_type = || {
        let types = &bundle.directory.content_types;
        types.get(usize::from(entry.content_type)).map(Vec::as_slice).unwrap_or_default()
    };
    match (column, builder) {
        ("record_index", Builder::U64(numbers)) => numbers.push(Some(index as u64)),
        ("byte_offset", Builder::U64(numbers)) => numbers.push(Some(entry.offset)),
        ("bundle", Builder::Picked(picked)) => picked.push_text(Some(&bundle.label)),
        ("content_type", Builder::Picked(picked)) => {
            picked.push_text(Some(&escaped(content_type())));
        }
        ("family", Builder::Picked(picked)) => {
            let is_chunk = entry.record_type == RecordType::Chunk;
            picked.push_text(if is_chunk { table_of(content_type()) } else { None });
        }
        ("name", Builder::Picked(picked)) => {
            picked.push_text(Some(&escaped(bundle.record_name(entry)?)));
        }
        _ => debug_assert!(false, "records has no column {column}"),
    }
    Ok(())
}

/// Returns the table that holds the rows of chunks of a content type; `None` if the content type is unknown.
pub fn table_of(content_type: &[u8]) -> Option<&'static str> {
    let holds =
        |table: &&&Table| table.reads().is_some_and(|family| is_family(content_type, family));
    schemas::all().iter().find(holds).map(|table| table.name)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;
    use crate::bundle::{BundleSource, OpenOptions, open};

    #[test]
    fn every_declared_column_has_values() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let lines = r#"{"record_type":"schema","format":"ireeperf-jsonl"}
{"record_type":"session","event":"begin","source_record_index":0,"session_id":1}"#;
        file.write_all(lines.as_bytes()).unwrap();
        let bundle =
            open(&BundleSource::unnamed(file.path().to_owned()), &OpenOptions::default()).unwrap();
        for column in schemas::find("records").unwrap().columns() {
            let array = decode(&bundle, &column, 0..1).unwrap();
            assert_eq!(array.len(), 1, "{}", column.name);
        }
    }
}

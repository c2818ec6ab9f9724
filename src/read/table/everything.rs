//! Decodes every column of every table once, to find damage anywhere in a bundle (for tests and fuzzing).

use std::sync::Arc;

use schemas::spec::{Source, Table};

use super::decoder::Decoder;
use super::directory::directory_batch;
use super::lookup::Lookups;
use super::records::{Failure, record_batches};
use crate::bundle::Bundle;
use crate::record::{Feed, chunks};

/// Reads all tables and returns the number of rows. Fails at the first damaged record.
pub fn read_everything(bundles: &[Arc<Bundle>]) -> Result<usize, Failure> {
    let mut rows = 0;
    for table in schemas::all() {
        rows += match table.source {
            Source::Directory => directory_batch(table, bundles)?.num_rows(),
            // These rows are in files of their own, or need libraries.
            Source::Stored(_) | Source::History | Source::Decoded => 0,
            Source::Records => records(table, bundles)?,
            Source::Family(_) => family(table, bundles, &Lookups::default())?,
            Source::CounterValues(_) => family(table, bundles, &Lookups::counters(bundles)?)?,
            Source::MetricValues(_) => family(table, bundles, &Lookups::metrics(bundles)?)?,
        };
    }
    Ok(rows)
}

fn records(table: &Table, bundles: &[Arc<Bundle>]) -> Result<usize, Failure> {
    let (columns, schema) = (table.columns().into(), schemas::arrow::schema(table));
    let batches = bundles.iter().flat_map(|bundle| {
        record_batches(Arc::clone(&columns), Arc::clone(&schema), Arc::clone(bundle))
    });
    batches.map(|batch| Ok(batch?.num_rows())).sum()
}

fn family(table: &Table, bundles: &[Arc<Bundle>], lookups: &Lookups) -> Result<usize, Failure> {
    let Some(family) = table.reads() else { return Ok(0) };
    let mut feed = Feed::new(*family, chunks(bundles, family).into(), None);
    if !matches!(table.source, Source::Family(_)) {
        feed = feed.spreading(lookups.rows_each());
    }
    let columns = table.columns().into();
    let mut rows = 0;
    loop {
        let segments = feed.claim()?;
        let Some(mut decoder) = Decoder::new(table, &columns).filter(|_| !segments.is_empty())
        else {
            return Ok(rows);
        };
        for segment in segments {
            decoder.append(segment, lookups);
        }
        rows += decoder.rows();
        decoder.finish()?;
    }
}

//! Decodes every column of every table once, to find damage anywhere in a bundle (for tests and fuzzing).

use std::sync::Arc;

use schemas::spec::{Column, Source, Table};

use super::decoder::Decoder;
use super::directory::directory_batch;
use super::lookup::Lookups;
use super::records::record_batches;
use crate::bundle::Bundle;
use crate::record::{Feed, chunks};

/// Why reading stopped.
type Failure = Box<dyn std::error::Error + Send + Sync>;

/// Reads all tables and returns the number of rows. Fails at the first damaged record.
pub fn read_everything(bundles: &[Arc<Bundle>]) -> Result<usize, Failure> {
    let mut rows = 0;
    for table in schemas::all() {
        rows += match table.source {
            Source::Directory => directory_batch(table, bundles)?.num_rows(),
            // These rows are in files beside the bundles.
            Source::DispatchRuns => 0,
            Source::Records => records(table, bundles)?,
            Source::Family(_) => family(table, bundles, &Lookups::default())?,
            Source::CounterValues(_) => family(table, bundles, &Lookups::counters(bundles)?)?,
            Source::MetricValues(_) => family(table, bundles, &Lookups::metrics(bundles)?)?,
        };
    }
    Ok(rows)
}

fn every(table: &Table) -> Arc<[Column]> {
    table.columns().into()
}

fn records(table: &Table, bundles: &[Arc<Bundle>]) -> Result<usize, Failure> {
    let mut rows = 0;
    for bundle in bundles {
        let schema = schemas::arrow::schema(table);
        for batch in record_batches(every(table), schema, Arc::clone(bundle)) {
            rows += batch?.num_rows();
        }
    }
    Ok(rows)
}

fn family(table: &Table, bundles: &[Arc<Bundle>], lookups: &Lookups) -> Result<usize, Failure> {
    let Some(family) = table.reads() else { return Ok(0) };
    let mut feed = Feed::new(*family, chunks(bundles, family), usize::MAX);
    if !matches!(table.source, Source::Family(_)) {
        feed = feed.spreading(lookups.rows_each());
    }
    let columns = every(table);
    let mut rows = 0;
    loop {
        let segments = feed.claim()?;
        let Some(mut decoder) = Decoder::new(table, &columns).filter(|_| !segments.is_empty())
        else {
            return Ok(rows);
        };
        for segment in &segments {
            decoder.append(segment, lookups)?;
        }
        rows += decoder.rows();
        decoder.finish()?;
    }
}

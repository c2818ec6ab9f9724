//! Indexes the descriptions of counters and metrics by the ids that samples refer to.

use std::collections::HashMap;
use std::sync::Arc;

use schemas::enums;
use schemas::spec::Family;

use crate::bundle::cursor::{u32_at, u64_at};
use crate::bundle::{Bundle, BundleError};
use crate::record::{self, Feed, chunks};

/// A counter of a counter set.
#[derive(Debug, Clone)]
pub struct Counter {
    pub ordinal: u32,
    pub block_name: String,
    pub name: String,
    pub unit: &'static str,
    /// Index of the first of its `count` values in a sample.
    pub offset: usize,
    pub count: usize,
}

impl Counter {
    /// Returns the value of a column; `None` if there is no such column.
    pub fn text(&self, column: &str) -> Option<&str> {
        match column {
            "name" => Some(&self.name),
            "block_name" => Some(&self.block_name),
            "unit" => Some(self.unit),
            _ => None,
        }
    }
}

/// A metric of a metric source.
#[derive(Debug, Clone)]
pub struct Metric {
    pub name: String,
    pub unit: &'static str,
    pub value_kind: u32,
}

impl Metric {
    /// Returns the value of a column; `None` if there is no such column.
    pub fn text(&self, column: &str) -> Option<&str> {
        match column {
            "name" => Some(&self.name),
            "unit" => Some(self.unit),
            "value_kind" => Some(enums::METRIC_VALUE_KIND.name_of(self.value_kind)),
            _ => None,
        }
    }
}

/// The bundle (its address, which is stable while it is open), the session, and the counter set or metric source.
type Owner = (usize, u64, u64);

fn owner(bundle: &Bundle, session: u64, id: u64) -> Owner {
    (std::ptr::from_ref(bundle).addr(), session, id)
}

/// The counters and metrics of the open bundles.
#[derive(Debug, Default)]
pub struct Lookups {
    counters: HashMap<Owner, Vec<Arc<Counter>>>,
    metrics: HashMap<Owner, HashMap<u64, Arc<Metric>>>,
}

impl Lookups {
    /// Reads the counters of all bundles.
    pub fn counters(bundles: &[Arc<Bundle>]) -> Result<Self, BundleError> {
        let mut lookups = Self::default();
        for_each(bundles, "counters", |bundle, session, family, row| {
            let text = |nth| record::text(family, row, nth).into_owned();
            let owner = owner(bundle, session, u64_at(row, 16));
            let (known, ordinal) = (lookups.counters.entry(owner).or_default(), u32_at(row, 24));
            if known.iter().any(|counter| counter.ordinal == ordinal) {
                // Each flush of a capture can repeat descriptions.
                return;
            }
            known.push(Arc::new(Counter {
                ordinal,
                block_name: text(0),
                name: text(1),
                unit: enums::COUNTER_UNIT.name_of(u32_at(row, 8)),
                offset: u32_at(row, 28) as usize,
                count: u32_at(row, 32) as usize,
            }));
        })?;
        Ok(lookups)
    }

    /// Reads the metric descriptors of all bundles.
    pub fn metrics(bundles: &[Arc<Bundle>]) -> Result<Self, BundleError> {
        let mut lookups = Self::default();
        for_each(bundles, "device_metric_descriptors", |bundle, session, family, row| {
            let owner = owner(bundle, session, u64_at(row, 8));
            let metric = Metric {
                name: record::text(family, row, 0).into_owned(),
                unit: enums::METRIC_UNIT.name_of(u32_at(row, 24)),
                value_kind: u32_at(row, 28),
            };
            lookups.metrics.entry(owner).or_default().insert(u64_at(row, 16), Arc::new(metric));
        })?;
        Ok(lookups)
    }

    /// Returns the maximum number of rows that a counter sample becomes; `None` if there are no counters.
    pub fn rows_each(&self) -> Option<usize> {
        self.counters.values().map(Vec::len).max()
    }

    /// Returns the counters of a set; empty if the set is unknown.
    pub(crate) fn counters_of(&self, bundle: &Bundle, session: u64, set: u64) -> &[Arc<Counter>] {
        self.counters.get(&owner(bundle, session, set)).map_or(&[], Vec::as_slice)
    }

    /// Returns the metrics of a source by id; `None` if the source is unknown.
    pub(crate) fn metrics_of(
        &self,
        bundle: &Bundle,
        session: u64,
        source: u64,
    ) -> Option<&HashMap<u64, Arc<Metric>>> {
        self.metrics.get(&owner(bundle, session, source))
    }
}

/// Calls `each` with the bundle, the session and the bytes of every record of a table.
fn for_each(
    bundles: &[Arc<Bundle>],
    table: &str,
    mut each: impl FnMut(&Bundle, u64, &Family, &[u8]),
) -> Result<(), BundleError> {
    let Some(family) = schemas::find(table).and_then(|table| table.reads()) else { return Ok(()) };
    let feed = Feed::new(*family, chunks(bundles, family).into(), None);
    loop {
        let segments = feed.claim()?;
        if segments.is_empty() {
            return Ok(());
        }
        for segment in segments {
            let session = segment.session_id();
            let bytes = segment.bundle.bytes();
            segment.rows.for_each(bytes, |row| each(&segment.bundle, session, family, row));
        }
    }
}

//! Expands samples into long form: one row per counter (or metric) and sample.
//!
//! The sample record is repeated for each of its counters or metrics, so that its own fields are decoded like any
//! others. The derived columns are computed here, from the descriptions and the trailing values.

use std::sync::Arc;

use super::builder::Builder;
use super::lookup::{Counter, Lookups, Metric};
use crate::bundle::Bundle;
use crate::bundle::cursor::{u32_at, u64_at};
use crate::record::Rows;

const COUNTER_LAYOUT: usize = 112;
const METRIC_LAYOUT: usize = 64;
const METRIC_VALUE: usize = 24;

/// The rows of a long form.
pub struct Long {
    /// For each row, the offset of the sample record.
    pub parents: Rows,
    /// For each row, the offset of its trailing entry. Empty for counters, whose rows sum up several entries.
    pub entries: Rows,
    values: Values,
}

enum Values {
    Counters(Vec<CounterValue>),
    Metrics(Vec<MetricValue>),
}

struct CounterValue {
    counter: Option<Arc<Counter>>,
    /// Sum, minimum and maximum over the counter's instances; `None` if the sample has too few values.
    sum: Option<(f64, u64, u64)>,
}

struct MetricValue {
    metric: Option<Arc<Metric>>,
    bits: u64,
}

/// Expands counter samples by the counters of their set. A sample of an unknown set becomes one row without a counter.
pub fn counters(
    lookups: &Lookups,
    bundle: &Bundle,
    session: u64,
    payload: &[u8],
    rows: &Rows,
) -> Long {
    let (mut parents, mut values) = (Vec::new(), Vec::new());
    for start in rows.starts() {
        let row = payload.get(start..).unwrap_or_default();
        let known = lookups.counters_of(bundle, session, u64_at(row, 24));
        if known.is_empty() {
            parents.push(start);
            values.push(CounterValue { counter: None, sum: None });
        }
        for counter in known {
            parents.push(start);
            values
                .push(CounterValue { counter: Some(Arc::clone(counter)), sum: sum(row, counter) });
        }
    }
    let entries = Rows::At(Vec::new());
    Long { parents: Rows::At(parents), entries, values: Values::Counters(values) }
}

/// Returns the bytes of `count` values of a counter sample from the value `first` on; `None` if it has fewer values.
/// `row` starts with the record.
pub fn sample_values(row: &[u8], first: usize, count: usize) -> Option<&[u8]> {
    let end = first.checked_add(count).filter(|end| *end <= u32_at(row, 104) as usize)?;
    row.get(COUNTER_LAYOUT + first * 8..COUNTER_LAYOUT + end * 8)
}

/// Returns the trailing entries of a metric sample. `row` starts with the record.
pub fn metric_entries(row: &[u8]) -> impl Iterator<Item = &[u8]> {
    let entries = row.get(METRIC_LAYOUT..).unwrap_or_default();
    entries.chunks_exact(METRIC_VALUE).take(u32_at(row, 60) as usize)
}

#[expect(clippy::cast_precision_loss, reason = "documented: exact up to 2^53")]
fn sum(row: &[u8], counter: &Counter) -> Option<(f64, u64, u64)> {
    let available = u32_at(row, 104) as usize;
    let end = counter.offset.checked_add(counter.count)?;
    if end > available || counter.count == 0 {
        return None;
    }
    let value = |index: usize| u64_at(row, COUNTER_LAYOUT + index * 8);
    let mut result = (0.0, u64::MAX, 0);
    for value in (counter.offset..end).map(value) {
        result = (result.0 + value as f64, result.1.min(value), result.2.max(value));
    }
    Some(result)
}

/// Expands metric samples by their trailing values.
pub fn metrics(
    lookups: &Lookups,
    bundle: &Bundle,
    session: u64,
    payload: &[u8],
    rows: &Rows,
) -> Long {
    let (mut parents, mut entries, mut values) = (Vec::new(), Vec::new(), Vec::new());
    for start in rows.starts() {
        let row = payload.get(start..).unwrap_or_default();
        let known = lookups.metrics_of(bundle, session, u64_at(row, 16));
        for index in 0..u32_at(row, 60) as usize {
            let at = METRIC_LAYOUT + index * METRIC_VALUE;
            let metric = known.and_then(|known| known.get(&u64_at(row, at))).cloned();
            parents.push(start);
            entries.push(start + at);
            values.push(MetricValue { metric, bits: u64_at(row, at + 8) });
        }
    }
    Long { parents: Rows::At(parents), entries: Rows::At(entries), values: Values::Metrics(values) }
}

impl Long {
    /// Appends the derived column `name`.
    pub fn append(&self, name: &str, builder: &mut Builder) {
        match &self.values {
            Values::Counters(values) => values.iter().for_each(|value| value.append(name, builder)),
            Values::Metrics(values) => values.iter().for_each(|value| value.append(name, builder)),
        }
    }
}

impl CounterValue {
    fn append(&self, name: &str, builder: &mut Builder) {
        let counter = self.counter.as_ref();
        match (name, builder) {
            ("counter_ordinal", Builder::U32(numbers)) => {
                numbers.push(counter.map(|counter| counter.ordinal));
            }
            ("value_count", Builder::U32(numbers)) => {
                numbers.push(counter.and_then(|counter| u32::try_from(counter.count).ok()));
            }
            ("value", Builder::F64(numbers)) => numbers.push(self.sum.map(|sum| sum.0)),
            ("value_min", Builder::U64(numbers)) => numbers.push(self.sum.map(|sum| sum.1)),
            ("value_max", Builder::U64(numbers)) => numbers.push(self.sum.map(|sum| sum.2)),
            (name, Builder::Picked(picked)) => {
                let text = counter.map(|counter| match name {
                    "block_name" => counter.block_name.as_str(),
                    "unit" => counter.unit,
                    _ => counter.name.as_str(),
                });
                let pick = text.map(|text| picked.intern(text));
                picked.push(pick);
            }
            (name, _) => debug_assert!(false, "counter_values has no column {name}"),
        }
    }
}

impl MetricValue {
    fn append(&self, name: &str, builder: &mut Builder) {
        let metric = self.metric.as_ref();
        match (name, builder) {
            ("value", Builder::F64(numbers)) => {
                numbers.push(metric.and_then(|metric| number(metric.value_kind, self.bits)));
            }
            (name, Builder::Picked(picked)) => {
                let text = metric.map(|metric| match name {
                    "unit" => metric.unit,
                    "value_kind" => schemas::enums::METRIC_VALUE_KIND.name_of(metric.value_kind),
                    _ => metric.name.as_str(),
                });
                let pick = text.map(|text| picked.intern(text));
                picked.push(pick);
            }
            (name, _) => debug_assert!(false, "device_metric_values has no column {name}"),
        }
    }
}

/// Converts the bits of a value by the `value_kind` of its descriptor; `None` if the kind is unknown.
#[expect(clippy::cast_precision_loss, reason = "documented: exact up to 2^53")]
const fn number(value_kind: u32, bits: u64) -> Option<f64> {
    match value_kind {
        1 => Some(bits.cast_signed() as f64),
        2 => Some(bits as f64),
        3 => Some(f64::from_bits(bits)),
        _ => None,
    }
}

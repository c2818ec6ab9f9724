//! Expands samples into long form: one row per counter (or metric) and sample.
//!
//! The segment repeats the sample record for each of its counters or metrics, so that its own fields are decoded like any
//! others. The derived columns are computed here, from the descriptions and the trailing values.

use std::sync::Arc;

use super::builder::Builder;
use super::lookup::{Counter, Lookups, Metric};
use crate::bundle::cursor::{u32_at, u64_at};
use crate::record::{RowOffsets, Segment};

const COUNTER_LAYOUT: usize = 112;
const METRIC_LAYOUT: usize = 64;
const METRIC_VALUE: usize = 24;

/// The rows of a long form.
pub struct Long {
    /// For each row, the offset of its trailing entry. Empty for counters, whose rows sum up several entries.
    pub entries: RowOffsets,
    values: Vec<Derived>,
}

/// What the derived columns of a row are computed from.
enum Derived {
    /// A counter, with sum, minimum and maximum over its instances; `None` if the sample has too few values.
    Counter(Option<Arc<Counter>>, Option<(f64, u64, u64)>),
    /// A metric, with the bits of its value.
    Metric(Option<Arc<Metric>>, u64),
}

/// Expands counter samples by the counters of their set. A sample of an unknown set becomes one row without a counter.
pub fn counters(lookups: &Lookups, segment: &mut Segment) -> Long {
    let (mut parents, mut values) = (Vec::new(), Vec::new());
    let session = segment.session_id();
    for start in segment.rows.starts() {
        let row = segment.bundle.bytes().get(start..).unwrap_or_default();
        let known = lookups.counters_of(&segment.bundle, session, u64_at(row, 24));
        if known.is_empty() {
            parents.push(start);
            values.push(Derived::Counter(None, None));
        }
        for counter in known {
            parents.push(start);
            values.push(Derived::Counter(Some(Arc::clone(counter)), sum(row, counter)));
        }
    }
    segment.repeat(parents);
    Long { entries: RowOffsets::At(Vec::new()), values }
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
    let values = sample_values(row, counter.offset, counter.count)?;
    let values = values.chunks_exact(8).map(|value| u64_at(value, 0));
    let add = |(sum, min, max): (f64, u64, u64), value: u64| {
        (sum + value as f64, min.min(value), max.max(value))
    };
    (counter.count > 0).then(|| values.fold((0.0, u64::MAX, 0), add))
}

/// Expands metric samples by their trailing values.
pub fn metrics(lookups: &Lookups, segment: &mut Segment) -> Long {
    let (mut parents, mut entries, mut values) = (Vec::new(), Vec::new(), Vec::new());
    let session = segment.session_id();
    for start in segment.rows.starts() {
        let row = segment.bundle.bytes().get(start..).unwrap_or_default();
        let known = lookups.metrics_of(&segment.bundle, session, u64_at(row, 16));
        for (index, entry) in metric_entries(row).enumerate() {
            let metric = known.and_then(|known| known.get(&u64_at(entry, 0))).cloned();
            parents.push(start);
            entries.push(start + METRIC_LAYOUT + index * METRIC_VALUE);
            values.push(Derived::Metric(metric, u64_at(entry, 8)));
        }
    }
    segment.repeat(parents);
    Long { entries: RowOffsets::At(entries), values }
}

impl Long {
    /// Appends the derived column `name`.
    pub fn append(&self, name: &str, builder: &mut Builder) {
        for value in &self.values {
            match (value, name, &mut *builder) {
                (Derived::Counter(counter, _), "counter_ordinal", Builder::U32(numbers)) => {
                    numbers.push(counter.as_ref().map(|counter| counter.ordinal));
                }
                (Derived::Counter(counter, _), "value_count", Builder::U32(numbers)) => {
                    let count = counter.as_ref().map(|counter| counter.count);
                    numbers.push(count.and_then(|count| u32::try_from(count).ok()));
                }
                (Derived::Counter(_, sum), "value", Builder::F64(numbers)) => {
                    numbers.push(sum.map(|sum| sum.0));
                }
                (Derived::Counter(_, sum), "value_min", Builder::U64(numbers)) => {
                    numbers.push(sum.map(|sum| sum.1));
                }
                (Derived::Counter(_, sum), "value_max", Builder::U64(numbers)) => {
                    numbers.push(sum.map(|sum| sum.2));
                }
                (Derived::Counter(counter, _), name, Builder::Picked(picked)) => {
                    picked.push_text(counter.as_ref().and_then(|counter| counter.text(name)));
                }
                (Derived::Metric(metric, bits), "value", Builder::F64(numbers)) => {
                    let kind = metric.as_ref().map(|metric| metric.value_kind);
                    numbers.push(kind.and_then(|kind| number(kind, *bits)));
                }
                (Derived::Metric(metric, _), name, Builder::Picked(picked)) => {
                    picked.push_text(metric.as_ref().and_then(|metric| metric.text(name)));
                }
                _ => debug_assert!(false, "no long form has a column {name}"),
            }
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

#[cfg(test)]
mod tests {
    use schemas::spec::Read;

    use super::*;

    #[test]
    fn every_derived_column_has_values() {
        let counter = Counter {
            ordinal: 1,
            block_name: "block".into(),
            name: "counter".into(),
            unit: "cycles",
            offset: 0,
            count: 1,
        };
        let metric = Metric { name: "metric".into(), unit: "hertz", value_kind: 2 };
        for (table, value) in [
            ("counter_values", Derived::Counter(Some(Arc::new(counter)), Some((1.0, 1, 1)))),
            ("device_metric_values", Derived::Metric(Some(Arc::new(metric)), 1)),
        ] {
            let long = Long { entries: RowOffsets::At(Vec::new()), values: vec![value] };
            let columns = schemas::find(table).unwrap().columns();
            for column in columns.iter().filter(|column| column.read == Read::Derived) {
                let mut builder = Builder::new(column);
                long.append(&column.name, &mut builder);
                let array = builder.finish().unwrap();
                assert_eq!((array.len(), array.null_count()), (1, 0), "{table}.{}", column.name);
            }
        }
    }
}

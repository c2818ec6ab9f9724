//! Readings of device metrics in long form.

use super::device_metric_samples;
use crate::fields::derived;
use crate::spec::{Field, Kind, Read, Source, Table};

/// The declaration of the table `device_metric_values`.
pub static TABLE: Table = Table {
    name: "device_metric_values",
    row: "One metric in one reading of its source.",
    source: Source::MetricValues(device_metric_samples::FAMILY),
    repeated: device_metric_samples::SAMPLE,
    fields: &[
        Field::one("metric_id", Read::Entry(0), Kind::U64, "Metric that was read.").joins("device_metric_descriptors.metric_id"),
        derived("name", Kind::Text, "Name of the metric; NULL if it has no descriptor."),
        derived("unit", Kind::Text, "Unit of the value; NULL if it has no descriptor."),
        derived("value_kind", Kind::Text, "Data type of the value: i64, u64 or f64."),
        derived("value", Kind::F64, "The value as a number; exact up to 2^53, NULL if it has no descriptor."),
        Field::one("value_bits", Read::Entry(8), Kind::U64, "The 64 bits as recorded."),
        Field::one("value_flags", Read::Entry(16), Kind::U32, "Flag word of the value."),
    ],
};

//! Readings of device metrics in long form.

use crate::fields::{derived, device, flags, ns, u64};
use crate::flags as bits;
use crate::spec::{Family, Field, Kind, Read, Source, Table, Tail, Unit};

/// The declaration.
pub static TABLE: Table = Table {
    name: "device_metric_values",
    row: "One metric in one reading of its source.",
    source: Source::MetricValues(Family::fixed(&["device-metric-samples"], 64).with(Tail::Entries { count: 60, entry: 24 })),
    fields: &[
        flags(4, &bits::DEVICE_METRIC_SAMPLE),
        u64("sample_id", 8, "Sample within the session."),
        u64("source_id", 16, "Source that was read.").joins("device_metric_sources.source_id"),
        ns("host_time_begin_ns", 24, "Host time just before the reading."),
        ns("host_time_end_ns", 32, "Host time just after the reading."),
        u64("source_timestamp", 40, "The source's own clock, in its ticks.").unit(Unit::Ticks),
        u64("source_timestamp_frequency_hz", 48, "Rate of `source_timestamp`.").unit(Unit::Hertz),
        device(56),
        Field::one("metric_id", Read::Entry(0), Kind::U64, "Metric that was read.").joins("device_metric_descriptors.metric_id"),
        derived("name", Kind::Text, "Name of the metric; NULL where no descriptor names it."),
        derived("unit", Kind::Text, "Unit of the value; NULL where no descriptor names it."),
        derived("value_kind", Kind::Text, "How the bits are read: i64, u64 or f64."),
        derived("value", Kind::F64, "The value as a number; exact up to 2^53, NULL where no descriptor says how to read it."),
        Field::one("value_bits", Read::Entry(8), Kind::U64, "The 64 bits as recorded."),
        Field::one("value_flags", Read::Entry(16), Kind::U32, "Flag word of the value."),
    ],
};

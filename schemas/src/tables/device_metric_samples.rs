//! Readings of device metrics.

use crate::fields::{device, flags, ns, u32, u64};
use crate::flags as bits;
use crate::spec::{Family, Field, Source, Table, Tail, Unit};

/// The chunks that hold the samples.
pub(crate) const FAMILY: Family = Family::fixed(&["device-metric-samples"], 64).with(Tail::Entries { count: 60, entry: 24 });

/// The fields of a sample, which the long form repeats in each of its rows.
pub const SAMPLE: &[Field] = &[
    flags(4, bits::DEVICE_METRIC_SAMPLE),
    u64("sample_id", 8, "Id of the sample within the session."),
    u64("source_id", 16, "Source that was read.").joins("device_metric_sources.source_id"),
    ns("host_time_begin_ns", 24, "Host time just before the reading."),
    ns("host_time_end_ns", 32, "Host time just after the reading."),
    u64("source_timestamp", 40, "Time of the source's own clock, in its ticks.").unit(Unit::Ticks),
    u64("source_timestamp_frequency_hz", 48, "Frequency of `source_timestamp`.").unit(Unit::Hertz),
    device(56),
];

/// The declaration of the table `device_metric_samples`.
pub static TABLE: Table = Table {
    name: "device_metric_samples",
    row: "One reading of a source; its values are rows of `device_metric_values`.",
    source: Source::Family(FAMILY),
    repeated: SAMPLE,
    fields: &[u32("value_count", 60, "Number of metrics read.")],
};

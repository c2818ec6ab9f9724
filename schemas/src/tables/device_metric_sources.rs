//! Sources of device metrics.

use crate::fields::{device, flags, named, text, u32, u64};
use crate::enums;
use crate::spec::{Family, Table, Tail};

/// The declaration of the table `device_metric_sources`.
pub static TABLE: Table = Table::family(
    "device_metric_sources",
    Family::fixed(&["device-metric-sources"], 40).with(Tail::Texts(&[36])),
    "One source of device metrics: a sensor block or a driver interface.",
    &[
        flags(4, &[]),
        u64("source_id", 8, "Id of the metric source within the session."),
        device(16),
        named("device_class", 20, &enums::DEVICE_CLASS, "Kind of device."),
        u32("source_kind", 24, "Producer-specific kind of the source."),
        u32("source_revision", 28, "Producer-specific revision of the source."),
        u32("metric_count", 32, "Number of metrics of the source."),
        text("name", 0, "Name of the source."),
    ],
);

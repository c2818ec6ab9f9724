//! Descriptions of the device metrics.

use crate::fields::{flags, named, text, u64};
use crate::enums;
use crate::spec::{Family, Table, Tail};

/// The declaration of the table `device_metric_descriptors`.
pub static TABLE: Table = Table::family(
    "device_metric_descriptors",
    Family::fixed(&["device-metric-descriptors"], 48).with(Tail::Texts(&[40, 44])),
    "One metric of a source.",
    &[
        flags(4, &[]),
        u64("source_id", 8, "Source of the metric.").joins("device_metric_sources.source_id"),
        u64("metric_id", 16, "Id of the metric; built-in metrics are numbered from 1."),
        named("unit", 24, &enums::METRIC_UNIT, "Unit of the values; millipercent is scaled by 1000."),
        named("value_kind", 28, &enums::METRIC_VALUE_KIND, "Data type of the 64 bits of a value."),
        named("semantic", 32, &enums::METRIC_SEMANTIC, "Semantic of a value over time, such as instant, average or cumulative."),
        named("plot_hint", 36, &enums::METRIC_PLOT_HINT, "Recommended way to plot the values."),
        text("name", 0, "Name of the metric."),
        text("description", 1, "Description of the metric."),
    ],
);

//! Looks up metrics by source and id. The first descriptor of a metric counts.

use schemas::enums::{self, Enum};
use schemas::place::Places;

use crate::fold::shared::{Grouped, Row};

/// The numbers of a metric descriptor.
pub(crate) const DESCRIPTOR: Places<6> = Places::new(
    "device_metric_descriptors",
    ["source_id", "metric_id", "unit", "value_kind", "semantic", "plot_hint"],
);

/// A metric of a source. Unknown enum values are empty strings.
#[derive(Debug)]
pub struct Metric {
    pub name: String,
    pub unit: &'static str,
    pub value_kind: &'static str,
    pub semantic: &'static str,
    pub plot_hint: &'static str,
}

/// The metrics of a bundle.
#[derive(Debug, Default)]
pub struct Metrics(Grouped<2, Metric>);

impl Metrics {
    /// Adds the metric of a descriptor record, unless it is known.
    pub fn add(&mut self, row: Row<'_>) {
        let [source, id, unit, value_kind, semantic, plot_hint] = row.numbers(&DESCRIPTOR);
        self.0.define([source, id], || Metric {
            name: row.text(0).into_owned(),
            // The name that `iree-profile` prints.
            unit: match name(&enums::METRIC_UNIT, unit) {
                "hertz" => "hz",
                other => other,
            },
            value_kind: name(&enums::METRIC_VALUE_KIND, value_kind),
            semantic: name(&enums::METRIC_SEMANTIC, semantic),
            plot_hint: name(&enums::METRIC_PLOT_HINT, plot_hint),
        });
    }

    /// Returns a metric of a source; `None` if it is not described.
    pub fn find(&self, source_id: u64, metric_id: u64) -> Option<&Metric> {
        self.0.find([source_id, metric_id])
    }
}

fn name(names: &'static Enum, value: u64) -> &'static str {
    let known = names.values.iter().find(|(number, _)| u64::from(*number) == value);
    known.map_or("", |(_, name)| name)
}

//! The SQL functions of this project, one file per topic, and passes as table functions ([`passes`]). Each function declares
//! its documentation.
//!
//! Invariant: this layer knows no session.

mod arguments;
mod checked_sum;
mod clock_fits;
mod counter_values;
mod covered;
mod cycle_time;
mod error;
mod extreme;
mod lists;
mod matches_pattern;
mod metadata;
mod metric_values;
mod operations;
mod or_raw;
mod or_unknown;
mod pass_arguments;
mod pass_results;
mod passes;
mod plain;
mod quantiles;
mod timeline;
mod xyz;

use std::sync::Arc;

use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

pub use error::external;
pub use metadata::{Lookup, Numbers, TextOf};
pub use passes::Folds;
use plain::Plain;

/// The scalar functions that are declared as data.
static PLAIN: &[&Plain] = &[
    &clock_fits::TICKS_TO_NS,
    &clock_fits::DEVICE_TIME_NS,
    &cycle_time::CYCLE_TIME_NS,
    &timeline::DEVICE_TRACK,
    &timeline::QUEUE_TRACK,
    &timeline::RELATIONSHIP_FLOWS,
    &metric_values::METRIC_VALUES,
    &counter_values::VALUES,
    &counter_values::SUM,
    &counter_values::WHOLE_SUM,
    &or_raw::OR_ZERO,
    &or_raw::OR_ONES,
    &or_unknown::OR_UNKNOWN,
    &or_unknown::UNNAMED_TYPE,
    &xyz::XYZ,
    &operations::KIND,
    &operations::SHAPE,
    &operations::DTYPE,
    &operations::ORDINAL,
    &operations::FLOPS,
    &operations::BYTES,
];

/// Returns all scalar functions.
pub fn scalars(folds: &Arc<Folds>) -> Vec<ScalarUDF> {
    let mut functions: Vec<ScalarUDF> = PLAIN.iter().map(|plain| plain.function(folds)).collect();
    functions.push(ScalarUDF::new_from_impl(matches_pattern::MatchesPattern::new()));
    let of_lists = [lists::Of::Mode, lists::Of::Mad, lists::Of::Histogram].map(lists::OfList::new);
    functions.extend(of_lists.map(ScalarUDF::new_from_impl));
    functions.extend(metadata::all(folds).map(ScalarUDF::new_from_impl));
    functions
}

/// Returns all aggregate functions.
pub fn aggregates() -> Vec<AggregateUDF> {
    vec![
        AggregateUDF::new_from_impl(checked_sum::CheckedSum::new()),
        AggregateUDF::new_from_impl(extreme::Extreme::min()),
        AggregateUDF::new_from_impl(extreme::Extreme::max()),
        AggregateUDF::new_from_impl(quantiles::Quantiles::new()),
        AggregateUDF::new_from_impl(covered::Covered::new()),
    ]
}

/// Returns call and documentation of each function, for the reference page.
pub fn docs() -> impl Iterator<Item = (&'static str, &'static str)> {
    let plain = PLAIN.iter().map(|plain| (plain.call, plain.doc));
    metadata::docs().chain(plain).chain([matches_pattern::DOC, quantiles::DOC, covered::DOC])
}

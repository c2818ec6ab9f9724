//! SQL functions of ours, one a file.

mod clock;
mod device_time_ns;
mod quantiles;
mod ticks_to_ns;

use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

/// Every scalar function.
pub fn scalars() -> Vec<ScalarUDF> {
    vec![
        ScalarUDF::new_from_impl(device_time_ns::DeviceTimeNs::new()),
        ScalarUDF::new_from_impl(ticks_to_ns::TicksToNs::new()),
    ]
}

/// Every aggregate.
pub fn aggregates() -> Vec<AggregateUDF> {
    vec![AggregateUDF::new_from_impl(quantiles::Quantiles::new())]
}

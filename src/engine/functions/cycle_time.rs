//! `cycle_time_ns`: converts a time of the shader clock of a GPU to host time.

use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, Int64Array};
use datafusion::arrow::datatypes::DataType::{Float64, Int64};
use datafusion::arrow::datatypes::{Float64Type, Int64Type};
use datafusion::common::internal_err;
use datafusion::error::Result;

use super::arguments::numbers;
use super::plain::{Compute, Plain};

/// `cycle_time_ns(time, anchor_time, host_ns, ns_per_cycle)`
pub(crate) static CYCLE_TIME_NS: Plain = Plain {
    call: "cycle_time_ns(time, anchor_time, host_ns, ns_per_cycle)",
    doc: "Converts a time of the shader clock to host time (rounded down), with a row of `report.att_placement`; NULL if it exceeds 64 bits.",
    takes: |given| numbers("cycle_time_ns", given, &[Float64, Int64, Int64, Float64]),
    gives: |_| Int64,
    compute: Compute::Pure(cycle_time_ns),
};

fn cycle_time_ns(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [times, anchors, hosts, scales] = arrays else {
        return internal_err!("cycle_time_ns takes four arguments");
    };
    let times = times
        .as_primitive::<Float64Type>()
        .iter()
        .zip(anchors.as_primitive::<Int64Type>())
        .zip(hosts.as_primitive::<Int64Type>())
        .zip(scales.as_primitive::<Float64Type>())
        .map(|(((time, anchor), host), scale)| convert(time?, anchor?, host?, scale?));
    Ok(Arc::new(times.collect::<Int64Array>()))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "times beyond 2^53 lose cycles; casts saturate"
)]
fn convert(time: f64, anchor: i64, host: i64, ns_per_cycle: f64) -> Option<i64> {
    let offset = ((time - anchor as f64) * ns_per_cycle).floor();
    let sum = i128::from(host).checked_add(offset as i128)?;
    i64::try_from(sum).ok().filter(|_| offset.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_down_and_those_beyond_64_bits_are_none() {
        assert_eq!(convert(131.0, 0, 50_500, 0.5), Some(50_565));
        assert_eq!(convert(-3.0, 0, 0, 0.5), Some(-2));
        assert_eq!(convert(0.0, i64::MIN, i64::MAX, 0.25), None);
        assert_eq!(convert(1e30, 0, 0, 1e300), None);
        assert_eq!(convert(f64::NAN, 0, 0, 1.0), None);
    }
}

//! `device_time_ns(tick, first_device_tick, first_time_ns, device_tick_span, time_span_ns)`: a device tick as a time, by
//! a clock fit.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, Int64Array};
use datafusion::arrow::datatypes::{DataType, Int64Type, UInt64Type};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::numbers;
use crate::fold::clock;

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct DeviceTimeNs {
    signature: Signature,
}

impl DeviceTimeNs {
    /// The function.
    pub fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for DeviceTimeNs {
    fn name(&self) -> &'static str {
        "device_time_ns"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arguments: &[DataType]) -> Result<Vec<DataType>> {
        numbers(
            self.name(),
            arguments,
            &[
                DataType::UInt64,
                DataType::UInt64,
                DataType::Int64,
                DataType::UInt64,
                DataType::UInt64,
            ],
        )
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [tick, first_tick, first_time, tick_span, time_span] = arrays.as_slice() else {
            return datafusion::common::internal_err!("device_time_ns takes five arguments");
        };
        let fit = first_tick
            .as_primitive::<UInt64Type>()
            .iter()
            .zip(first_time.as_primitive::<Int64Type>())
            .zip(
                tick_span
                    .as_primitive::<UInt64Type>()
                    .iter()
                    .zip(time_span.as_primitive::<UInt64Type>()),
            );
        let values: Int64Array = tick
            .as_primitive::<UInt64Type>()
            .iter()
            .zip(fit)
            .map(|(tick, ((first_tick, first_time), (tick_span, time_span)))| {
                clock::map(tick?, first_tick?, first_time?, tick_span?, time_span?)
            })
            .collect();
        Ok(ColumnarValue::Array(Arc::new(values)))
    }
}

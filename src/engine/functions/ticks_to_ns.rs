//! `ticks_to_ns(ticks, device_tick_span, time_span_ns)`: a duration in ticks as nanoseconds, by a clock fit.

use std::sync::Arc;

use datafusion::arrow::array::{AsArray, Int64Array};
use datafusion::arrow::datatypes::{DataType, UInt64Type};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::numbers;
use crate::fold::clock;

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct TicksToNs {
    signature: Signature,
}

impl TicksToNs {
    /// The function.
    pub fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for TicksToNs {
    fn name(&self) -> &'static str {
        "ticks_to_ns"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arguments: &[DataType]) -> Result<Vec<DataType>> {
        numbers(self.name(), arguments, &[DataType::UInt64, DataType::UInt64, DataType::UInt64])
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Int64)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [ticks, tick_span, time_span] = arrays.as_slice() else {
            return datafusion::common::internal_err!("ticks_to_ns takes three arguments");
        };
        let ticks = ticks.as_primitive::<UInt64Type>();
        let tick_span = tick_span.as_primitive::<UInt64Type>();
        let time_span = time_span.as_primitive::<UInt64Type>();
        let values: Int64Array = ticks
            .iter()
            .zip(tick_span)
            .zip(time_span)
            .map(|((ticks, tick_span), time_span)| clock::scale(ticks?, tick_span?, time_span?))
            .collect();
        Ok(ColumnarValue::Array(Arc::new(values)))
    }
}

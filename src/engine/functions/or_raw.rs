//! `or_zero(x)` and `or_ones(x)`: the raw number behind NULL, in the column's own type.
//!
//! `coalesce(x, 0)` would turn unsigned 64-bit numbers into decimals.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use datafusion::arrow::buffer::ScalarBuffer;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt32Type, UInt64Type};
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct OrRaw {
    /// 4294967295 instead of 0.
    ones: bool,
    signature: Signature,
}

impl OrRaw {
    /// `or_ones`, or `or_zero`.
    pub fn new(ones: bool) -> Self {
        Self { ones, signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for OrRaw {
    fn name(&self) -> &'static str {
        if self.ones { "or_ones" } else { "or_zero" }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        match given {
            [DataType::UInt32 | DataType::UInt64 | DataType::Int64 | DataType::Float64] => {
                Ok(given.to_vec())
            }
            [other] if other.is_numeric() || other.is_null() => Ok(vec![DataType::Int64]),
            _ => plan_err!("{} wants one number", self.name()),
        }
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        Ok(arguments.first().cloned().unwrap_or(DataType::Int64))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [array] = arrays.as_slice() else {
            return internal_err!("{} takes one argument", self.name());
        };
        let ones = self.ones;
        Ok(ColumnarValue::Array(match array.data_type() {
            DataType::UInt32 => filled::<UInt32Type>(array, if ones { u32::MAX } else { 0 }),
            DataType::UInt64 => filled::<UInt64Type>(array, if ones { u32::MAX.into() } else { 0 }),
            DataType::Int64 => filled::<Int64Type>(array, if ones { u32::MAX.into() } else { 0 }),
            DataType::Float64 => {
                filled::<Float64Type>(array, if ones { u32::MAX.into() } else { 0.0 })
            }
            other => return internal_err!("{} of {other}", self.name()),
        }))
    }
}

fn filled<T: ArrowPrimitiveType>(array: &ArrayRef, raw: T::Native) -> ArrayRef {
    let numbers = array.as_primitive::<T>();
    if numbers.null_count() == 0 {
        return Arc::clone(array);
    }
    let values: ScalarBuffer<T::Native> =
        numbers.iter().map(|number| number.unwrap_or(raw)).collect();
    Arc::new(PrimitiveArray::<T>::new(values, None))
}

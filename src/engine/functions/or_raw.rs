//! `or_zero(x)` and `or_ones(x)`: replace NULL by its raw value, and keep the type of the column.
//!
//! `coalesce(x, 0)` would convert unsigned 64-bit numbers to decimals.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, ArrowPrimitiveType, AsArray, PrimitiveArray};
use datafusion::arrow::buffer::ScalarBuffer;
use datafusion::arrow::datatypes::{DataType, Float64Type, Int64Type, UInt32Type, UInt64Type};
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;

use super::plain::{Compute, Plain};

/// `or_zero(x)`
pub(crate) static OR_ZERO: Plain = Plain {
    call: "or_zero(x)",
    doc: "The number, or 0 if it is NULL, without a change of type.",
    takes: |given| takes("or_zero", given),
    gives,
    compute: Compute::Pure(|arrays| answer(arrays, 0)),
};

/// `or_ones(x)`
pub(crate) static OR_ONES: Plain = Plain {
    call: "or_ones(x)",
    doc: "The number, or 4294967295 (the raw value of an absent ordinal) if it is NULL.",
    takes: |given| takes("or_ones", given),
    gives,
    compute: Compute::Pure(|arrays| answer(arrays, u32::MAX)),
};

fn takes(name: &str, given: &[DataType]) -> Result<Vec<DataType>> {
    match given {
        [DataType::UInt32 | DataType::UInt64 | DataType::Int64 | DataType::Float64] => {
            Ok(given.to_vec())
        }
        [other] if other.is_numeric() || other.is_null() => Ok(vec![DataType::Int64]),
        _ => plan_err!("{name} requires one number"),
    }
}

fn gives(taken: &[DataType]) -> DataType {
    taken.first().cloned().unwrap_or(DataType::Int64)
}

fn answer(arrays: &[ArrayRef], raw: u32) -> Result<ArrayRef> {
    let [array] = arrays else {
        return internal_err!("or_zero and or_ones take one argument");
    };
    Ok(match array.data_type() {
        DataType::UInt32 => filled::<UInt32Type>(array, raw),
        DataType::UInt64 => filled::<UInt64Type>(array, raw.into()),
        DataType::Int64 => filled::<Int64Type>(array, raw.into()),
        DataType::Float64 => filled::<Float64Type>(array, raw.into()),
        other => return internal_err!("or_zero or or_ones of {other}"),
    })
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

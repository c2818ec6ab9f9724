//! `xyz(x, y, z)`: combines three numbers to a list, the form in which reports print sizes and counts of workgroups.

use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, FixedSizeListArray, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, UInt32Type};
use datafusion::common::internal_err;
use datafusion::error::Result;

use super::arguments::numbers;
use super::plain::{Compute, Plain};

/// The function.
pub(crate) static XYZ: Plain = Plain {
    call: "xyz(x, y, z)",
    doc: "Three numbers as a list, as reports print workgroup counts and sizes.",
    takes: |given| numbers("xyz", given, &[DataType::UInt32, DataType::UInt32, DataType::UInt32]),
    gives: |_| DataType::FixedSizeList(item(), 3),
    compute: Compute::Pure(answer),
};

fn item() -> FieldRef {
    Arc::new(Field::new("item", DataType::UInt32, true))
}

fn answer(arrays: &[ArrayRef]) -> Result<ArrayRef> {
    let [x, y, z] = arrays else {
        return internal_err!("xyz takes three arguments");
    };
    let [x, y, z] = [x, y, z].map(AsArray::as_primitive::<UInt32Type>);
    let items = if [x, y, z].iter().all(|array| array.null_count() == 0) {
        let triples = x.values().iter().zip(y.values()).zip(z.values());
        UInt32Array::from_iter_values(triples.flat_map(|((x, y), z)| [*x, *y, *z]))
    } else {
        x.iter().zip(y).zip(z).flat_map(|((x, y), z)| [x, y, z]).collect()
    };
    Ok(Arc::new(FixedSizeListArray::try_new(item(), 3, Arc::new(items), None)?))
}

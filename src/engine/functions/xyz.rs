//! `xyz(x, y, z)`: three numbers as a list, as reports print sizes and counts of workgroups.

use std::sync::Arc;

use datafusion::arrow::array::{Array, FixedSizeListArray, UInt32Array};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, UInt32Type};
use datafusion::common::internal_err;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::numbers;

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Xyz {
    signature: Signature,
}

impl Xyz {
    /// The function.
    pub fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

fn item() -> FieldRef {
    Arc::new(Field::new("item", DataType::UInt32, true))
}

impl ScalarUDFImpl for Xyz {
    fn name(&self) -> &'static str {
        "xyz"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        numbers(self.name(), given, &[DataType::UInt32, DataType::UInt32, DataType::UInt32])
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::FixedSizeList(item(), 3))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [x, y, z] = arrays.as_slice() else {
            return internal_err!("xyz takes three arguments");
        };
        let [x, y, z] = [x, y, z].map(arrow::array::AsArray::as_primitive::<UInt32Type>);
        let items = if [x, y, z].iter().all(|array| array.null_count() == 0) {
            let triples = x.values().iter().zip(y.values()).zip(z.values());
            UInt32Array::from_iter_values(triples.flat_map(|((x, y), z)| [*x, *y, *z]))
        } else {
            x.iter().zip(y).zip(z).flat_map(|((x, y), z)| [x, y, z]).collect()
        };
        Ok(ColumnarValue::Array(Arc::new(FixedSizeListArray::try_new(
            item(),
            3,
            Arc::new(items),
            None,
        )?)))
    }
}

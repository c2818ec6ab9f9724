//! `or_unknown(x)` and `unnamed_type(type, type_value)`: what reports say of a type that has no name.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, StringViewArray, UInt32Array, make_view};
use datafusion::arrow::datatypes::{DataType, UInt32Type};
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

/// Names that stand for none, as views; they are short enough to lie in the views themselves.
fn stand_ins() -> [u128; 2] {
    ["none", "unknown"].map(|text| make_view(text.as_bytes(), 0, 0))
}

/// `or_unknown(x)`
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct OrUnknown {
    signature: Signature,
}

impl OrUnknown {
    /// The function.
    pub fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for OrUnknown {
    fn name(&self) -> &'static str {
        "or_unknown"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        match given {
            [kind] if kind.is_string() || kind.is_null() => Ok(vec![DataType::Utf8View]),
            _ => plan_err!("or_unknown wants one text"),
        }
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [array] = arrays.as_slice() else {
            return internal_err!("or_unknown takes one argument");
        };
        let [none, unknown] = stand_ins();
        let texts = array.as_string_view();
        if texts.null_count() == 0 && !texts.views().contains(&none) {
            return Ok(ColumnarValue::Array(Arc::clone(array)));
        }
        let named =
            texts.views().iter().enumerate().map(|(row, view)| {
                if *view == none || texts.is_null(row) { unknown } else { *view }
            });
        let buffers = texts.data_buffers().to_vec();
        Ok(ColumnarValue::Array(Arc::new(StringViewArray::try_new(
            named.collect(),
            buffers,
            None,
        )?)))
    }
}

/// `unnamed_type(type, type_value)`
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct UnnamedType {
    signature: Signature,
}

impl UnnamedType {
    /// The function.
    pub fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for UnnamedType {
    fn name(&self) -> &'static str {
        "unnamed_type"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        match given {
            [kind, number]
                if (kind.is_string() || kind.is_null())
                    && (number.is_numeric() || number.is_null()) =>
            {
                Ok(vec![DataType::Utf8View, DataType::UInt32])
            }
            _ => plan_err!("unnamed_type wants a text and a number"),
        }
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::UInt32)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [texts, numbers] = arrays.as_slice() else {
            return internal_err!("unnamed_type takes two arguments");
        };
        let (texts, numbers) = (texts.as_string_view(), numbers.as_primitive::<UInt32Type>());
        let unnamed = stand_ins();
        let rows = texts.views().iter().zip(numbers).enumerate();
        let shown = rows.map(|(row, (view, number))| {
            (unnamed.contains(view) || texts.is_null(row)).then(|| number.unwrap_or(u32::MAX))
        });
        Ok(ColumnarValue::Array(Arc::new(shown.collect::<UInt32Array>())))
    }
}

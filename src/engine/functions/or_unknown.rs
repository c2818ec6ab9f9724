//! `or_unknown(x)`: what reports call a type that has no name.

use std::sync::Arc;

use datafusion::arrow::array::{Array, AsArray, StringViewArray, make_view};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

/// The function.
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
        // Both are short enough to lie in the views themselves.
        let [none, unknown] = ["none", "unknown"].map(|text| make_view(text.as_bytes(), 0, 0));
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

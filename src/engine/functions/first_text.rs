//! `first_text(x, …)`: the first text that is there.
//!
//! `coalesce` becomes a CASE, which asks for each text twice: first whether it is there, then for the text. That is longer to
//! plan; but it makes the others only for rows that want them, which is worth more where many rows want few.

use datafusion::arrow::array::Array;
use datafusion::arrow::compute::is_not_null;
use datafusion::arrow::compute::kernels::zip::zip;
use datafusion::arrow::datatypes::DataType;
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct FirstText {
    signature: Signature,
}

impl FirstText {
    /// The function.
    pub fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for FirstText {
    fn name(&self) -> &'static str {
        "first_text"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        let is_text = |kind: &DataType| kind.is_string() || kind.is_null();
        if given.is_empty() || !given.iter().all(is_text) {
            return plan_err!("first_text wants texts");
        }
        Ok(vec![DataType::Utf8View; given.len()])
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(DataType::Utf8View)
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let mut texts = ColumnarValue::values_to_arrays(&arguments.args)?;
        let Some(mut found) = texts.pop() else {
            return internal_err!("first_text takes an argument");
        };
        for texts in texts.into_iter().rev() {
            found = match texts.null_count() {
                0 => texts,
                nulls if nulls == texts.len() => found,
                _ => zip(&is_not_null(&texts)?, &texts, &found)?,
            };
        }
        Ok(ColumnarValue::Array(found))
    }
}

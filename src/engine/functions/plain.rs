//! Functions that need no more than their arguments: a file says what one takes and gives, and how it answers.

use std::fmt;
use std::hash::{Hash, Hasher};

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// What is particular to one function.
pub struct Plain {
    pub name: &'static str,
    /// The types that it takes, where these are given.
    pub takes: fn(&[DataType]) -> Result<Vec<DataType>>,
    /// What it gives, where it takes these.
    pub gives: fn(&[DataType]) -> DataType,
    pub answer: fn(&[ArrayRef]) -> Result<ArrayRef>,
}

impl Plain {
    /// The function.
    pub fn function(&'static self) -> ScalarUDF {
        let signature = Signature::user_defined(Volatility::Immutable);
        ScalarUDF::new_from_impl(Function { plain: self, signature })
    }
}

struct Function {
    plain: &'static Plain,
    signature: Signature,
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &'static str {
        self.plain.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        (self.plain.takes)(given)
    }

    fn return_type(&self, taken: &[DataType]) -> Result<DataType> {
        Ok((self.plain.gives)(taken))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        Ok(ColumnarValue::Array((self.plain.answer)(&arrays)?))
    }
}

impl fmt::Debug for Function {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Function").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

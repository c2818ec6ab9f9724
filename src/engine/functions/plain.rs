//! Declares scalar functions as data: the call, the argument and result types, and the computation.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::ArrayRef;
use datafusion::arrow::datatypes::DataType;
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use crate::functions::passes::Folds;

/// The declaration of one function.
pub struct Plain {
    /// The call, with the names of the arguments.
    pub call: &'static str,
    /// The documentation.
    pub doc: &'static str,
    /// Returns the types to which arguments of the given types are cast.
    pub takes: fn(&[DataType]) -> Result<Vec<DataType>>,
    /// Returns the type of the result.
    pub gives: fn(&[DataType]) -> DataType,
    pub compute: Compute,
}

/// How a function computes its result.
pub enum Compute {
    /// From the arguments alone.
    Pure(fn(&[ArrayRef]) -> Result<ArrayRef>),
    /// From the arguments and the open bundles.
    OfBundles(fn(&Folds, &[ArrayRef]) -> Result<ArrayRef>),
}

impl Plain {
    /// Returns the name.
    pub fn name(&self) -> &'static str {
        self.call.split('(').next().unwrap_or_default()
    }

    /// Creates the function over the open bundles.
    pub fn function(&'static self, folds: &Arc<Folds>) -> ScalarUDF {
        let volatility = match self.compute {
            Compute::Pure(_) => Volatility::Immutable,
            // `Stable` instead of `Immutable` prevents constant folding, which would read bundles while planning.
            Compute::OfBundles(_) => Volatility::Stable,
        };
        let signature = Signature::user_defined(volatility);
        ScalarUDF::new_from_impl(PlainFunction { plain: self, folds: Arc::clone(folds), signature })
    }
}

struct PlainFunction {
    plain: &'static Plain,
    folds: Arc<Folds>,
    signature: Signature,
}

impl ScalarUDFImpl for PlainFunction {
    fn name(&self) -> &'static str {
        self.plain.name()
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
        let computed = match self.plain.compute {
            Compute::Pure(compute) => compute(&arrays),
            Compute::OfBundles(compute) => compute(&self.folds, &arrays),
        };
        Ok(ColumnarValue::Array(computed?))
    }
}

impl fmt::Debug for PlainFunction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Function").field("name", &self.name()).finish_non_exhaustive()
    }
}

impl PartialEq for PlainFunction {
    fn eq(&self, other: &Self) -> bool {
        self.name() == other.name()
    }
}

impl Eq for PlainFunction {}

impl Hash for PlainFunction {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name().hash(state);
    }
}

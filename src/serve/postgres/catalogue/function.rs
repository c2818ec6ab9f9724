//! One function of PostgreSQL, with any arguments: PostgreSQL has several forms of most.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, BooleanArray, Int64Array, StringArray};
use datafusion::arrow::datatypes::DataType;
use datafusion::common::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, TypeSignature,
    Volatility,
};

/// Computes the values of a function from those of its arguments, which are as many as rows.
type Compute = Arc<dyn Fn(&[ArrayRef], usize) -> Result<ArrayRef> + Send + Sync>;

struct Function {
    name: &'static str,
    signature: Signature,
    returns: DataType,
    compute: Compute,
}

impl fmt::Debug for Function {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name)
    }
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Function {}

impl Hash for Function {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for Function {
    fn name(&self) -> &str {
        self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.returns.clone())
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let rows = args.number_rows;
        let arrays = args.args.into_iter().map(|value| value.into_array(rows));
        let arrays = arrays.collect::<Result<Vec<_>>>()?;
        Ok(ColumnarValue::Array((self.compute)(&arrays, rows)?))
    }
}

/// Returns a function whose values are computed from the arrays of its arguments and the number of rows.
pub fn function(
    name: &'static str,
    returns: DataType,
    compute: impl Fn(&[ArrayRef], usize) -> Result<ArrayRef> + Send + Sync + 'static,
) -> ScalarUDF {
    with(name, returns, Volatility::Stable, Arc::new(compute))
}

fn with(
    name: &'static str,
    returns: DataType,
    volatility: Volatility,
    compute: Compute,
) -> ScalarUDF {
    let any = vec![TypeSignature::Nullary, TypeSignature::VariadicAny];
    let signature = Signature::one_of(any, volatility);
    ScalarUDF::new_from_impl(Function { name, signature, returns, compute })
}

/// Returns a function whose values are texts, and which is computed whenever a statement runs.
pub fn volatile(
    name: &'static str,
    compute: impl Fn(&[ArrayRef], usize) -> Result<ArrayRef> + Send + Sync + 'static,
) -> ScalarUDF {
    with(name, DataType::Utf8, Volatility::Volatile, Arc::new(compute))
}

/// Returns a function whose values are texts.
pub fn text(
    name: &'static str,
    compute: impl Fn(&[ArrayRef], usize) -> Result<ArrayRef> + Send + Sync + 'static,
) -> ScalarUDF {
    function(name, DataType::Utf8, compute)
}

/// Returns a function of what does not exist here.
pub fn nothing(name: &'static str) -> ScalarUDF {
    text(name, |_, rows| Ok(Arc::new(StringArray::new_null(rows))))
}

/// Returns a function of a number that is not known here.
pub(crate) fn no_number(name: &'static str) -> ScalarUDF {
    function(name, DataType::Int64, |_, rows| Ok(Arc::new(Int64Array::new_null(rows))))
}

/// Returns a function that is always true.
pub fn always(name: &'static str) -> ScalarUDF {
    function(name, DataType::Boolean, |_, rows| Ok(Arc::new(BooleanArray::from(vec![true; rows]))))
}

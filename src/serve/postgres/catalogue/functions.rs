//! Functions of PostgreSQL that psql and drivers call, and `datafusion-pg-catalog` does not have.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{ArrayRef, AsArray, BooleanArray, Int64Array, StringArray};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Int32Type};
use datafusion::common::{Result, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

use super::docs::Docs;

/// Computes the values of a function from those of its arguments, which are as many as rows.
type Compute = Arc<dyn Fn(&[ArrayRef], usize) -> Result<ArrayRef> + Send + Sync>;

/// A function with any arguments: PostgreSQL has several forms of most.
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

/// Returns the functions.
pub fn functions(docs: &Arc<Docs>) -> Vec<ScalarUDF> {
    let of = |name, returns, compute: Compute| {
        let signature = Signature::variadic_any(Volatility::Stable);
        ScalarUDF::new_from_impl(Function { name, signature, returns, compute })
    };
    let text = |name, compute| of(name, DataType::Utf8, compute);
    let nothing = |name| {
        text(name, Arc::new(|_: &[ArrayRef], rows| Ok(Arc::new(StringArray::new_null(rows)) as _)))
    };
    let visible = |name| {
        let all = |_: &[ArrayRef], rows| Ok(Arc::new(BooleanArray::from(vec![true; rows])) as _);
        of(name, DataType::Boolean, Arc::new(all))
    };
    let (columns, objects, views) = (Arc::clone(docs), Arc::clone(docs), Arc::clone(docs));
    let of_columns = move |of: &[ArrayRef], _| {
        let [relations, numbers, ..] = of else { return plan_err!("two arguments are needed") };
        let (relations, numbers) = (ints(relations)?, ints(numbers)?);
        let pairs = relations.iter().zip(&numbers);
        let found = pairs.map(|(relation, number)| columns.text((*relation)?, (*number)?));
        Ok(Arc::new(found.collect::<StringArray>()) as _)
    };
    let of_objects = move |of: &[ArrayRef], _| {
        let found = ints(first(of)?)?;
        let found = found.into_iter().map(|relation| objects.text(relation?, 0));
        Ok(Arc::new(found.collect::<StringArray>()) as _)
    };
    let of_views = move |of: &[ArrayRef], _| {
        let found = ints(first(of)?)?;
        let found = found.into_iter().map(|relation| views.query(relation?));
        Ok(Arc::new(found.collect::<StringArray>()) as _)
    };
    let pretty = |of: &[ArrayRef], _| cast(first(of)?, &DataType::Utf8).map_err(Into::into);
    let size = |_: &[ArrayRef], rows| Ok(Arc::new(Int64Array::new_null(rows)) as _);
    vec![
        text("col_description", Arc::new(of_columns)),
        text("obj_description", Arc::new(of_objects)),
        text("pg_get_viewdef", Arc::new(of_views)),
        text("pg_size_pretty", Arc::new(pretty)),
        of("pg_table_size", DataType::Int64, Arc::new(size)),
        nothing("pg_get_function_arguments"),
        nothing("pg_get_function_result"),
        nothing("pg_get_ruledef"),
        nothing("shobj_description"),
        visible("pg_function_is_visible"),
        visible("pg_type_is_visible"),
    ]
}

fn first(arguments: &[ArrayRef]) -> Result<&ArrayRef> {
    arguments.first().map_or_else(|| plan_err!("an argument is needed"), Ok)
}

fn ints(array: &ArrayRef) -> Result<Vec<Option<i32>>> {
    let array = cast(array, &DataType::Int32)?;
    Ok(array.as_primitive::<Int32Type>().iter().collect())
}

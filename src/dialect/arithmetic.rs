//! Arithmetic of users' queries: `/` gives a DOUBLE, `//` an integer, and integers do not wrap around.
//!
//! `syntax` marks the operators of users' statements, so that the SQL files of this project keep DataFusion's.

use std::sync::Arc;

use datafusion::arrow::array::AsArray;
use datafusion::arrow::compute::kernels::numeric::{add, div, mul, sub};
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float32Type, Float64Type};
use datafusion::arrow::error::ArrowError;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{
    DFSchema, DataFusionError, ScalarValue, exec_datafusion_err, internal_err, plan_err,
};
use datafusion::error::Result;
use datafusion::logical_expr::expr::NullTreatment;
use datafusion::logical_expr::planner::{ExprPlanner, PlannerResult, RawBinaryExpr, RawWindowExpr};
use datafusion::logical_expr::type_coercion::binary::BinaryTypeCoercer;
use datafusion::logical_expr::{
    BinaryExpr, ColumnarValue, Expr, ExprSchemable, Operator, ReturnFieldArgs, ScalarFunctionArgs,
    ScalarUDF, ScalarUDFImpl, Signature, Volatility, WindowFunctionDefinition, cast,
};
use datafusion::physical_expr_common::datum::apply;
use datafusion::sql::sqlparser::ast::BinaryOperator;

/// Returns the marked form of an operator; `None` if its meaning is DataFusion's.
pub fn marked(operator: &BinaryOperator) -> Option<BinaryOperator> {
    let is_arithmetic = matches!(
        operator,
        BinaryOperator::Plus
            | BinaryOperator::Minus
            | BinaryOperator::Multiply
            | BinaryOperator::Divide
    );
    is_arithmetic.then(|| BinaryOperator::Custom(operator.to_string()))
}

/// Plans the marked operators.
#[derive(Debug)]
pub struct Arithmetic;

impl ExprPlanner for Arithmetic {
    fn plan_binary_op(
        &self,
        given: RawBinaryExpr,
        schema: &DFSchema,
    ) -> Result<PlannerResult<RawBinaryExpr>> {
        let operator = match &given.op {
            BinaryOperator::DuckIntegerDivide => Operator::IntegerDivide,
            BinaryOperator::Custom(mark) => match mark.as_str() {
                "/" => Operator::Divide,
                "+" => Operator::Plus,
                "-" => Operator::Minus,
                "*" => Operator::Multiply,
                _ => return Ok(PlannerResult::Original(given)),
            },
            _ => return Ok(PlannerResult::Original(given)),
        };
        let (mut left, mut right) = (given.left, given.right);
        let (kind, other) = (kind(&left, schema)?, kind(&right, schema)?);
        let integers = is_integer(&kind) && is_integer(&other);
        if integers && operator == Operator::Divide {
            left = cast(left, DataType::Float64);
            right = cast(right, DataType::Float64);
        } else if integers {
            // UInt64 and signed integers together become decimals, which do not wrap around.
            let common = common(&kind, operator, &other)?.0;
            if common.is_integer() {
                let checked = Arc::new(ScalarUDF::new_from_impl(Checked::new(operator, common)));
                return Ok(PlannerResult::Planned(checked.call(vec![left, right])));
            }
        }
        let is_number = |kind: &DataType| is_integer(kind) || kind.is_floating();
        if operator == Operator::Divide
            && (integers || kind.is_floating() || other.is_floating())
            && is_number(&kind)
            && is_number(&other)
        {
            let common =
                if integers { DataType::Float64 } else { common(&kind, operator, &other)?.0 };
            let checked = Arc::new(ScalarUDF::new_from_impl(Checked::new(operator, common)));
            return Ok(PlannerResult::Planned(checked.call(vec![left, right])));
        }
        if operator == Operator::IntegerDivide {
            return plan_err!("// divides integers, not {kind} by {other}; write trunc(a / b)");
        }
        let binary = BinaryExpr::new(Box::new(left), operator, Box::new(right));
        Ok(PlannerResult::Planned(Expr::BinaryExpr(binary)))
    }

    fn plan_window(&self, given: RawWindowExpr) -> Result<PlannerResult<RawWindowExpr>> {
        let name = given.func_def.name();
        let takes_nulls = ["first_value", "last_value", "nth_value", "lag", "lead"].contains(&name);
        if given.null_treatment == Some(NullTreatment::IgnoreNulls) && !takes_nulls {
            return plan_err!(
                "{name} does not take IGNORE NULLS; write FILTER (WHERE … IS NOT NULL)"
            );
        }
        if given.distinct && matches!(given.func_def, WindowFunctionDefinition::WindowUDF(_)) {
            return plan_err!("{name} does not take DISTINCT");
        }
        Ok(PlannerResult::Original(given))
    }
}

/// Returns the functions that the marked operators become: of plans from other processes, they are known by their names.
pub(crate) fn functions() -> Vec<ScalarUDF> {
    use Operator::{Divide, IntegerDivide, Minus, Multiply, Plus};
    // The type is of use when an expression is planned only.
    let function = |operator| ScalarUDF::new_from_impl(Checked::new(operator, DataType::Null));
    [Plus, Minus, Multiply, Divide, IntegerDivide].map(function).into()
}

/// Returns the type of an expression. A column of `JOIN … USING` is in both tables; DataFusion qualifies it later.
fn kind(expression: &Expr, schema: &DFSchema) -> Result<DataType> {
    // The type of a call is derived from its arguments, which takes too long in a long chain of operators.
    if let Some((checked, _)) = Checked::of(expression) {
        return Ok(checked.kind.clone());
    }
    expression.get_type(schema).or_else(|error| {
        let qualified = expression.clone().transform(|part| {
            Ok(match &part {
                Expr::Column(column) if column.relation.is_none() => {
                    let mut found = schema.columns_with_unqualified_name(&column.name).into_iter();
                    found
                        .next()
                        .map_or(Transformed::no(part), |first| Transformed::yes(first.into()))
                }
                _ => Transformed::no(part),
            })
        })?;
        qualified.data.get_type(schema).map_err(|_| error)
    })
}

/// Returns the types to which the sides of an operator are cast.
fn common(left: &DataType, operator: Operator, right: &DataType) -> Result<(DataType, DataType)> {
    let is_division = operator == Operator::IntegerDivide;
    let operator = if is_division { Operator::Divide } else { operator };
    let types = BinaryTypeCoercer::new(left, &operator, right).get_input_types()?;
    // The cast of a negative number to UInt64 fails.
    let is_mixed = is_division && types.0.is_decimal();
    Ok(if is_mixed { (DataType::UInt64, DataType::UInt64) } else { types })
}

fn is_integer(kind: &DataType) -> bool {
    match kind {
        DataType::Dictionary(_, values) => values.is_integer(),
        kind => kind.is_integer() || kind.is_null(),
    }
}

/// `+`, `-`, `*` or `//` of integers that fails on overflow, where DataFusion's operators wrap around; or `/` of floats.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Checked {
    operator: Operator,
    kind: DataType,
    signature: Signature,
}

impl Checked {
    fn new(operator: Operator, kind: DataType) -> Self {
        Self { operator, kind, signature: Signature::user_defined(Volatility::Immutable) }
    }

    /// Returns the function and the sides of a call.
    fn of(expression: &Expr) -> Option<(&Self, &[Expr])> {
        let Expr::ScalarFunction(call) = expression else { return None };
        Some((call.func.inner().downcast_ref()?, &call.args))
    }

    /// `//` must differ from `/`, whose name is that of its sides before the cast.
    fn symbol(&self) -> &'static str {
        match self.operator {
            Operator::Plus => "+",
            Operator::Minus => "-",
            Operator::Multiply => "*",
            Operator::Divide => "/",
            _ => "//",
        }
    }
}

/// Processors give 0 / 0 a sign, by which it would sort below all numbers and differ from other NaNs.
fn with_one_nan(quotient: ColumnarValue) -> ColumnarValue {
    let doubles = |value: f64| if value.is_nan() { f64::NAN } else { value };
    let floats = |value: f32| if value.is_nan() { f32::NAN } else { value };
    match quotient {
        ColumnarValue::Array(values) => ColumnarValue::Array(match values.data_type() {
            DataType::Float64 => {
                Arc::new(values.as_primitive::<Float64Type>().unary::<_, Float64Type>(doubles))
            }
            DataType::Float32 => {
                Arc::new(values.as_primitive::<Float32Type>().unary::<_, Float32Type>(floats))
            }
            _ => values,
        }),
        ColumnarValue::Scalar(ScalarValue::Float64(Some(value))) if value.is_nan() => {
            ColumnarValue::Scalar(ScalarValue::Float64(Some(f64::NAN)))
        }
        ColumnarValue::Scalar(ScalarValue::Float32(Some(value))) if value.is_nan() => {
            ColumnarValue::Scalar(ScalarValue::Float32(Some(f32::NAN)))
        }
        other @ ColumnarValue::Scalar(_) => other,
    }
}

impl ScalarUDFImpl for Checked {
    fn name(&self) -> &str {
        match self.operator {
            Operator::Plus => "checked_add",
            Operator::Minus => "checked_subtract",
            Operator::Multiply => "checked_multiply",
            Operator::Divide => "divide",
            _ => "integer_divide",
        }
    }

    /// The name that the operator's result has in DataFusion. Walks a chain such as `a + b + c` from its end, because
    /// DataFusion names each part very often.
    fn schema_name(&self, sides: &[Expr]) -> Result<String> {
        let (mut checked, mut sides, mut parts) = (self, sides, Vec::new());
        let first = loop {
            let [left, right] = sides else { return internal_err!("two sides") };
            parts.push((checked.symbol(), right));
            match Self::of(left) {
                Some(inner) => (checked, sides) = inner,
                None => break left,
            }
        };
        let mut name = first.schema_name().to_string();
        for (symbol, side) in parts.iter().rev() {
            name.push_str(&format!(" {symbol} {}", side.schema_name()));
        }
        Ok(name)
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        let [left, right] = given else { return internal_err!("two sides") };
        let (left, right) = common(left, self.operator, right)?;
        Ok(vec![left, right])
    }

    fn return_type(&self, given: &[DataType]) -> Result<DataType> {
        let [kind, _] = given else { return internal_err!("two sides") };
        Ok(kind.clone())
    }

    fn return_field_from_args(&self, given: ReturnFieldArgs) -> Result<FieldRef> {
        let [left, right] = given.arg_fields else { return internal_err!("two sides") };
        let is_nullable = left.is_nullable() || right.is_nullable();
        Ok(Arc::new(Field::new(self.name(), left.data_type().clone(), is_nullable)))
    }

    fn invoke_with_args(&self, given: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [left, right] = given.args.as_slice() else { return internal_err!("two sides") };
        let result = match self.operator {
            Operator::Plus => apply(left, right, add),
            Operator::Minus => apply(left, right, sub),
            Operator::Multiply => apply(left, right, mul),
            Operator::Divide => apply(left, right, div).map(with_one_nan),
            _ => apply(left, right, div),
        };
        result.map_err(|error| match &error {
            DataFusionError::ArrowError(cause, _) => match cause.as_ref() {
                ArrowError::ArithmeticOverflow(text) => {
                    let operation = text.rsplit("on: ").next().unwrap_or(text);
                    let kind = left.data_type();
                    exec_datafusion_err!(
                        "{operation} overflows {kind}; cast to DECIMAL(38, 0) or DOUBLE first"
                    )
                }
                ArrowError::DivideByZero => {
                    exec_datafusion_err!("// divides by zero; write a // nullif(b, 0)")
                }
                _ => error,
            },
            _ => error,
        })
    }
}

//! Parameters that have types while a statement is planned.
//!
//! What an operator means depends on the types of its sides: `x / $1` of integers is a DOUBLE. DataFusion gives types only to the
//! parameters of PREPARE, and only those that SQL has. So a parameter is planned as a call of a function that returns its
//! type, and each call becomes a placeholder of this type in the plan.

use std::ops::ControlFlow;
use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::common::tree_node::{Transformed, TreeNode, TreeNodeRecursion};
use datafusion::common::{Result, internal_err};
use datafusion::logical_expr::expr::Placeholder;
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::type_coercion::binary::comparison_coercion;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    ColumnarValue, Expr, ExprSchemable, LogicalPlan, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature, Volatility, cast,
};
use datafusion::sql::parser::Statement as Parsed;
use datafusion::sql::sqlparser::ast::{Expr as Ast, Value};
use dialect::built::expression as written;
use dialect::walk::expressions_mut;

/// Types that a statement does not tell.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Types {
    /// Those of its parameters `$1`, `$2`, …, as far as they are known.
    pub parameters: Vec<Option<DataType>>,
    /// The zone of `TIMESTAMP WITH TIME ZONE`, which is without one otherwise.
    pub time_zone: Option<String>,
}

/// The beginning of the names of the functions.
const NAME: &str = "typed_parameter_";

/// A parameter.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Parameter {
    name: String,
    data_type: DataType,
    signature: Signature,
}

impl ScalarUDFImpl for Parameter {
    fn name(&self) -> &str {
        &self.name
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(self.data_type.clone())
    }

    fn invoke_with_args(&self, _: ScalarFunctionArgs) -> Result<ColumnarValue> {
        internal_err!("{} has no value", self.name)
    }
}

/// Returns the functions of the parameters that have types.
pub fn functions(types: &[Option<DataType>]) -> impl Iterator<Item = ScalarUDF> + '_ {
    let known = (1..).zip(types).filter_map(|(nth, data_type)| Some((nth, data_type.clone()?)));
    known.map(|(nth, data_type): (usize, DataType)| {
        let name = format!("{NAME}{nth}");
        // As little is known of its value as of that of a volatile function.
        let signature = Signature::exact(Vec::new(), Volatility::Volatile);
        ScalarUDF::new_from_impl(Parameter { name, data_type, signature })
    })
}

/// Writes the parameters of a statement that have types as calls of their functions.
pub fn mark(parsed: &mut Parsed, types: &[Option<DataType>]) {
    let statement = match parsed {
        Parsed::Statement(statement) => statement,
        Parsed::Explain(explain) => return mark(&mut explain.statement, types),
        _ => return,
    };
    let _ = expressions_mut(statement.as_mut(), |expression| {
        if let Ast::Value(value) = expression
            && let Value::Placeholder(name) = &value.value
            && let Some(nth) = name.strip_prefix('$').and_then(|nth| nth.parse::<usize>().ok())
            && types.get(nth.wrapping_sub(1)).is_some_and(Option::is_some)
            && let Ok(call) = written(&format!("{NAME}{nth}()"))
        {
            *expression = call;
        }
        ControlFlow::<()>::Continue(())
    });
}

/// The function that `x = ANY(list)` calls.
pub(crate) const SEARCH: &str = "array_has";

/// Whether a plan seeks values in lists.
fn has_search(plan: &LogicalPlan) -> Result<bool> {
    let is_search =
        |it: &Expr| matches!(it, Expr::ScalarFunction(call) if call.func.name() == SEARCH);
    let mut found = false;
    plan.apply_with_subqueries(|node| {
        node.apply_expressions(|expression| {
            found |= expression.exists(|part| Ok(is_search(part)))?;
            Ok(if found { TreeNodeRecursion::Stop } else { TreeNodeRecursion::Continue })
        })
    })?;
    Ok(found)
}

/// Returns a plan in which values and the lists in which they are sought have one type: DataFusion 55 finds none for decimals of
/// other digits, and for other numbers.
pub fn comparable(plan: LogicalPlan) -> Result<LogicalPlan> {
    if !has_search(&plan)? {
        return Ok(plan);
    }
    let compared = plan.transform_up_with_subqueries(|node| {
        let schema = merge_schema(&node.inputs());
        let names = NamePreserver::new(&node);
        node.map_expressions(|expression| {
            let name = names.save(&expression);
            let compared = expression.transform_up(|part| {
                let Expr::ScalarFunction(found) = &part else { return Ok(Transformed::no(part)) };
                let (SEARCH, [list, value]) = (found.func.name(), found.args.as_slice()) else {
                    return Ok(Transformed::no(part));
                };
                let (DataType::List(element), kind) =
                    (list.get_type(&schema)?, value.get_type(&schema)?)
                else {
                    return Ok(Transformed::no(part));
                };
                match comparison_coercion(element.data_type(), &kind) {
                    Some(common) if common != kind || common != *element.data_type() => {
                        let list = cast(list.clone(), DataType::new_list(common.clone(), true));
                        let call = found.func.call(vec![list, cast(value.clone(), common)]);
                        Ok(Transformed::yes(call))
                    }
                    _ => Ok(Transformed::no(part)),
                }
            })?;
            Ok(compared.update_data(|expression| name.restore(expression)))
        })
    })?;
    Ok(compared.data)
}

/// Returns a plan with placeholders of these types in place of the calls.
pub fn unmarked(plan: LogicalPlan) -> Result<LogicalPlan> {
    let replaced = plan.transform_up_with_subqueries(|node| {
        let names = NamePreserver::new(&node);
        node.map_expressions(|expression| {
            let name = names.save(&expression);
            let replaced = expression.transform_up(|part| {
                if let Expr::ScalarFunction(call) = &part
                    && let Some(nth) = call.func.name().strip_prefix(NAME)
                {
                    let id = format!("${nth}");
                    let field = Field::new(&id, call.func.return_type(&[])?, true);
                    let placeholder = Placeholder::new_with_field(id, Some(Arc::new(field)));
                    return Ok(Transformed::yes(Expr::Placeholder(placeholder)));
                }
                Ok(Transformed::no(part))
            })?;
            Ok(replaced.update_data(|expression| name.restore(expression)))
        })?
        .transform_data(|node| Ok(Transformed::no(node.recompute_schema()?)))
    })?;
    Ok(replaced.data)
}

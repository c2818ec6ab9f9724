//! Parses the arguments of table functions over passes.

use datafusion::common::{ScalarValue, plan_err};
use datafusion::error::Result;
use passes::fold::{Argument, Output, Parameter};

/// Parses the arguments of a call. `None` stands for an expression that is not a literal.
pub fn arguments(
    given: impl ExactSizeIterator<Item = Option<ScalarValue>>,
    parameters: &[Parameter],
    output: &Output,
) -> Result<Vec<Argument>> {
    let call = output.call(parameters);
    if given.len() != parameters.len() {
        return plan_err!("the signature is {call}");
    }
    let each = given.zip(parameters).map(|(value, parameter)| {
        let Some(value) = value else {
            return plan_err!("the arguments of {call} must be literals");
        };
        argument(&value, *parameter, &call)
    });
    each.collect()
}

fn argument(value: &ScalarValue, parameter: Parameter, call: &str) -> Result<Argument> {
    match (parameter, value) {
        (Parameter::Id, ScalarValue::UInt64(number)) => Ok(Argument::Number(*number)),
        (Parameter::Id, ScalarValue::Int64(Some(number))) if *number >= 0 => {
            Ok(Argument::Number(Some(number.cast_unsigned())))
        }
        (Parameter::Time, ScalarValue::Int64(Some(time))) => Ok(Argument::Signed(*time)),
        (Parameter::Id, value) if value.is_null() => Ok(Argument::Number(None)),
        (Parameter::By | Parameter::Filter, value) => {
            if let Some(Some(text)) = value.try_as_str() {
                Ok(Argument::Text(text.to_owned()))
            } else {
                plan_err!("{} of {call} must be text", parameter.name())
            }
        }
        (Parameter::Warmup, ScalarValue::Int64(Some(number))) => Ok(Argument::Signed(*number)),
        (Parameter::Warmup, _) => {
            plan_err!(
                "warmup of {call} must be an integer: -1 for what is found, or a number of invocations"
            )
        }
        (Parameter::Id, _) => {
            plan_err!("id of {call} must be a non-negative integer or NULL")
        }
        (Parameter::Time, _) => plan_err!("time_ns of {call} must be an integer"),
    }
}

//! `quantiles(value, q…)`: computes several exact quantiles of a column in one pass, with the linear interpolation of
//! SQL's `percentile_cont`. Returns a list in the order of the `q`s, of NULLs if there are no values.
//!
//! DataFusion's `percentile_cont` rounds the interpolation weight to six digits and keeps a copy of the values for
//! each quantile.

use std::cmp::Ordering;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float64Array, ListArray};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float64Type};
use datafusion::common::{ScalarValue, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};
use datafusion::physical_expr::expressions::Literal;

/// The call and the documentation.
pub(crate) const DOC: (&str, &str) = (
    "quantiles(value, q, …)",
    "Aggregate function: the exact, interpolated quantiles of a column, as a list in the order of the `q`s.",
);

/// The aggregate function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Quantiles {
    signature: Signature,
}

impl Quantiles {
    /// Creates the function.
    pub fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

fn list() -> DataType {
    DataType::List(Arc::new(Field::new_list_field(DataType::Float64, true)))
}

impl AggregateUDFImpl for Quantiles {
    fn name(&self) -> &'static str {
        "quantiles"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arguments: &[DataType]) -> Result<Vec<DataType>> {
        if arguments.len() < 2 {
            return plan_err!(
                "quantiles requires at least one quantile after the value, such as 0.5"
            );
        }
        match arguments.iter().find(|kind| !kind.is_numeric() && !kind.is_null()) {
            Some(other) => plan_err!("quantiles requires numbers, but got {other}"),
            None => Ok(vec![DataType::Float64; arguments.len()]),
        }
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(list())
    }

    fn state_fields(&self, arguments: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        Ok(vec![Arc::new(Field::new(format!("{}[values]", arguments.name), list(), true))])
    }

    fn accumulator(&self, arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let mut wanted = Vec::new();
        for expression in arguments.exprs.iter().skip(1) {
            let literal = expression.downcast_ref::<Literal>().map(Literal::value);
            match literal {
                Some(ScalarValue::Float64(Some(q))) if (0.0..=1.0).contains(q) => wanted.push(*q),
                _ => {
                    return plan_err!(
                        "quantiles requires constants between 0 and 1 after the value, but got {expression}"
                    );
                }
            }
        }
        Ok(Box::new(Values { wanted, values: Vec::new() }))
    }
}

#[derive(Debug)]
struct Values {
    wanted: Vec<f64>,
    values: Vec<f64>,
}

impl Values {
    fn extend(&mut self, array: &Float64Array) {
        if array.null_count() == 0 {
            self.values.extend_from_slice(array.values());
        } else {
            self.values.extend(array.iter().flatten());
        }
    }
}

impl Accumulator for Values {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        if let Some(array) = values.first() {
            self.extend(array.as_primitive::<Float64Type>());
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        let answers: Vec<ScalarValue> = self
            .wanted
            .iter()
            .map(|q| ScalarValue::Float64(quantile(&mut self.values, *q)))
            .collect();
        Ok(ScalarValue::List(ScalarValue::new_list_nullable(&answers, &DataType::Float64)))
    }

    fn size(&self) -> usize {
        size_of::<Self>() + (self.wanted.capacity() + self.values.capacity()) * size_of::<f64>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let values: ArrayRef = Arc::new(Float64Array::from(std::mem::take(&mut self.values)));
        let field = Arc::new(Field::new_list_field(DataType::Float64, true));
        let offsets = OffsetBuffer::from_lengths([values.len()]);
        Ok(vec![ScalarValue::List(Arc::new(ListArray::new(field, offsets, values, None)))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for state in states.iter().flat_map(|states| states.as_list::<i32>().iter().flatten()) {
            self.extend(state.as_primitive::<Float64Type>());
        }
        Ok(())
    }
}

/// Interpolates between the two values around position `q * (n - 1)` of the sorted values. Reorders `values`.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index of the values, of which there are fewer than 2^52"
)]
fn quantile(values: &mut [f64], q: f64) -> Option<f64> {
    let last = values.len().checked_sub(1)?;
    let position = q * last as f64;
    let below = (position.floor() as usize).min(last);
    // Quickselect finds the lower value in linear time; the upper one is the minimum of the values after it.
    let (_, low, above) = values.select_nth_unstable_by(below, f64::total_cmp);
    let low = *low;
    let weight = position - below as f64;
    let high = above
        .iter()
        .copied()
        .min_by(|one, other| one.partial_cmp(other).unwrap_or(Ordering::Equal));
    Some(match high {
        Some(high) if weight > 0.0 => low + (high - low) * weight,
        _ => low,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate_between_neighbours() {
        let mut values = [40.0, 10.0, 30.0, 20.0];
        for (q, answer) in [(0.0, 10.0), (0.5, 25.0), (0.9, 37.0), (1.0, 40.0)] {
            assert_eq!(quantile(&mut values, q), Some(answer));
        }
        assert_eq!(quantile(&mut [7.0], 0.99), Some(7.0));
        assert_eq!(quantile(&mut [], 0.5), None);
    }
}

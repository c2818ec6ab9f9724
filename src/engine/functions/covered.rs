//! `covered(start, end)`: an aggregate function that returns the length of the union of spans, in which overlaps count once.
//! Spans that are NULL or end before they start do not count; without any, the result is NULL.

use std::mem;
use std::sync::Arc;

use datafusion::arrow::array::{Array, ArrayRef, AsArray, ListArray, UInt64Array};
use datafusion::arrow::buffer::OffsetBuffer;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Int64Type, UInt64Type};
use datafusion::common::{ScalarValue, exec_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{Accumulator, AggregateUDFImpl, Signature, Volatility};

/// The call and the documentation.
pub(crate) const DOC: (&str, &str) = (
    "covered(start, end)",
    "Aggregate function: the length of the union of spans, such as the time in which any dispatch ran; overlaps count once.",
);

/// The aggregate function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Covered {
    signature: Signature,
}

impl Covered {
    /// Creates the function.
    pub fn new() -> Self {
        Self { signature: Signature::user_defined(Volatility::Immutable) }
    }
}

impl AggregateUDFImpl for Covered {
    fn name(&self) -> &'static str {
        "covered"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arguments: &[DataType]) -> Result<Vec<DataType>> {
        let [start, end] = arguments else {
            return plan_err!(
                "covered requires a start and an end, but got {} arguments",
                arguments.len()
            );
        };
        if let Some(other) = [start, end].into_iter().find(|it| !it.is_integer() && !it.is_null()) {
            return plan_err!("covered requires whole numbers, but got {other}");
        }
        let are_unsigned = start == &DataType::UInt64 && end == &DataType::UInt64;
        Ok(vec![if are_unsigned { DataType::UInt64 } else { DataType::Int64 }; 2])
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        Ok(arguments.first().cloned().unwrap_or(DataType::Int64))
    }

    fn state_fields(&self, arguments: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        let item = Field::new_list_field(DataType::UInt64, true);
        let list = DataType::List(Arc::new(item));
        Ok(vec![Arc::new(Field::new(format!("{}[spans]", arguments.name), list, true))])
    }

    fn accumulator(&self, arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        let is_signed = arguments.return_field.data_type() == &DataType::Int64;
        Ok(Box::new(Spans { is_signed, kept: Vec::new() }))
    }
}

/// The spans of a group. Signed numbers are moved up by 2^63, which keeps their order and differences.
#[derive(Debug)]
struct Spans {
    is_signed: bool,
    /// Disjoint unless spans came out of order.
    kept: Vec<[u64; 2]>,
}

impl Spans {
    fn add(&mut self, [start, end]: [u64; 2]) {
        match self.kept.last_mut() {
            _ if end < start => {}
            Some([from, until]) if *from <= start && start <= *until => *until = end.max(*until),
            _ => self.kept.push([start, end]),
        }
    }
}

impl Accumulator for Spans {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let [starts, ends] = values else { return Ok(()) };
        if self.is_signed {
            let (starts, ends) =
                (starts.as_primitive::<Int64Type>(), ends.as_primitive::<Int64Type>());
            let moved = |number: i64| number.cast_unsigned() ^ (1 << 63);
            for (start, end) in starts.iter().zip(ends) {
                if let Some((start, end)) = start.zip(end) {
                    self.add([moved(start), moved(end)]);
                }
            }
        } else {
            let (starts, ends) =
                (starts.as_primitive::<UInt64Type>(), ends.as_primitive::<UInt64Type>());
            for (start, end) in starts.iter().zip(ends) {
                if let Some((start, end)) = start.zip(end) {
                    self.add([start, end]);
                }
            }
        }
        Ok(())
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        self.kept.sort_unstable();
        let (mut sum, mut until) = (0_u64, 0);
        for [start, end] in &self.kept {
            // The union of spans of 64-bit numbers is not longer than their range.
            sum = sum.saturating_add(end.saturating_sub(until.max(*start)));
            until = until.max(*end);
        }
        let sum = (!self.kept.is_empty()).then_some(sum);
        if !self.is_signed {
            return Ok(ScalarValue::UInt64(sum));
        }
        let Ok(sum) = sum.map(i64::try_from).transpose() else {
            return exec_err!("the length of the spans overflows 64 bits");
        };
        Ok(ScalarValue::Int64(sum))
    }

    fn size(&self) -> usize {
        size_of::<Self>() + self.kept.capacity() * size_of::<[u64; 2]>()
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let numbers = mem::take(&mut self.kept).into_iter().flatten();
        let values: ArrayRef = Arc::new(UInt64Array::from_iter_values(numbers));
        let field = Arc::new(Field::new_list_field(DataType::UInt64, true));
        let offsets = OffsetBuffer::from_lengths([values.len()]);
        Ok(vec![ScalarValue::List(Arc::new(ListArray::new(field, offsets, values, None)))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        for state in states.iter().flat_map(|states| states.as_list::<i32>().iter().flatten()) {
            let (spans, _) = state.as_primitive::<UInt64Type>().values().as_chunks();
            for span in spans {
                self.add(*span);
            }
        }
        Ok(())
    }
}

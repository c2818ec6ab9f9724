//! `sum` of 64-bit integers that fails on overflow, where DataFusion's `sum` wraps around silently. Sums are
//! accumulated with 128 bits, so only the final result can overflow. Other types are delegated to DataFusion's `sum`.

use std::iter::repeat;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, ArrowPrimitiveType, AsArray, BooleanArray, Decimal128Array, PrimitiveArray,
    UInt64Array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{
    DataType, Decimal128Type, Field, FieldRef, Int64Type, UInt64Type,
};
use datafusion::common::{ScalarValue, exec_err, internal_err};
use datafusion::error::Result;
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature,
};

/// The type of partial sums: 38 decimal digits hold the sum of 2^62 numbers of 64 bits.
const WIDE: DataType = DataType::Decimal128(38, 0);

/// The aggregate function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct CheckedSum {
    inner: Arc<AggregateUDF>,
}

impl CheckedSum {
    /// Creates the function.
    pub fn new() -> Self {
        Self { inner: sum_udaf() }
    }
}

fn is_checked(return_field: &FieldRef, is_distinct: bool) -> bool {
    !is_distinct && matches!(return_field.data_type(), DataType::Int64 | DataType::UInt64)
}

impl AggregateUDFImpl for CheckedSum {
    fn name(&self) -> &'static str {
        "sum"
    }

    fn signature(&self) -> &Signature {
        self.inner.signature()
    }

    fn coerce_types(&self, arguments: &[DataType]) -> Result<Vec<DataType>> {
        self.inner.coerce_types(arguments)
    }

    fn return_type(&self, arguments: &[DataType]) -> Result<DataType> {
        self.inner.return_type(arguments)
    }

    fn state_fields(&self, arguments: StateFieldsArgs) -> Result<Vec<FieldRef>> {
        if !is_checked(&arguments.return_field, arguments.is_distinct) {
            return self.inner.state_fields(arguments);
        }
        let field = |part: &str, kind| {
            Arc::new(Field::new(format!("{}[{part}]", arguments.name), kind, true))
        };
        Ok(vec![field("sum", WIDE), field("count", DataType::UInt64)])
    }

    fn accumulator(&self, arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        if !is_checked(&arguments.return_field, arguments.is_distinct) {
            return self.inner.accumulator(arguments);
        }
        Ok(Box::new(One(Sums::new(arguments.return_field.data_type(), 1))))
    }

    fn create_sliding_accumulator(
        &self,
        arguments: AccumulatorArgs,
    ) -> Result<Box<dyn Accumulator>> {
        if is_checked(&arguments.return_field, arguments.is_distinct) {
            return self.accumulator(arguments);
        }
        self.inner.create_sliding_accumulator(arguments)
    }

    fn groups_accumulator_supported(&self, arguments: AccumulatorArgs) -> bool {
        is_checked(&arguments.return_field, arguments.is_distinct)
            || self.inner.groups_accumulator_supported(arguments)
    }

    fn create_groups_accumulator(
        &self,
        arguments: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        if !is_checked(&arguments.return_field, arguments.is_distinct) {
            return self.inner.create_groups_accumulator(arguments);
        }
        Ok(Box::new(Sums::new(arguments.return_field.data_type(), 0)))
    }
}

/// The sums of all groups.
#[derive(Debug)]
struct Sums {
    kind: DataType,
    groups: Vec<Total>,
}

/// The sum of a group, and the number of its values. Without values the result is NULL.
#[derive(Debug, Clone, Copy, Default)]
struct Total {
    sum: i128,
    count: u64,
}

impl Sums {
    fn new(kind: &DataType, groups: usize) -> Self {
        Self { kind: kind.clone(), groups: vec![Total::default(); groups] }
    }

    fn add(&mut self, group: usize, sum: i128, count: u64) {
        if let Some(total) = self.groups.get_mut(group) {
            total.sum = total.sum.saturating_add(sum);
            total.count = total.count.saturating_add(count);
        }
    }

    /// Adds each value of an array to its group.
    fn add_values(
        &mut self,
        values: &ArrayRef,
        groups: impl Iterator<Item = usize>,
        filter: Option<&BooleanArray>,
    ) -> Result<()> {
        if let Some(values) = values.as_primitive_opt::<Int64Type>() {
            self.add_numbers(values, groups, filter);
        } else if let Some(values) = values.as_primitive_opt::<UInt64Type>() {
            self.add_numbers(values, groups, filter);
        } else {
            return internal_err!("sum of {}", values.data_type());
        }
        Ok(())
    }

    fn add_numbers<T: ArrowPrimitiveType>(
        &mut self,
        values: &PrimitiveArray<T>,
        groups: impl Iterator<Item = usize>,
        filter: Option<&BooleanArray>,
    ) where
        i128: From<T::Native>,
    {
        let numbers = groups.zip(values.values());
        if values.null_count() == 0 && filter.is_none() {
            return numbers.for_each(|(group, value)| self.add(group, i128::from(*value), 1));
        }
        let takes =
            |row: usize| filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
        for (row, (group, value)) in numbers.enumerate() {
            if values.is_valid(row) && takes(row) {
                self.add(group, i128::from(*value), 1);
            }
        }
    }

    fn add_states(&mut self, states: &[ArrayRef], groups: impl Iterator<Item = usize>) {
        let [sums, counts] = states else { return };
        let (sums, counts) =
            (sums.as_primitive::<Decimal128Type>(), counts.as_primitive::<UInt64Type>());
        for ((sum, count), group) in sums.iter().zip(counts).zip(groups) {
            self.add(group, sum.unwrap_or(0), count.unwrap_or(0));
        }
    }
}

/// Converts the sums to the result type. Fails if one does not fit.
fn narrow(totals: &[Total], kind: &DataType) -> Result<ArrayRef> {
    let range = match kind {
        DataType::UInt64 => 0..=i128::from(u64::MAX),
        _ => i128::from(i64::MIN)..=i128::from(i64::MAX),
    };
    if let Some(Total { sum, .. }) = totals.iter().find(|total| !range.contains(&total.sum)) {
        return exec_err!(
            "the sum {sum} overflows 64 bits; use sum(CAST(… AS DOUBLE)) or sum(CAST(… AS DECIMAL(20, 0)))"
        );
    }
    Ok(cast(&wide(totals)?, kind)?)
}

fn wide(totals: &[Total]) -> Result<ArrayRef> {
    let sums = totals.iter().map(|total| (total.count > 0).then_some(total.sum));
    Ok(Arc::new(sums.collect::<Decimal128Array>().with_precision_and_scale(38, 0)?))
}

impl GroupsAccumulator for Sums {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        self.groups.resize(total, Total::default());
        let groups = groups.iter().copied();
        values.first().map_or(Ok(()), |values| self.add_values(values, groups, filter))
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        narrow(&emit.take_needed(&mut self.groups), &self.kind)
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        let totals = emit.take_needed(&mut self.groups);
        let counts = totals.iter().map(|total| total.count);
        Ok(vec![wide(&totals)?, Arc::new(UInt64Array::from_iter_values(counts))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        self.groups.resize(total, Total::default());
        self.add_states(states, groups.iter().copied());
        Ok(())
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let rows = values.first().map_or(0, Array::len);
        let mut each = Self::new(&self.kind, rows);
        values.first().map_or(Ok(()), |values| each.add_values(values, 0..rows, filter))?;
        each.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.groups.capacity() * size_of::<Total>()
    }
}

/// The sum without groups, or over a sliding window.
#[derive(Debug)]
struct One(Sums);

impl Accumulator for One {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        values.first().map_or(Ok(()), |values| self.0.add_values(values, repeat(0), None))
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut gone = Sums::new(&self.0.kind, 1);
        values.first().map_or(Ok(()), |values| gone.add_values(values, repeat(0), None))?;
        for (total, gone) in self.0.groups.iter_mut().zip(gone.groups) {
            total.sum -= gone.sum;
            total.count -= gone.count;
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        ScalarValue::try_from_array(&narrow(&self.0.groups, &self.0.kind)?, 0)
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let sum = ScalarValue::try_from_array(&wide(&self.0.groups)?, 0)?;
        Ok(vec![sum, ScalarValue::UInt64(self.0.groups.first().map(|total| total.count))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.0.add_states(states, repeat(0));
        Ok(())
    }

    fn size(&self) -> usize {
        size_of::<Self>()
    }
}

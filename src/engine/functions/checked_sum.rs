//! `sum` of 64-bit integers that is exact or an error: sums of ticks and bytes of a damaged or odd file must not wrap
//! around in silence, as DataFusion's do. Every other type is left to DataFusion's `sum`.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, AsArray, BooleanArray, Decimal128Array, UInt64Array,
};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Decimal128Type, Field, FieldRef, UInt64Type};
use datafusion::common::{ScalarValue, exec_err};
use datafusion::error::Result;
use datafusion::functions_aggregate::sum::sum_udaf;
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, EmitTo, GroupsAccumulator, Signature,
};

/// The type that sums are kept in: 38 digits hold 2^62 of the largest 64-bit numbers.
const WIDE: DataType = DataType::Decimal128(38, 0);

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct CheckedSum {
    inner: Arc<AggregateUDF>,
}

impl CheckedSum {
    /// The function.
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

/// A sum and a count of values a group.
#[derive(Debug)]
struct Sums {
    kind: DataType,
    totals: Vec<i128>,
    counts: Vec<u64>,
}

impl Sums {
    fn new(kind: &DataType, groups: usize) -> Self {
        Self { kind: kind.clone(), totals: vec![0; groups], counts: vec![0; groups] }
    }

    fn add(&mut self, group: usize, value: i128, count: u64) {
        if let (Some(sum), Some(known)) = (self.totals.get_mut(group), self.counts.get_mut(group)) {
            *sum = sum.saturating_add(value);
            *known = known.saturating_add(count);
        }
    }

    /// Adds the values of an array, each to its group.
    fn add_values(
        &mut self,
        values: &ArrayRef,
        group_of: impl Fn(usize) -> usize,
        takes: impl Fn(usize) -> bool,
    ) -> Result<()> {
        let wide = cast(values, &DataType::Decimal128(20, 0))?;
        let wide = wide.as_primitive::<Decimal128Type>();
        for (row, value) in wide.iter().enumerate() {
            if let Some(value) = value.filter(|_| takes(row)) {
                self.add(group_of(row), value, 1);
            }
        }
        Ok(())
    }

    fn add_states(&mut self, states: &[ArrayRef], group_of: impl Fn(usize) -> usize) {
        let [sums, counts] = states else { return };
        let (sums, counts) =
            (sums.as_primitive::<Decimal128Type>(), counts.as_primitive::<UInt64Type>());
        for (row, (sum, count)) in sums.iter().zip(counts).enumerate() {
            self.add(group_of(row), sum.unwrap_or(0), count.unwrap_or(0));
        }
    }

    fn take(&mut self, emit: EmitTo) -> (Vec<i128>, Vec<u64>) {
        (emit.take_needed(&mut self.totals), emit.take_needed(&mut self.counts))
    }
}

/// The sums in the type that the query sees; an error where one does not fit.
fn narrow(sums: Vec<i128>, counts: &[u64], kind: &DataType) -> Result<ArrayRef> {
    let range = match kind {
        DataType::UInt64 => 0..=i128::from(u64::MAX),
        _ => i128::from(i64::MIN)..=i128::from(i64::MAX),
    };
    if let Some(sum) = sums.iter().find(|sum| !range.contains(sum)) {
        return exec_err!(
            "the sum {sum} leaves 64 bits; sum CAST(… AS DOUBLE) or CAST(… AS DECIMAL(20, 0)) instead"
        );
    }
    Ok(cast(&wide(sums, counts)?, kind)?)
}

fn wide(sums: Vec<i128>, counts: &[u64]) -> Result<ArrayRef> {
    let values = sums.into_iter().zip(counts).map(|(sum, count)| (*count > 0).then_some(sum));
    Ok(Arc::new(values.collect::<Decimal128Array>().with_precision_and_scale(38, 0)?))
}

impl GroupsAccumulator for Sums {
    fn update_batch(
        &mut self,
        values: &[ArrayRef],
        groups: &[usize],
        filter: Option<&BooleanArray>,
        total: usize,
    ) -> Result<()> {
        self.totals.resize(total, 0);
        self.counts.resize(total, 0);
        let takes =
            |row: usize| filter.is_none_or(|filter| filter.is_valid(row) && filter.value(row));
        let group_of = |row: usize| groups.get(row).copied().unwrap_or(usize::MAX);
        values.first().map_or(Ok(()), |values| self.add_values(values, group_of, takes))
    }

    fn evaluate(&mut self, emit: EmitTo) -> Result<ArrayRef> {
        let (sums, counts) = self.take(emit);
        narrow(sums, &counts, &self.kind)
    }

    fn state(&mut self, emit: EmitTo) -> Result<Vec<ArrayRef>> {
        let (sums, counts) = self.take(emit);
        Ok(vec![wide(sums, &counts)?, Arc::new(UInt64Array::from(counts))])
    }

    fn merge_batch(&mut self, states: &[ArrayRef], groups: &[usize], total: usize) -> Result<()> {
        self.totals.resize(total, 0);
        self.counts.resize(total, 0);
        self.add_states(states, |row| groups.get(row).copied().unwrap_or(usize::MAX));
        Ok(())
    }

    fn convert_to_state(
        &self,
        values: &[ArrayRef],
        filter: Option<&BooleanArray>,
    ) -> Result<Vec<ArrayRef>> {
        let rows = values.first().map_or(0, Array::len);
        let mut each = Self::new(&self.kind, rows);
        let groups: Vec<usize> = (0..rows).collect();
        each.update_batch(values, &groups, filter, rows)?;
        each.state(EmitTo::All)
    }

    fn size(&self) -> usize {
        self.totals.capacity() * size_of::<i128>() + self.counts.capacity() * size_of::<u64>()
    }
}

/// The sum of one group, or of a window that slides.
#[derive(Debug)]
struct One(Sums);

impl Accumulator for One {
    fn update_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        values.first().map_or(Ok(()), |values| self.0.add_values(values, |_| 0, |_| true))
    }

    fn retract_batch(&mut self, values: &[ArrayRef]) -> Result<()> {
        let mut gone = Sums::new(&self.0.kind, 1);
        values.first().map_or(Ok(()), |values| gone.add_values(values, |_| 0, |_| true))?;
        for (sum, gone) in self.0.totals.iter_mut().zip(gone.totals) {
            *sum -= gone;
        }
        for (count, gone) in self.0.counts.iter_mut().zip(gone.counts) {
            *count -= gone;
        }
        Ok(())
    }

    fn supports_retract_batch(&self) -> bool {
        true
    }

    fn evaluate(&mut self) -> Result<ScalarValue> {
        ScalarValue::try_from_array(
            &narrow(self.0.totals.clone(), &self.0.counts, &self.0.kind)?,
            0,
        )
    }

    fn state(&mut self) -> Result<Vec<ScalarValue>> {
        let sum = ScalarValue::try_from_array(&wide(self.0.totals.clone(), &self.0.counts)?, 0)?;
        Ok(vec![sum, ScalarValue::UInt64(self.0.counts.first().copied())])
    }

    fn merge_batch(&mut self, states: &[ArrayRef]) -> Result<()> {
        self.0.add_states(states, |_| 0);
        Ok(())
    }

    fn size(&self) -> usize {
        size_of::<Self>()
    }
}

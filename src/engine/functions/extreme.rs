//! `min` and `max` that know infinities. DataFusion's, by group, begin with the largest finite number, which is then the
//! minimum of a group of infinities. Other types are delegated to them.

use std::sync::Arc;

use datafusion::arrow::datatypes::{DataType, FieldRef};
use datafusion::common::ScalarValue;
use datafusion::error::Result;
use datafusion::functions_aggregate::min_max::{max_udaf, min_udaf};
use datafusion::logical_expr::function::{AccumulatorArgs, StateFieldsArgs};
use datafusion::logical_expr::utils::AggregateOrderSensitivity;
use datafusion::logical_expr::{
    Accumulator, AggregateUDF, AggregateUDFImpl, GroupsAccumulator, ReversedUDAF, Signature,
    StatisticsArgs,
};

/// The aggregate function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub struct Extreme {
    inner: Arc<AggregateUDF>,
}

impl Extreme {
    /// Creates `min`.
    pub fn min() -> Self {
        Self { inner: min_udaf() }
    }

    /// Creates `max`.
    pub fn max() -> Self {
        Self { inner: max_udaf() }
    }
}

impl AggregateUDFImpl for Extreme {
    fn name(&self) -> &str {
        self.inner.name()
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
        self.inner.state_fields(arguments)
    }

    fn accumulator(&self, arguments: AccumulatorArgs) -> Result<Box<dyn Accumulator>> {
        self.inner.accumulator(arguments)
    }

    fn create_sliding_accumulator(
        &self,
        arguments: AccumulatorArgs,
    ) -> Result<Box<dyn Accumulator>> {
        self.inner.create_sliding_accumulator(arguments)
    }

    /// Groups of floats have an accumulator each, which begins with NULL.
    fn groups_accumulator_supported(&self, arguments: AccumulatorArgs) -> bool {
        !arguments.return_field.data_type().is_floating()
            && self.inner.groups_accumulator_supported(arguments)
    }

    fn create_groups_accumulator(
        &self,
        arguments: AccumulatorArgs,
    ) -> Result<Box<dyn GroupsAccumulator>> {
        self.inner.create_groups_accumulator(arguments)
    }

    fn is_descending(&self) -> Option<bool> {
        self.inner.is_descending()
    }

    fn order_sensitivity(&self) -> AggregateOrderSensitivity {
        self.inner.order_sensitivity()
    }

    fn reverse_expr(&self) -> ReversedUDAF {
        ReversedUDAF::Identical
    }

    fn value_from_stats(&self, arguments: &StatisticsArgs) -> Option<ScalarValue> {
        self.inner.value_from_stats(arguments)
    }
}

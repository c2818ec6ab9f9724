//! `counter_sample_values`, `counter_sample_sum` and `counter_sample_whole_sum`: values behind the record of a counter sample, read where they stand.
//!
//! Tables are flat, and a counter has as many values as its block has instances; so a report that prints them asks for
//! the values by the sample's place in the file.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, AsArray, Float64Array, ListBuilder, StringViewArray, UInt64Array, UInt64Builder,
};
use datafusion::arrow::datatypes::{DataType, UInt64Type};
use datafusion::common::{internal_err, plan_err};
use datafusion::error::Result;
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use crate::bundle::Bundle;
use crate::bundle::cursor::u64_at;
use crate::engine::folds::Folds;
use crate::fold::{sum_of_values, whole_sum_of_values};
use crate::table::sample_values;

/// What is made of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Asked {
    Values,
    Sum,
    WholeSum,
}

/// The function.
pub struct CounterValues {
    asked: Asked,
    folds: Arc<Folds>,
    signature: Signature,
}

/// Every function of this file.
pub fn all(folds: &Arc<Folds>) -> [CounterValues; 3] {
    [Asked::Values, Asked::Sum, Asked::WholeSum].map(|asked| CounterValues {
        asked,
        folds: Arc::clone(folds),
        // Not immutable: it must not be folded while planning, when nothing has been read.
        signature: Signature::user_defined(Volatility::Stable),
    })
}

impl ScalarUDFImpl for CounterValues {
    fn name(&self) -> &'static str {
        match self.asked {
            Asked::Values => "counter_sample_values",
            Asked::Sum => "counter_sample_sum",
            Asked::WholeSum => "counter_sample_whole_sum",
        }
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, given: &[DataType]) -> Result<Vec<DataType>> {
        if given.len() != 4 {
            return plan_err!("{} wants 4 arguments, not {}", self.name(), given.len());
        }
        Ok(vec![DataType::Utf8View, DataType::UInt64, DataType::UInt64, DataType::UInt64])
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        Ok(match self.asked {
            Asked::Values => DataType::new_list(DataType::UInt64, true),
            Asked::Sum => DataType::Float64,
            Asked::WholeSum => DataType::UInt64,
        })
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let arrays = ColumnarValue::values_to_arrays(&arguments.args)?;
        let [bundles, offsets, firsts, counts] = arrays.as_slice() else {
            return internal_err!("{} takes four arguments", self.name());
        };
        let [offsets, firsts, counts] =
            [offsets, firsts, counts].map(AsArray::as_primitive::<UInt64Type>);
        let mut bundles = Bundles::new(&self.folds, bundles.as_string_view());
        let places = offsets.iter().zip(firsts).zip(counts).enumerate();
        let values = places.map(|(row, ((offset, first), count))| {
            let number = |number: Option<u64>| usize::try_from(number?).ok();
            let sample = bundles.of_row(row)?.bytes().get(number(offset)?..)?;
            sample_values(sample, number(first)?, number(count)?)
        });
        Ok(ColumnarValue::Array(match self.asked {
            Asked::Values => lists(values),
            Asked::Sum => sums(values),
            Asked::WholeSum => {
                let sums = values.map(|values| values.and_then(whole_sum_of_values));
                Arc::new(sums.collect::<UInt64Array>())
            }
        }))
    }
}

fn sums<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> ArrayRef {
    Arc::new(values.map(|values| values.map(sum_of_values)).collect::<Float64Array>())
}

fn lists<'a>(values: impl Iterator<Item = Option<&'a [u8]>>) -> ArrayRef {
    let mut lists = ListBuilder::new(UInt64Builder::new());
    for values in values {
        for value in values.unwrap_or_default().chunks_exact(8) {
            lists.values().append_value(u64_at(value, 0));
        }
        lists.append(values.is_some());
    }
    Arc::new(lists.finish())
}

/// The bundles of the rows; consecutive rows are mostly of one.
struct Bundles<'a> {
    labels: &'a StringViewArray,
    folds: &'a Folds,
    last: Option<(u128, Option<&'a Bundle>)>,
}

impl<'a> Bundles<'a> {
    const fn new(folds: &'a Folds, labels: &'a StringViewArray) -> Self {
        Self { labels, folds, last: None }
    }

    fn of_row(&mut self, row: usize) -> Option<&'a Bundle> {
        let view = self.labels.views().get(row).copied()?;
        match self.last {
            Some((known, bundle)) if known == view => bundle,
            _ => {
                let bundle = self.folds.bundle_of(self.labels.value(row)).map(Arc::as_ref);
                self.last = Some((view, bundle));
                bundle
            }
        }
    }
}

impl fmt::Debug for CounterValues {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("CounterValues").field("asked", &self.asked).finish_non_exhaustive()
    }
}

impl PartialEq for CounterValues {
    fn eq(&self, other: &Self) -> bool {
        self.asked == other.asked
    }
}

impl Eq for CounterValues {}

impl Hash for CounterValues {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.asked.hash(state);
    }
}

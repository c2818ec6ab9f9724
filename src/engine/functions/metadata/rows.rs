//! The rows that a lookup is asked about: their bundles and their numbers.

use std::sync::Arc;

use datafusion::arrow::array::{Array, PrimitiveArray, StringViewArray};
use datafusion::arrow::datatypes::UInt64Type;
use datafusion::error::Result;

use crate::engine::folds::Folds;
use crate::fold::{Fit, Metadata};

/// The rows of one call.
pub struct Rows<'a> {
    pub bundles: &'a StringViewArray,
    /// The arguments behind the bundle.
    pub numbers: Vec<&'a PrimitiveArray<UInt64Type>>,
    pub folds: &'a Folds,
}

/// The metadata of the row that was looked at last; consecutive rows are mostly of one bundle.
#[derive(Default)]
pub struct Known {
    last: Option<(u128, Option<Arc<Metadata>>)>,
}

impl<'a> Rows<'a> {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        self.bundles.len()
    }

    /// The values of the n-th argument behind the bundle, whatever stands in for NULL.
    pub fn values(&self, nth: usize) -> &'a [u64] {
        self.numbers.get(nth).map_or(&[], |array| array.values().as_ref())
    }

    /// Whether the n-th argument of a row is NULL.
    pub fn is_null(&self, nth: usize, row: usize) -> bool {
        self.numbers.get(nth).is_none_or(|array| array.is_null(row))
    }

    /// The metadata of a row's bundle; true where it is another than that of the row before.
    pub fn metadata<'k>(
        &self,
        known: &'k mut Known,
        row: usize,
    ) -> Result<(Option<&'k Arc<Metadata>>, bool)> {
        let view = self.bundles.views().get(row).copied().unwrap_or_default();
        let is_new = known.last.as_ref().is_none_or(|(last, _)| *last != view);
        if is_new {
            let metadata = if self.bundles.is_null(row) {
                None
            } else {
                self.folds.metadata_of(self.bundles.value(row))?
            };
            known.last = Some((view, metadata));
        }
        Ok((known.last.as_ref().and_then(|(_, metadata)| metadata.as_ref()), is_new))
    }

    /// For each row what `answer` says, given the fit of the device that its first argument names.
    pub fn with_fits<T>(&self, answer: impl FnMut(usize, Option<&Fit>) -> T) -> Result<Vec<T>> {
        self.with_device(Metadata::fit, answer)
    }

    /// For each row what `answer` says, given what `find` knows of the device that its first argument names.
    pub fn with_device<D: Copy, T>(
        &self,
        find: impl Fn(&Metadata, u64) -> Option<D>,
        mut answer: impl FnMut(usize, Option<&D>) -> T,
    ) -> Result<Vec<T>> {
        let mut known = Known::default();
        let mut last: Option<(u64, Option<D>)> = None;
        let mut answers = Vec::with_capacity(self.len());
        for (row, device) in self.values(0).iter().enumerate() {
            let (metadata, is_new) = self.metadata(&mut known, row)?;
            if is_new || last.is_none_or(|(known, _)| known != *device) {
                last = Some((*device, metadata.and_then(|metadata| find(metadata, *device))));
            }
            answers.push(answer(row, last.as_ref().and_then(|(_, found)| found.as_ref())));
        }
        Ok(answers)
    }
}

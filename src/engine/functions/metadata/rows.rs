//! The arguments of a lookup, iterated by runs of one bundle and clock.

use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayRef, Int64Array, NullBufferBuilder, PrimitiveArray, StringViewArray,
};
use datafusion::arrow::buffer::NullBuffer;
use datafusion::arrow::datatypes::UInt64Type;
use datafusion::error::Result;
use passes::fold::ABSENT;

use super::super::arguments::bundle_runs;
use crate::functions::passes::Folds;

/// The arguments of one call.
pub struct CallRows<'a> {
    pub bundles: &'a StringViewArray,
    /// The arguments after the bundle.
    pub numbers: Vec<PrimitiveArray<UInt64Type>>,
    pub folds: &'a Folds,
}

/// Returns the lookup tables of the bundle with a label.
pub type Read<T> = fn(&Folds, &str) -> Result<Option<Arc<T>>>;

impl CallRows<'_> {
    /// Returns the number of rows.
    pub fn len(&self) -> usize {
        self.bundles.len()
    }

    /// Returns the values of the n-th argument after the bundle. Values of NULLs are arbitrary.
    pub fn values(&self, nth: usize) -> &[u64] {
        self.numbers.get(nth).map_or(&[], |array| array.values().as_ref())
    }

    /// Whether the n-th argument of a row is NULL.
    pub fn is_null(&self, nth: usize, row: usize) -> bool {
        self.numbers.get(nth).is_none_or(|array| array.is_null(row))
    }

    /// Whether the n-th argument of any row is NULL.
    pub fn has_nulls(&self, nth: usize) -> bool {
        self.numbers.get(nth).is_none_or(|array| array.null_count() > 0)
    }

    /// Calls `each` for runs of rows of one bundle, with its lookup tables.
    pub(crate) fn with_bundles<K>(
        &self,
        read: Read<K>,
        mut each: impl FnMut(Range<usize>, Option<&K>) -> Result<()>,
    ) -> Result<()> {
        for (run, label) in bundle_runs(self.bundles) {
            let known = label.map(|label| read(self.folds, label)).transpose()?.flatten();
            each(run, known.as_deref())?;
        }
        Ok(())
    }

    /// Calls `each` for runs of rows of one clock, whose key the first `N` arguments are, with the result of `find` for it:
    /// a device, or a session and a device. NULL is the device with the ordinal [`ABSENT`].
    fn with_clocks<const N: usize, K, D>(
        &self,
        read: Read<K>,
        find: impl Fn(&K, [u64; N]) -> Option<D>,
        mut each: impl FnMut(Range<usize>, Option<&D>),
    ) -> Result<()> {
        let parts: [(&[u64], bool); N] =
            std::array::from_fn(|nth| (self.values(nth), self.has_nulls(nth)));
        let key = |row: usize| {
            let mut nth = 0..;
            parts.map(|(values, has_nulls)| {
                let is_absent = nth.next().is_some_and(|nth| has_nulls && self.is_null(nth, row));
                if is_absent { ABSENT } else { values.get(row).copied().unwrap_or(ABSENT) }
            })
        };
        self.with_bundles(read, |rows, known| {
            let mut start = rows.start;
            while start < rows.end {
                let here = key(start);
                let end = (start..rows.end).find(|row| key(*row) != here).unwrap_or(rows.end);
                let found = known.and_then(|known| find(known, here));
                each(start..end, found.as_ref());
                start = end;
            }
            Ok(())
        })
    }

    /// Returns for each row the result of `answer`, given the result of `find` for its clock.
    pub(crate) fn of_clocks<const N: usize, K, D, T: Clone>(
        &self,
        read: Read<K>,
        find: impl Fn(&K, [u64; N]) -> Option<D>,
        answer: impl Fn(&D) -> T,
    ) -> Result<Vec<Option<T>>> {
        let mut answers = Vec::with_capacity(self.len());
        self.with_clocks(read, find, |rows, found| {
            answers.resize(answers.len() + rows.len(), found.map(&answer));
        })?;
        Ok(answers)
    }

    /// Returns for each row the result of `time` for its ticks, the argument after the key of the clock, given the result of
    /// `find` for the clock.
    pub fn times<const N: usize, K, D>(
        &self,
        read: Read<K>,
        find: impl Fn(&K, [u64; N]) -> Option<D>,
        time: impl Fn(&D, u64) -> Option<i64>,
    ) -> Result<ArrayRef> {
        let ticks = self.values(N);
        let ticks = |rows: Range<usize>| ticks.get(rows).unwrap_or_default().iter().copied();
        self.converted(read, find, ticks, time, self.nulls(N))
    }

    /// Like [`Self::times`], for the first and the last tick of a span: the two arguments after the key.
    pub(crate) fn times_of_spans<const N: usize, K, D>(
        &self,
        read: Read<K>,
        find: impl Fn(&K, [u64; N]) -> Option<D>,
        time: impl Fn(&D, [u64; 2]) -> Option<i64>,
    ) -> Result<ArrayRef> {
        let [starts, ends] = [N, N + 1].map(|nth| self.values(nth));
        let spans = |rows: Range<usize>| {
            let [starts, ends] =
                [starts, ends].map(|ticks| ticks.get(rows.clone()).unwrap_or_default());
            starts.iter().zip(ends).map(|(start, end)| [*start, *end])
        };
        let nulls = NullBuffer::union(self.nulls(N), self.nulls(N + 1));
        self.converted(read, find, spans, time, nulls.as_ref())
    }

    fn nulls(&self, nth: usize) -> Option<&NullBuffer> {
        self.numbers.get(nth).and_then(Array::nulls)
    }

    fn converted<const N: usize, K, D, T, I: ExactSizeIterator<Item = T> + Clone>(
        &self,
        read: Read<K>,
        find: impl Fn(&K, [u64; N]) -> Option<D>,
        ticks: impl Fn(Range<usize>) -> I,
        time: impl Fn(&D, T) -> Option<i64>,
        of_ticks: Option<&NullBuffer>,
    ) -> Result<ArrayRef> {
        let mut times = Vec::with_capacity(self.len());
        let mut nulls = NullBufferBuilder::new(self.len());
        self.with_clocks(read, find, |rows, found| {
            let Some(found) = found else {
                times.resize(times.len() + rows.len(), 0);
                return nulls.append_n_nulls(rows.len());
            };
            let ticks = ticks(rows);
            let mut is_complete = true;
            // Writes all values first, so that the validity of a run is usually appended at once. Only if a result is
            // NULL does the conversion run again.
            times.extend(ticks.clone().map(|ticks| {
                let time = time(found, ticks);
                is_complete &= time.is_some();
                time.unwrap_or_default()
            }));
            if is_complete {
                nulls.append_n_non_nulls(ticks.len());
            } else {
                for ticks in ticks {
                    nulls.append(time(found, ticks).is_some());
                }
            }
        })?;
        let nulls = NullBuffer::union(nulls.finish().as_ref(), of_ticks);
        Ok(Arc::new(Int64Array::try_new(times.into(), nulls)?))
    }
}

//! Steps through the typed records of a chunk by their `record_length`.

use schemas::spec::{Family, Tail};

use super::segment::RowOffsets;
use super::tail;
use crate::bundle::Fault;
use crate::bundle::cursor::u32_at;

/// A cursor over the typed records in the payload of one chunk.
#[derive(Debug, Clone)]
pub struct Stepper<'a> {
    family: Family,
    payload: &'a [u8],
    /// Absolute offset of the payload.
    offset: u64,
    position: usize,
}

impl<'a> Stepper<'a> {
    /// Creates a stepper at `position` within `payload`, which begins at the absolute `offset`.
    pub const fn new(family: Family, payload: &'a [u8], offset: u64, position: usize) -> Self {
        Self { family, payload, offset, position }
    }

    /// Returns the offset of the next record within the payload.
    pub const fn position(&self) -> usize {
        self.position
    }

    /// Whether all records have been stepped over.
    pub const fn is_done(&self) -> bool {
        self.position >= self.payload.len()
    }

    /// Checks up to `limit` records and advances past them. Returns none only at the end of the payload.
    pub fn take(&mut self, limit: usize) -> Result<RowOffsets, Fault> {
        if self.family.tail == Tail::None {
            self.take_strided(limit)
        } else {
            self.take_each(limit)
        }
    }

    /// Returns up to `limit` records on the assumption that all are as long as the next one, which alone is checked.
    /// Does not advance. The caller checks each length while it reads the record, and advances past the records of that
    /// length, so that the bytes are visited once.
    pub fn presumed(&self, limit: usize) -> Result<RowOffsets, Fault> {
        let (first, rest) = (self.position, self.rest());
        let stride = if self.is_done() { 0 } else { self.check(rest)? };
        let count = rest.len().checked_div(stride).map_or(0, |count| count.min(limit));
        Ok(RowOffsets::Strided { first, stride, count })
    }

    /// Advances by `bytes`.
    pub const fn advance(&mut self, bytes: usize) {
        self.position += bytes;
    }

    /// Takes records until the length changes. Records of equal length need no list of offsets.
    fn take_strided(&mut self, limit: usize) -> Result<RowOffsets, Fault> {
        let first = self.position;
        let rest = self.rest();
        let stride = if limit == 0 || self.is_done() { 0 } else { self.check(rest)? };
        let mut count = 0;
        if stride > 0 {
            let uniform = rest
                .chunks_exact(stride)
                .take(limit)
                .take_while(|record| u32_at(record, 0) as usize == stride);
            count = uniform.count();
        }
        self.position += stride * count;
        Ok(RowOffsets::Strided { first, stride, count })
    }

    /// Takes records one by one and checks their trailing data.
    fn take_each(&mut self, limit: usize) -> Result<RowOffsets, Fault> {
        let mut starts = Vec::new();
        while starts.len() < limit && !self.is_done() {
            let rest = self.rest();
            let length = self.check(rest)?;
            let (record, after) = rest.split_at_checked(length).unwrap_or((rest, &[]));
            let offset = self.offset.saturating_add(self.position as u64);
            tail::check(&self.family, record, after, offset)?;
            starts.push(self.position);
            self.position += match self.family.tail {
                // The data that follows the chunk's only record takes up the rest of the payload.
                Tail::Following(_) => rest.len(),
                _ => length,
            };
        }
        Ok(RowOffsets::At(starts))
    }

    /// Returns the length of the record at the start of `rest`. Fails if the layout or the record does not fit.
    fn check(&self, rest: &[u8]) -> Result<usize, Fault> {
        let layout = self.family.layout;
        let offset = self.offset.saturating_add(self.position as u64);
        let suffix = self.family.suffixes.first().copied().unwrap_or_default();
        if rest.len() < layout {
            let what = format!(
                "{} bytes of the chunk remain, but a record of `{suffix}` has at least {layout}",
                rest.len()
            );
            return Err(Fault::new(offset, "record_length", what));
        }
        let length = u32_at(rest, 0) as usize;
        if length < layout || length > rest.len() {
            let what = format!(
                "{length} is not between the minimum of a record of `{suffix}`, {layout} bytes, and the remaining {} bytes of the chunk",
                rest.len()
            );
            return Err(Fault::new(offset, "record_length", what));
        }
        Ok(length)
    }

    fn rest(&self) -> &'a [u8] {
        self.payload.get(self.position..).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIXED: Family = Family::fixed(&["test"], 8);
    const NAMED: Family = Family::fixed(&["test"], 8).with(Tail::Texts(&[4]));

    fn record(length: u32, second: u32, extra: usize) -> Vec<u8> {
        let mut bytes = length.to_le_bytes().to_vec();
        bytes.extend(second.to_le_bytes());
        bytes.extend(vec![0; extra]);
        bytes
    }

    #[test]
    fn a_change_of_length_starts_a_new_run() {
        let payload = [record(8, 1, 0), record(8, 2, 0), record(12, 3, 4)].concat();
        let mut stepper = Stepper::new(FIXED, &payload, 100, 0);
        let first = stepper.take(10).expect("two records");
        assert!(matches!(first, RowOffsets::Strided { first: 0, stride: 8, count: 2 }));
        let second = stepper.take(10).expect("one longer record");
        assert!(matches!(second, RowOffsets::Strided { first: 16, stride: 12, count: 1 }));
        assert!(stepper.is_done());
    }

    #[test]
    fn lengths_may_be_checked_by_the_reader() {
        let payload = [record(8, 1, 0), record(8, 2, 0), record(12, 3, 4)].concat();
        let mut stepper = Stepper::new(FIXED, &payload, 100, 0);
        let presumed = stepper.presumed(10).expect("records");
        assert!(matches!(presumed, RowOffsets::Strided { first: 0, stride: 8, count: 3 }));
        stepper.advance(16);
        let rest = stepper.presumed(10).expect("one longer record");
        assert!(matches!(rest, RowOffsets::Strided { first: 16, stride: 12, count: 1 }));
        stepper.advance(12);
        assert!(stepper.is_done());
        assert!(stepper.presumed(10).expect("nothing").is_empty());
        assert!(Stepper::new(FIXED, &record(7, 0, 0), 100, 0).presumed(10).is_err());
    }

    #[test]
    fn lengths_that_do_not_fit_are_faults() {
        for (payload, offset) in [
            (record(7, 0, 0), 100),
            (record(9, 0, 0), 100),
            ([record(8, 0, 0), vec![1, 2, 3]].concat(), 108),
        ] {
            let mut stepper = Stepper::new(FIXED, &payload, 100, 0);
            let fault = (0..3).find_map(|_| stepper.take(10).err()).expect("a fault");
            assert_eq!(fault.offset, offset);
        }
        let payload = record(10, 3, 2);
        let fault = Stepper::new(NAMED, &payload, 100, 0).take(1).expect_err("name too long");
        assert_eq!(
            fault.to_string(),
            "at byte 104 (0x68), name_length: requires 3 trailing bytes, but the record has 2"
        );
    }
}

//! The ids of a sequence. They follow from the content that it shows, because readers take all sequences of a file for
//! one trace: those of other contents have other ids, also in a file that was concatenated from several traces.
//!
//! Ids of one kind have the same encoded length, so that the size of a trace does not depend on what they are.

/// The ids of one sequence, and of its tracks, flows and GPU counters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ids {
    mark: u64,
}

/// The highest bit of the number of a sequence, which is always set: a number has four bytes.
const SEQUENCE: u32 = 1 << 27;

/// The bits after the number of a sequence in the uuid of a track, which has five bytes. A sequence with more tracks takes
/// uuids of the next numbers, which are hardly ever those of other sequences.
const TRACK_BITS: u32 = 7;

/// The bits after the number of a sequence in the number of a GPU counter, which has five bytes.
const COUNTER_BITS: u32 = 4;

impl Ids {
    /// Returns the ids for a content, which is given by a hash.
    pub(super) const fn of(mark: u64) -> Self {
        Self { mark }
    }

    /// Returns other ids for the same content: the next ones of a linear congruential generator whose period has all
    /// 64-bit numbers (Knuth, TAOCP vol. 2, 3.3.4).
    pub(super) const fn next(self) -> Self {
        Self::of(self.mark.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1))
    }

    /// Returns the number of the sequence, which is never 0.
    pub(super) fn sequence(self) -> u32 {
        // The high bits of the hash, of which 37 are left out.
        SEQUENCE | u32::try_from(self.mark >> 37).unwrap_or_default()
    }

    /// Returns the uuid of the n-th track.
    pub(super) fn track(self, nth: u64) -> u64 {
        (u64::from(self.sequence()) << TRACK_BITS) + nth
    }

    /// Returns the number of the n-th GPU counter.
    pub(super) fn counter(self, nth: u32) -> u32 {
        let first = self.sequence() << COUNTER_BITS;
        first.wrapping_add(nth) | SEQUENCE << COUNTER_BITS
    }

    /// Returns the id of a flow. Different flows of a sequence have different ids.
    pub(super) const fn flow(self, flow: u64) -> u64 {
        flow ^ self.mark
    }
}

#[cfg(test)]
mod tests {
    use prost::encoding::encoded_len_varint;

    use super::*;

    #[test]
    fn ids_are_apart_and_of_one_length() {
        for mark in [7, 77, 1 << 37, u64::MAX] {
            let (one, other) = (Ids::of(mark), Ids::of(mark).next());
            assert_ne!(one.sequence(), other.sequence());
            assert_ne!(one.flow(7), other.flow(7));
            assert_ne!(one.flow(7), one.flow(8));
            for ids in [one, other] {
                assert_eq!(encoded_len_varint(ids.sequence().into()), 4);
                assert_eq!([0, 100].map(|nth| encoded_len_varint(ids.track(nth))), [5, 5]);
                let counters = [0, 20].map(|nth| encoded_len_varint(ids.counter(nth).into()));
                assert_eq!(counters, [5, 5]);
            }
            assert_eq!(one.track(3) - one.track(0), 3);
        }
        assert_eq!(Ids::of(1 << 37).sequence(), SEQUENCE + 1);
    }
}

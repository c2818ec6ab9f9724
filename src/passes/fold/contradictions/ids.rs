//! Finds ids that occur more than once on a device in a session. Devices that are profiled together count on their own.
//!
//! Ids count up, so those of a device are a few intervals, however many there are.

use std::collections::{BTreeMap, HashMap};

/// The ids of a family, by session and device.
#[derive(Debug, Default)]
pub struct Ids {
    devices: HashMap<[u64; 2], Intervals>,
    /// The session and device of the last id, and the interval that it ends.
    last: Option<([u64; 2], [u64; 2])>,
    repeated: u64,
}

/// Disjoint intervals: first and last id of each.
#[derive(Debug, Default)]
struct Intervals(BTreeMap<u64, u64>);

impl Ids {
    /// Adds an id of a device in a session. Zero means that there is none.
    #[inline]
    pub fn add(&mut self, device: [u64; 2], id: u64) {
        if id == 0 {
            return;
        }
        if let Some((known, [_, end])) = &mut self.last
            && *known == device
            && end.checked_add(1) == Some(id)
        {
            *end = id;
            return;
        }
        self.keep();
        self.last = Some((device, [id, id]));
    }

    /// Returns the number of ids that were there before.
    pub fn repeated(&mut self) -> u64 {
        self.keep();
        self.repeated
    }

    /// Adds the last interval to those of its device.
    fn keep(&mut self) {
        if let Some((device, interval)) = self.last.take() {
            self.repeated += self.devices.entry(device).or_default().add(interval);
        }
    }
}

impl Intervals {
    /// Adds an interval, and returns how many of its ids were there.
    fn add(&mut self, [mut first, mut last]: [u64; 2]) -> u64 {
        let mut repeated = 0;
        // From the last interval that begins in it or touches its end, downwards.
        let upper = last.saturating_add(1);
        while let Some((&start, &end)) = self.0.range(..=upper).next_back() {
            if end.saturating_add(1) < first {
                break;
            }
            let common = end.min(last).checked_sub(start.max(first));
            repeated += common.map_or(0, |common| common.saturating_add(1));
            (first, last) = (first.min(start), last.max(end));
            self.0.remove(&start);
        }
        self.0.insert(first, last);
        repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeated(ids: &[u64]) -> u64 {
        let mut all = Ids::default();
        for id in ids {
            all.add([1, 0], *id);
        }
        all.repeated()
    }

    #[test]
    fn only_ids_that_were_there_are_repeated() {
        assert_eq!(repeated(&[1, 2, 3, 4]), 0);
        assert_eq!(repeated(&[0, 0, 0]), 0);
        assert_eq!(repeated(&[4, 3, 2, 1]), 0);
        assert_eq!(repeated(&[1, 2, 3, 1, 2, 3]), 3);
        assert_eq!(repeated(&[1, 2, 5, 6, 2, 3, 4, 5]), 2);
        assert_eq!(repeated(&[7, 7, 7]), 2);
        assert_eq!(repeated(&[u64::MAX, u64::MAX - 1, u64::MAX]), 1);
    }

    #[test]
    fn queues_that_take_turns_stay_a_few_intervals() {
        let mut ids = Ids::default();
        for chunk in 0..1000 {
            for first in [10 * chunk + 1, 1_000_000 + 10 * chunk] {
                (first..first + 10).for_each(|id| ids.add([1, 0], id));
            }
        }
        assert!(ids.devices[&[1, 0]].0.len() <= 2, "{:?}", ids.devices);
        ids.add([2, 0], 5);
        ids.add([1, 1], 5);
        assert_eq!(ids.repeated(), 0);
    }

    #[test]
    fn any_order_is_counted_like_a_set() {
        let mut state = 9_u64;
        for _ in 0..200 {
            let ids: Vec<u64> = (0..40)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    1 + (state >> 58)
                })
                .collect();
            let different: std::collections::HashSet<u64> = ids.iter().copied().collect();
            assert_eq!(repeated(&ids), (ids.len() - different.len()) as u64, "{ids:?}");
        }
    }
}

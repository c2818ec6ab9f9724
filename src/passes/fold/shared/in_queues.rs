//! Assigns consecutive numbers to groups within queues, such as submissions, in order of first appearance.

use std::collections::HashMap;
use std::ops::Range;

use foldhash::fast::FixedState;

use crate::fold::shared::groups::{Groups, same};
use crate::fold::shared::heap::HeapBytes;

/// Group numbers by queue and key.
///
/// Keys are ids that the profiled program counts up, so a new group usually has the greatest key of its queue so far
/// and is known to be new without a lookup. The hash table for other keys is built on first use.
#[derive(Debug)]
pub struct InQueues<const N: usize> {
    /// The previous group: events of one group come in runs.
    last: Option<(Key<N>, usize)>,
    queues: Groups<3>,
    /// For each queue, its previous group and greatest key.
    latest: Vec<Latest<N>>,
    groups: Vec<Group<N>>,
    /// Hash table of all groups; built by the first lookup.
    numbers: Option<HashMap<Group<N>, usize, FixedState>>,
}

/// A queue (device, ordinal, stream) and a key within it.
pub type Key<const N: usize> = ([u64; 3], [u64; N]);

/// The number of a queue, and a key within it.
type Group<const N: usize> = (usize, [u64; N]);

#[derive(Debug)]
struct Latest<const N: usize> {
    number: usize,
    key: [u64; N],
    greatest: [u64; N],
}

impl<const N: usize> Default for InQueues<N> {
    fn default() -> Self {
        Self {
            last: None,
            queues: Groups::default(),
            latest: Vec::new(),
            groups: Vec::new(),
            numbers: None,
        }
    }
}

impl<const N: usize> HeapBytes for InQueues<N> {
    fn heap_bytes(&self) -> usize {
        let numbers = self.numbers.as_ref().map_or(0, HashMap::capacity);
        self.latest.heap_bytes()
            + self.groups.heap_bytes()
            + numbers * size_of::<(Group<N>, usize)>()
    }
}

impl<const N: usize> InQueues<N> {
    /// Returns the number of the group with this key in a queue. Adds the group if it is new.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call would cost as much as the comparison")]
    pub fn number(&mut self, queue: [u64; 3], key: [u64; N]) -> usize {
        match &self.last {
            Some(((last, known), number)) if same(last, &queue) && same(known, &key) => *number,
            _ => self.other(queue, key),
        }
    }

    /// Handles a group other than the previous one.
    #[inline(never)]
    fn other(&mut self, queue: [u64; 3], key: [u64; N]) -> usize {
        let place = self.queues.number(queue);
        let number = match self.latest.get(place) {
            Some(latest) if same(&latest.key, &key) => latest.number,
            _ => self.another(place, key),
        };
        self.last = Some(((queue, key), number));
        number
    }

    /// Handles a group other than the previous one of its queue.
    fn another(&mut self, queue: usize, key: [u64; N]) -> usize {
        let is_greatest = self.latest.get(queue).is_none_or(|latest| latest.greatest < key);
        let known = if is_greatest { None } else { self.find((queue, key)) };
        let number = known.unwrap_or_else(|| self.insert((queue, key)));
        match self.latest.get_mut(queue) {
            Some(latest) => {
                let greatest = latest.greatest.max(key);
                *latest = Latest { number, key, greatest };
            }
            None => self.latest.push(Latest { number, key, greatest: key }),
        }
        number
    }

    fn find(&mut self, group: Group<N>) -> Option<usize> {
        let all = || self.groups.iter().copied().zip(0..).collect();
        self.numbers.get_or_insert_with(all).get(&group).copied()
    }

    fn insert(&mut self, group: Group<N>) -> usize {
        let number = self.groups.len();
        self.groups.push(group);
        if let Some(numbers) = &mut self.numbers {
            numbers.insert(group, number);
        }
        number
    }

    /// Iterates over the queues and keys of a range of groups.
    pub fn keys(&self, range: Range<usize>) -> impl Iterator<Item = Key<N>> {
        let queues = self.queues.keys();
        let groups = self.groups.get(range).unwrap_or_default();
        groups.iter().filter_map(|(queue, key)| Some((*queues.get(*queue)?, *key)))
    }

    /// Returns the number of groups.
    pub const fn len(&self) -> usize {
        self.groups.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUES: [[u64; 3]; 2] = [[0, 0, 0], [0, 1, 0]];

    #[test]
    fn numbers_are_those_of_groups_whatever_the_order() {
        let mut state = 1_u64;
        for most in [1, 3, 50, u64::MAX] {
            let (mut groups, mut within) = (Groups::<3>::default(), InQueues::<2>::default());
            for nth in 0..2_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                // Ascending at first, then anything.
                let id = if nth < 500 { nth / 3 } else { (state >> 33) % most };
                let queue = QUEUES[(state >> 20) as usize % 2];
                let number = groups.number([queue[1], id, id % 2]);
                assert_eq!(within.number(queue, [id, id % 2]), number);
            }
            let keys = within.keys(0..within.len());
            let keys: Vec<_> = keys.map(|(queue, [id, odd])| [queue[1], id, odd]).collect();
            assert_eq!((within.len(), keys.as_slice()), (groups.len(), groups.keys()));
        }
    }

    #[test]
    fn nothing_is_looked_for_while_keys_ascend_in_each_queue() {
        let mut within = InQueues::<1>::default();
        for submission in 0..1_000 {
            for queue in QUEUES {
                within.number(queue, [submission]);
                within.number(queue, [submission]);
            }
        }
        assert!(within.numbers.is_none() && within.len() == 2_000);
        assert_eq!(within.number(QUEUES[0], [7]), 14);
        assert!(within.numbers.is_some());
    }
}

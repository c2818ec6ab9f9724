//! Assigns consecutive numbers to group keys, in order of first appearance.

use hashbrown::HashTable;

use super::heap::HeapBytes;

/// Keys and their numbers. The hash table has the numbers only.
///
/// Every event is looked up, so a lookup is inlined.
#[derive(Debug)]
pub struct Groups<const N: usize> {
    numbers: HashTable<usize>,
    keys: Vec<[u64; N]>,
}

impl<const N: usize> Default for Groups<N> {
    fn default() -> Self {
        Self { numbers: HashTable::new(), keys: Vec::new() }
    }
}

impl<const N: usize> Groups<N> {
    /// Returns the number of the group with `key`. Adds the group if it is new.
    #[inline]
    pub fn number(&mut self, key: [u64; N]) -> usize {
        self.find(key).unwrap_or_else(|| self.insert(key))
    }

    /// Returns the number of the group with `key`; `None` if there is none.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call would cost as much as the lookup")]
    pub fn find(&self, key: [u64; N]) -> Option<usize> {
        let is_same =
            |number: &usize| self.keys.get(*number).is_some_and(|known| same(known, &key));
        self.numbers.find(hash(&key), is_same).copied()
    }

    /// Adds a group and returns its number. The key must be new.
    #[cold]
    pub fn insert(&mut self, key: [u64; N]) -> usize {
        debug_assert!(self.find(key).is_none(), "each group is added once");
        let number = self.keys.len();
        self.keys.push(key);
        let again = |number: &usize| self.keys.get(*number).map_or(0, hash);
        self.numbers.insert_unique(hash(&key), number, again);
        number
    }

    /// Returns the keys in order of first appearance.
    pub fn keys(&self) -> &[[u64; N]] {
        &self.keys
    }

    /// Iterates over the n-th word of every key, in order.
    pub fn part(&self, nth: usize) -> impl Iterator<Item = u64> + '_ {
        self.keys.iter().map(move |key| key.get(nth).copied().unwrap_or_default())
    }

    /// Returns the number of groups.
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are no groups.
    pub const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// Whether two keys are equal, compared word by word in registers. `==` compares the bytes in memory and stalls on
/// the words that were just stored there.
#[inline]
pub fn same<const N: usize>(left: &[u64; N], right: &[u64; N]) -> bool {
    left.iter().zip(right).fold(0, |difference, (left, right)| difference | (left ^ right)) == 0
}

/// Multilinear hash: the sum of the words, each times its own odd constant, so that the multiplications are
/// independent. Keys are counters of a program, not chosen by an adversary; a file with forced collisions is only
/// slow to read.
#[inline]
pub fn hash<const N: usize>(key: &[u64; N]) -> u64 {
    let sum = key
        .iter()
        .zip(FACTORS)
        .fold(0, |sum: u64, (word, factor)| sum.wrapping_add(word.wrapping_mul(factor)));
    // One round of the mixer degski64. The multiplication spreads all bits upwards, so the upper half, which depends
    // on all of them, is rotated down to where the slot is taken from.
    (sum ^ (sum >> 32)).wrapping_mul(SPREAD).rotate_right(32)
}

/// Arbitrary odd constants (digits of irrational numbers), one per word. No key is longer.
const FACTORS: [u64; 9] = [
    0x9e37_79b9_7f4a_7c15,
    0xb7e1_5162_8aed_2a6b,
    0xc90f_daa2_2168_c235,
    0x93c4_67e3_7db0_c7a5,
    0xb504_f333_f9de_6485,
    0xddb3_d742_c265_539d,
    0x8f1b_bcdc_bfa5_3e0b,
    0xa953_fd4e_97c7_4905,
    0xdb4f_0b91_75ae_2165,
];

const SPREAD: u64 = 0xd6e8_feb8_6659_fd93;

impl<const N: usize> HeapBytes for Groups<N> {
    fn heap_bytes(&self) -> usize {
        self.numbers.allocation_size() + self.keys.heap_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_numbered_as_they_appear() {
        let mut groups = Groups::<2>::default();
        let numbers: Vec<usize> =
            [[7, 1], [7, 1], [0, 0], [7, 2], [0, 0]].map(|key| groups.number(key)).to_vec();
        assert_eq!(numbers, [0, 0, 1, 2, 1]);
        assert_eq!(groups.part(1).collect::<Vec<_>>(), [1, 0, 2]);
        assert_eq!(groups.find([7, 2]), Some(2));
        assert_eq!(groups.find([8, 2]), None);
        assert_eq!(Groups::<3>::default().find([0; 3]), None);
    }

    #[test]
    fn many_groups_are_all_found_again() {
        let mut groups = Groups::<3>::default();
        let keys: Vec<[u64; 3]> =
            (0..10_000).map(|nth| [nth % 7, nth << 32, u64::MAX - nth]).collect();
        for round in 0..2 {
            for (nth, key) in keys.iter().enumerate() {
                assert_eq!(groups.number(*key), nth, "round {round}");
            }
        }
        assert_eq!(groups.keys(), keys);
    }
}

//! Numbers groups by their keys, in order of first appearance.

/// Group numbers by key: an open-addressed index into the keys, which are kept once.
///
/// Every event is looked up, so a lookup is a hash, mostly one probe, and a comparison, all without calls.
#[derive(Debug)]
pub struct Groups<const N: usize> {
    /// Number of a group plus one, or 0; a power of two of them, at most half of them taken.
    slots: Vec<usize>,
    keys: Vec<[u64; N]>,
}

impl<const N: usize> Default for Groups<N> {
    fn default() -> Self {
        Self { slots: Vec::new(), keys: Vec::new() }
    }
}

impl<const N: usize> Groups<N> {
    /// The number of the group with `key`, which is new or known.
    #[inline]
    pub fn number(&mut self, key: [u64; N]) -> usize {
        self.find(key).unwrap_or_else(|| self.insert(key))
    }

    /// The number of the group with `key`, where there is one.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call would be as long as the lookup")]
    pub fn find(&self, key: [u64; N]) -> Option<usize> {
        let mut slot = hash(&key);
        loop {
            // Without slots there is nothing to find, and there is always an empty one.
            let number = self.slot(slot)?.checked_sub(1)?;
            if self.keys.get(number).is_some_and(|known| same(known, &key)) {
                return Some(number);
            }
            slot = slot.wrapping_add(1);
        }
    }

    #[inline]
    fn slot(&self, slot: usize) -> Option<usize> {
        self.slots.get(slot & self.slots.len().wrapping_sub(1)).copied()
    }

    /// Adds a group, whose key is not known yet, and gives its number.
    #[cold]
    pub fn insert(&mut self, key: [u64; N]) -> usize {
        debug_assert!(self.find(key).is_none(), "a group is added once");
        self.keys.push(key);
        // While there are few, memory is cheaper than a second probe that the processor did not foresee.
        let room = if self.keys.len() <= FEW { 8 } else { 2 };
        if self.keys.len() * room > self.slots.len() {
            self.slots = vec![0; (self.keys.len() * room * 2).next_power_of_two()];
            for number in 0..self.keys.len() {
                self.take_slot(number);
            }
        } else {
            self.take_slot(self.keys.len() - 1);
        }
        self.keys.len() - 1
    }

    /// Puts the number of a key into the first empty slot from its own on.
    fn take_slot(&mut self, number: usize) {
        let Some(mut slot) = self.keys.get(number).map(hash) else { return };
        while self.slot(slot).is_some_and(|taken| taken != 0) {
            slot = slot.wrapping_add(1);
        }
        let mask = self.slots.len().wrapping_sub(1);
        if let Some(empty) = self.slots.get_mut(slot & mask) {
            *empty = number + 1;
        }
    }

    /// The keys in order of first appearance.
    pub fn keys(&self) -> &[[u64; N]] {
        &self.keys
    }

    /// One part of every key, in order.
    pub fn part(&self, nth: usize) -> impl Iterator<Item = u64> + '_ {
        self.keys.iter().map(move |key| key.get(nth).copied().unwrap_or_default())
    }

    /// How many groups there are.
    pub const fn len(&self) -> usize {
        self.keys.len()
    }

    /// Whether there are none.
    pub const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

/// Whether two keys are the same, word by word: the usual comparison reads keys as bytes from memory, and waits there
/// for what was just written as words.
#[inline]
pub fn same<const N: usize>(left: &[u64; N], right: &[u64; N]) -> bool {
    left.iter().zip(right).fold(0, |difference, (left, right)| difference | (left ^ right)) == 0
}

/// Adds the words up, each by a factor of its own, so that no multiplication waits for another. Keys are ids that a
/// program counted up, not an adversary's choice: a file that collides on purpose is slow to read and nothing worse.
#[inline]
fn hash<const N: usize>(key: &[u64; N]) -> usize {
    let sum = key
        .iter()
        .zip(FACTORS)
        .fold(0, |sum: u64, (word, factor)| sum.wrapping_add(word.wrapping_mul(factor)));
    // The upper bits depend on all bits below them.
    #[expect(clippy::cast_possible_truncation, reason = "any bits will do")]
    {
        (sum ^ (sum >> 32)).wrapping_mul(SPREAD).rotate_right(32) as usize
    }
}

/// Odd, and nothing else: digits of well-known numbers. There are no longer keys.
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

/// Groups up to which an eighth of the slots is taken at most.
const FEW: usize = 128;

const SPREAD: u64 = 0xd6e8_feb8_6659_fd93;

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

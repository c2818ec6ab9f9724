//! Numbers groups by their keys, in order of first appearance.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{BuildHasherDefault, Hasher};

/// Group numbers by key.
#[derive(Debug)]
pub struct Groups<const N: usize> {
    numbers: HashMap<[u64; N], usize, BuildHasherDefault<Mix>>,
    keys: Vec<[u64; N]>,
    /// What was found before, each in the place that its key falls on: most events are of few groups.
    recent: Box<[Option<([u64; N], usize)>; RECENT]>,
}

/// Groups that are remembered.
const RECENT: usize = 256;

/// The place of a key among those.
#[inline]
fn place<const N: usize>(key: &[u64; N]) -> usize {
    let mixed =
        key.iter().fold(0_u64, |mixed, part| (mixed ^ part).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    (mixed >> 56) as usize
}

impl<const N: usize> Default for Groups<N> {
    fn default() -> Self {
        Self { numbers: HashMap::default(), keys: Vec::new(), recent: Box::new([None; RECENT]) }
    }
}

impl<const N: usize> Groups<N> {
    /// The number of the group with `key`, which is new or known.
    #[inline]
    pub fn number(&mut self, key: [u64; N]) -> usize {
        let place = place(&key);
        match self.recent.get(place) {
            Some(Some((known, number))) if *known == key => *number,
            _ => self.look_up(key, place),
        }
    }

    fn look_up(&mut self, key: [u64; N], place: usize) -> usize {
        let number = match self.numbers.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.keys.push(key);
                *new.insert(self.keys.len() - 1)
            }
        };
        if let Some(recent) = self.recent.get_mut(place) {
            *recent = Some((key, number));
        }
        number
    }

    /// The number of the group with `key`, where there is one.
    pub fn find(&self, key: [u64; N]) -> Option<usize> {
        self.numbers.get(&key).copied()
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

/// Multiplies and folds each word. Keys are ids that a program counted up, not an adversary's choice: a file that
/// collides on purpose is slow to read and nothing worse.
#[derive(Debug, Default)]
pub struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u64(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word ^ 0x9e37_79b9_7f4a_7c15) * 0xa076_1d64_78bd_642f;
        #[expect(clippy::cast_possible_truncation, reason = "the two halves of the product")]
        {
            self.0 = product as u64 ^ (product >> 64) as u64;
        }
    }

    #[inline]
    fn write_usize(&mut self, _length: usize) {
        // The length of a key is always the same.
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
    }
}

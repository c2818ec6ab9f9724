//! Numbers groups by their keys, in order of first appearance.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hash, Hasher};

/// Group numbers by key.
#[derive(Debug)]
pub struct Groups<const N: usize> {
    numbers: HashMap<Key<N>, usize, BuildHasherDefault<Mix>>,
    keys: Vec<[u64; N]>,
    /// Groups that were asked for lately, each in the one place where it may be: events come in runs of one submission,
    /// and most of a few dozen functions.
    recent: Vec<([u64; N], usize)>,
}

/// Places for recent groups.
const RECENT: usize = 256;

impl<const N: usize> Default for Groups<N> {
    fn default() -> Self {
        Self { numbers: HashMap::default(), keys: Vec::new(), recent: Vec::new() }
    }
}

impl<const N: usize> Groups<N> {
    /// The number of the group with `key`, which is new or known.
    #[inline]
    pub fn number(&mut self, key: [u64; N]) -> usize {
        let place = place(&key);
        match self.recent.get(place) {
            Some((known, number)) if same(known, &key) => *number,
            _ => self.look_up(&Key(key), place),
        }
    }

    fn look_up(&mut self, key: &Key<N>, place: usize) -> usize {
        let number = self.numbers.get(key).copied().unwrap_or_else(|| {
            self.numbers.insert(*key, self.keys.len());
            self.keys.push(key.0);
            self.keys.len() - 1
        });
        if self.recent.is_empty() {
            self.recent.resize(RECENT, (key.0, number));
        }
        if let Some(recent) = self.recent.get_mut(place) {
            *recent = (key.0, number);
        }
        number
    }

    /// The number of the group with `key`, where there is one.
    pub fn find(&self, key: [u64; N]) -> Option<usize> {
        self.numbers.get(&Key(key)).copied()
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

/// The one place where a key may be among the recent ones. Ids are counted up, so keys that differ in one word by less
/// than there are places get places of their own.
#[inline]
fn place<const N: usize>(key: &[u64; N]) -> usize {
    let (sum, _) = key.iter().fold((0_u64, 1_u64), |(sum, odd), word| {
        (sum.wrapping_add(word.wrapping_mul(odd)), odd.wrapping_mul(11))
    });
    #[expect(clippy::cast_possible_truncation, reason = "the low bits are meant")]
    {
        (sum ^ (sum >> 8) ^ (sum >> 16)) as usize % RECENT
    }
}

/// Whether two keys are the same, word by word: the usual comparison reads keys as bytes from memory, and waits there
/// for what was just written as words.
#[inline]
pub fn same<const N: usize>(left: &[u64; N], right: &[u64; N]) -> bool {
    left.iter().zip(right).fold(0, |different, (left, right)| different | (left ^ right)) == 0
}

/// A key that is hashed and compared word by word.
#[derive(Debug, Clone, Copy, Eq)]
struct Key<const N: usize>([u64; N]);

impl<const N: usize> PartialEq for Key<N> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        same(&self.0, &other.0)
    }
}

impl<const N: usize> Hash for Key<N> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        for word in &self.0 {
            state.write_u64(*word);
        }
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
        for byte in bytes {
            self.write_u64((*byte).into());
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

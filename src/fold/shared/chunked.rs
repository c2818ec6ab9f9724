//! A list that never moves what it holds: of a million large things, a growing vector would copy every one twice.

use std::ops::Range;

/// Things in order of addition.
#[derive(Debug)]
pub struct Chunked<T> {
    /// All but the last are full.
    chunks: Vec<Vec<T>>,
    length: usize,
}

/// Things of a chunk; a power of two, so that a place is found by shifting.
const CHUNK: usize = 4096;

impl<T> Default for Chunked<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), length: 0 }
    }
}

impl<T> Chunked<T> {
    /// Adds `thing` at the end.
    pub fn push(&mut self, thing: T) {
        self.length += 1;
        if let Some(last) = self.chunks.last_mut().filter(|last| last.len() < CHUNK) {
            last.push(thing);
            return;
        }
        // The first chunk may stay small.
        let room = if self.chunks.is_empty() { 4 } else { CHUNK };
        let mut chunk = Vec::with_capacity(room);
        chunk.push(thing);
        self.chunks.push(chunk);
    }

    /// How many things there are.
    pub const fn len(&self) -> usize {
        self.length
    }

    /// The n-th thing.
    #[inline]
    pub fn get(&self, nth: usize) -> Option<&T> {
        self.chunks.get(nth / CHUNK)?.get(nth % CHUNK)
    }

    /// The n-th thing, to be changed.
    #[inline]
    pub fn get_mut(&mut self, nth: usize) -> Option<&mut T> {
        self.chunks.get_mut(nth / CHUNK)?.get_mut(nth % CHUNK)
    }

    /// All things.
    pub fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    /// Some of the things.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = &T> {
        range.map_while(|nth| self.get(nth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_kept_over_chunks() {
        let mut list = Chunked::default();
        (0..=3 * CHUNK).for_each(|number| list.push(number));
        assert_eq!(list.len(), 3 * CHUNK + 1);
        assert!(list.iter().copied().eq(0..=3 * CHUNK));
        assert!(list.range(CHUNK - 1..CHUNK + 1).copied().eq([CHUNK - 1, CHUNK]));
        assert_eq!(list.get(3 * CHUNK + 1), None);
        *list.get_mut(CHUNK).unwrap() = 7;
        assert_eq!(list.get(CHUNK), Some(&7));
    }
}

//! A value for each group, in order of first appearance.

use super::groups::Groups;
use super::heap::HeapBytes;

/// Groups with a value each.
#[derive(Debug)]
pub struct Grouped<const N: usize, T> {
    keys: Groups<N>,
    values: Vec<T>,
}

impl<const N: usize, T> Default for Grouped<N, T> {
    fn default() -> Self {
        Self { keys: Groups::default(), values: Vec::new() }
    }
}

impl<const N: usize, T> Grouped<N, T> {
    /// Adds a value under a new key; the first value of a key counts.
    pub fn define(&mut self, key: [u64; N], value: impl FnOnce() -> T) {
        if self.keys.number(key) == self.values.len() {
            self.values.push(value());
        }
    }

    /// Returns the value of a key, which is added with a default if it is new. It is never `None`.
    #[inline]
    pub fn at(&mut self, key: [u64; N]) -> Option<&mut T>
    where
        T: Default,
    {
        self.numbered(key).1
    }

    /// Like [`Self::at`], with the index of the key.
    #[inline]
    pub fn numbered(&mut self, key: [u64; N]) -> (usize, Option<&mut T>)
    where
        T: Default,
    {
        let number = self.keys.number(key);
        (number, grown(&mut self.values, number))
    }

    /// Returns the index of a key.
    pub fn index(&self, key: [u64; N]) -> Option<usize> {
        self.keys.find(key)
    }

    /// Returns the value of a key.
    pub fn find(&self, key: [u64; N]) -> Option<&T> {
        self.values.get(self.keys.find(key)?)
    }

    /// Returns the value of a key, to be changed.
    pub fn find_mut(&mut self, key: [u64; N]) -> Option<&mut T> {
        self.values.get_mut(self.keys.find(key)?)
    }

    /// Returns the keys.
    pub fn keys(&self) -> &[[u64; N]] {
        self.keys.keys()
    }

    /// Returns the keys without the values.
    pub fn into_keys(self) -> Groups<N> {
        self.keys
    }

    /// Returns the values.
    pub fn values(&self) -> &[T] {
        &self.values
    }

    /// Returns the values, to be changed.
    pub fn values_mut(&mut self) -> &mut [T] {
        &mut self.values
    }

    /// Returns keys and values.
    pub fn iter(&self) -> impl Iterator<Item = (&[u64; N], &T)> {
        self.keys.keys().iter().zip(&self.values)
    }

    /// Returns the number of groups.
    pub const fn len(&self) -> usize {
        self.values.len()
    }
}

/// Returns the value at `number`. The list is filled up to it with defaults if it is shorter.
#[inline]
pub fn grown<T: Default>(values: &mut Vec<T>, number: usize) -> Option<&mut T> {
    if number >= values.len() {
        grow(values, number);
    }
    values.get_mut(number)
}

#[cold]
fn grow<T: Default>(values: &mut Vec<T>, last: usize) {
    values.resize_with(last + 1, T::default);
}

impl<const N: usize, T> HeapBytes for Grouped<N, T> {
    fn heap_bytes(&self) -> usize {
        self.keys.heap_bytes() + self.values.heap_bytes()
    }
}

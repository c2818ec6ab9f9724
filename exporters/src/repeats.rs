//! Finds values that repeat within a column, so that their encoding is computed once.

/// Whether there are values, and all are the same.
pub(crate) fn are_same<T: PartialEq>(values: impl IntoIterator<Item = T>) -> bool {
    let mut values = values.into_iter();
    let first = values.next();
    first.is_some() && values.all(|value| Some(value) == first)
}

/// The number of slots is `2^BITS`: many more than a typical capture has functions, because keys in one slot evict each
/// other.
const BITS: u32 = 10;

/// The key of NULL. It is not the view of any text, because its length field exceeds the maximum length.
pub const NONE: u128 = u128::MAX;

/// A direct-mapped cache of results computed from values: each slot holds the last key that hashed to it, with its
/// result. Keys have 128 bits; the key of a text is its view, which contains the location of a long text or the bytes of
/// a short one, so that equal views of one array are equal texts.
#[derive(Debug)]
pub struct Remembered<T> {
    /// Empty until the first result is stored.
    slots: Vec<Option<(u128, T)>>,
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self { slots: Vec::new() }
    }
}

impl<T> Remembered<T> {
    /// Returns the cached result for a key, or stores and returns the result of `make`.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the index is below the number of slots")]
    pub fn of(&mut self, key: u128, make: impl FnOnce() -> T) -> &T {
        if self.slots.is_empty() {
            self.slots.resize_with(1 << BITS, || None);
        }
        // Fibonacci hashing (Knuth, TAOCP vol. 3, 6.4): the top bits of a product with 2^64 / φ select the slot.
        #[expect(clippy::cast_possible_truncation, reason = "any bits are valid")]
        let mixed = ((key >> 64) as u64 ^ key as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.slots[(mixed >> (64 - BITS)) as usize];
        if slot.as_ref().is_some_and(|(known, _)| *known != key) {
            *slot = None;
        }
        &slot.get_or_insert_with(|| (key, make())).1
    }
}

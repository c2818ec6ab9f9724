//! A small cache of results computed from column values, so that a repeated value costs one lookup.

/// Number of slots; a power of two.
const SLOTS: usize = 64;

/// The key of NULL. It is not the view of any text, because its length field exceeds the maximum length.
pub const NONE: u128 = u128::MAX;

/// A direct-mapped cache: each slot holds the last key that hashed to it, with its result. Keys have 128 bits; the key
/// of a text is its view, because equal views of one array are equal texts.
#[derive(Debug)]
pub struct Remembered<T> {
    slots: [Option<(u128, T)>; SLOTS],
}

impl<T> Default for Remembered<T> {
    fn default() -> Self {
        Self { slots: std::array::from_fn(|_| None) }
    }
}

impl<T> Remembered<T> {
    /// Returns the cached result for a key, or stores and returns the result of `make`.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the index is masked to the number of slots")]
    pub fn of(&mut self, value: u128, make: impl FnOnce() -> T) -> &T {
        // Multiplicative hashing (Knuth, TAOCP vol. 3, 6.4).
        let mixed = (value ^ value >> 64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.slots[(mixed >> 40) as usize & (SLOTS - 1)];
        if slot.as_ref().is_some_and(|(known, _)| *known != value) {
            *slot = None;
        }
        &slot.get_or_insert_with(|| (value, make())).1
    }
}

//! A small cache of results computed from values of earlier rows, so that a repeated value costs one lookup.

/// Slots of the cache; a power of two.
const SLOTS: usize = 64;

/// The view that stands for NULL: no text is as long as its length field says.
pub const NONE: u128 = u128::MAX;

/// A cache in which each slot holds the last value that hashed to it, with its result. The key of a value has 128 bits;
/// that of a text is its view, because equal views of one array are equal texts.
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
    /// Returns the cached result for a value, or stores and returns that of `make`.
    #[inline]
    #[expect(clippy::indexing_slicing, reason = "the place is masked to the slots that there are")]
    pub fn of(&mut self, value: u128, make: impl FnOnce() -> T) -> &T {
        let mixed = (value ^ value >> 64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let slot = &mut self.slots[(mixed >> 40) as usize & (SLOTS - 1)];
        if slot.as_ref().is_some_and(|(known, _)| *known != value) {
            *slot = None;
        }
        &slot.get_or_insert_with(|| (value, make())).1
    }
}

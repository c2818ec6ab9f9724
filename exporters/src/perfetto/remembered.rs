//! What was made of the values of rows before, so that what comes again costs a look.

/// Values that are remembered at once; a power of two.
const SLOTS: usize = 64;

/// The view of no text: no text is as long as its length says.
pub const NONE: u128 = u128::MAX;

/// The last value of each slot, and what was made of it. A value is known by 128 bits: of texts by their views, as equal
/// views of one array are equal texts.
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
    /// What `make` makes of a value.
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

//! Loads records into the cache before they are read.
//!
//! A reader of small chunks would wait for the memory once or twice a chunk, as their places follow no pattern that the
//! processor knows. It waits for several places at once if these are asked for together.

use super::cursor::load;
use super::open::Bundle;

/// Chunks that are loaded at once, and the bytes of each. The processor loads the following bytes by itself.
const CHUNKS: usize = 16;
const BYTES: usize = 512;

/// To be called with `nth` from 0 on while `records` are read in order: loads some of them, if it is time. `index` returns
/// the index of a record among those of the file.
#[inline]
pub fn load_ahead<T: Copy>(bundle: &Bundle, records: &[T], nth: usize, index: impl Fn(T) -> u32) {
    if nth.is_multiple_of(CHUNKS) {
        for record in records.iter().skip(nth).take(CHUNKS) {
            load::<BYTES>(bundle.record(index(*record)));
        }
    }
}

//! Numbers for the unit tests of what is stored: they come back to the last bit.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Numbers that a detour through text or through fewer bits would change, and any bits.
pub fn doubles() -> Vec<f64> {
    let named = [
        0.0,
        -0.0,
        0.1,
        0.1 + 0.2,
        1.0 / 3.0,
        1_827_254.100_498_976_2,
        5e-324,
        f64::from_bits(0x000f_ffff_ffff_ffff),
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::MIN,
        f64::EPSILON,
        9_007_199_254_740_993.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
    ];
    let mut random = ChaCha8Rng::seed_from_u64(1);
    named.into_iter().chain((0..20_000).map(|_| f64::from_bits(random.next_u64()))).collect()
}

/// Returns the bits of numbers.
pub fn bits(numbers: impl IntoIterator<Item = f64>) -> Vec<u64> {
    numbers.into_iter().map(f64::to_bits).collect()
}

//! Random numbers below a bound, and random orders.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

/// Puts items into a random order (Fisher and Yates, 1938).
pub fn shuffle<T>(items: &mut [T], random: &mut ChaCha8Rng) {
    for last in (1..items.len()).rev() {
        items.swap(last, below(random, last + 1));
    }
}

/// Draws a number below a bound by multiply-and-shift (Lemire, 2019). Without rejection, its bias is at most
/// bound / 2^64.
pub fn below(random: &mut ChaCha8Rng, bound: usize) -> usize {
    let product = u128::from(random.next_u64()) * bound as u128;
    usize::try_from(product >> 64).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng;

    use super::*;

    #[test]
    fn every_order_is_as_likely() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut counts = std::collections::BTreeMap::new();
        for _ in 0..6000 {
            let mut items = ['a', 'b', 'c'];
            shuffle(&mut items, &mut random);
            *counts.entry(items).or_insert(0) += 1;
        }
        assert_eq!(counts.len(), 6);
        // Four standard deviations of the binomial number are 4 * sqrt(6000 * 5 / 36) = 115.
        assert!(counts.values().all(|count| (885..=1115).contains(count)), "{counts:?}");
    }
}

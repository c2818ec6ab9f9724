//! Random numbers of the normal distribution, for the simulations of unit tests.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

/// Returns a number of the standard normal distribution (Box and Muller, 1958).
pub fn normal(random: &mut ChaCha8Rng) -> f64 {
    let mut uniform = || (f64::from(random.next_u32()) + 0.5) / 4_294_967_296.0;
    let (one, other) = (uniform(), uniform());
    (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
}

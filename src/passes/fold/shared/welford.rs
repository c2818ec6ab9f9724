//! Running mean and variance by Welford's method (B. P. Welford, Technometrics 4(3), 1962).
//!
//! The order of the values affects the last digits, so they are added in file order and partial results are never
//! merged.

/// Count, mean, and sum of squared deviations from the mean.
#[derive(Debug, Clone, Copy, Default)]
pub struct Welford {
    pub count: u64,
    pub mean: f64,
    pub squares: f64,
}

impl Welford {
    /// Adds a duration.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "as in the reference; exact up to 2^53")]
    pub(crate) fn add_duration(&mut self, duration: u64) {
        self.add(duration as f64);
    }

    /// Adds a value.
    #[inline]
    #[expect(clippy::cast_precision_loss, reason = "as in the reference; exact up to 2^53")]
    pub fn add(&mut self, value: f64) {
        self.count += 1;
        let before = value - self.mean;
        // mean' = mean + (x - mean) / n; squares' = squares + (x - mean) * (x - mean'). This avoids the cancellation
        // of the textbook formula E[x^2] - E[x]^2.
        // Signed integers convert to floating point faster, and a count fits 63 bits.
        self.mean += before / self.count.cast_signed() as f64;
        self.squares += before * (value - self.mean);
    }

    /// Returns the sample standard deviation; 0 for fewer than two values.
    #[expect(clippy::cast_precision_loss, reason = "as in the reference; exact up to 2^53")]
    pub fn deviation(&self) -> f64 {
        if self.count < 2 { 0.0 } else { root(self.squares / (self.count - 1) as f64) }
    }
}

/// Computes the square root as in `iree-profile`: by 32 steps of Newton's method from `max(value, 1)`. For very large
/// values this has not converged.
fn root(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    (0..32).fold(value.max(1.0), |estimate, _| 0.5 * (estimate + value / estimate))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deviation_of_a_sample() {
        let mut running = Welford::default();
        for value in [2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0] {
            running.add(value);
        }
        assert!((running.mean - 5.0).abs() < 1e-12);
        assert!((running.deviation() - (32.0_f64 / 7.0).sqrt()).abs() < 1e-12);
        assert!(Welford::default().deviation().abs() < f64::EPSILON);
    }
}

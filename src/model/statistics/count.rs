//! Counts as numbers.

/// Converts a count, which is far below 2^53.
#[expect(clippy::cast_precision_loss, reason = "counts of measurements are far below 2^53")]
pub const fn float(count: usize) -> f64 {
    count as f64
}

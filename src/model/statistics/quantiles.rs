//! Quantiles with linear interpolation.

use super::count::float;

/// Returns the median; NaN if there are no values.
pub fn median(values: &[f64]) -> f64 {
    quantile(&sorted(values), 0.5)
}

/// Returns the values in ascending order.
pub fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Returns a quantile of sorted values with linear interpolation (type 7 of Hyndman and Fan, 1996, as in numpy).
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = share * float(last);
    let low = floor(place);
    let at = |index: usize| sorted.get(index.min(last)).copied().unwrap_or(f64::NAN);
    let (below, above) = (at(low), at(low + 1));
    below + (above - below) * (place - float(low))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "an index of the values"
)]
const fn floor(place: f64) -> usize {
    place as usize
}

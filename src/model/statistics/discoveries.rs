//! The false discovery rate over a family of tests (Benjamini and Hochberg, 1995).

use super::count::float;

/// Returns the adjusted p-values in the given order. Those at most q are discoveries of which at most the share q is
/// expected to be false. NaN stays NaN and is no member of the family.
pub fn adjusted(p_values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    let p_of = |nth: usize| p_values.get(nth).copied().unwrap_or(f64::NAN);
    order.retain(|nth| !p_of(*nth).is_nan());
    order.sort_by(|one, other| p_of(*one).total_cmp(&p_of(*other)));
    let mut adjusted = p_values.to_vec();
    let count = float(order.len());
    let mut smallest = 1.0_f64;
    // The k-th smallest p-value is multiplied by n / k. From the largest on, none may exceed its successor.
    for (rank, nth) in order.iter().enumerate().rev() {
        smallest = smallest.min(p_of(*nth) * count / float(rank + 1));
        if let Some(value) = adjusted.get_mut(*nth) {
            *value = smallest;
        }
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_grow_with_the_family() {
        // The values of scipy.stats.false_discovery_control for the same p-values.
        let given = [0.01, 0.04, 0.03, 0.005, 0.5];
        let expected = [0.025, 0.05, 0.05, 0.025, 0.5];
        for (value, expected) in adjusted(&given).iter().zip(expected) {
            assert!((value - expected).abs() < 1e-12, "{value} is not {expected}");
        }
        assert_eq!(adjusted(&[0.3]), [0.3]);
        assert!(adjusted(&[]).is_empty());
        let with_nan = adjusted(&[f64::NAN, 0.02, 0.03]);
        assert!(with_nan[0].is_nan());
        assert_eq!(with_nan[1..], [0.03, 0.03]);
    }
}

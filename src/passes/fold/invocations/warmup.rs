//! Finds the invocations at the start of a run that are slower than the rest: pipelines are created, pages are touched
//! for the first time, caches are cold.
//!
//! The candidate is the truncation point of the rule MSER (White, Simulation 69(6), 1997): the one that minimizes the
//! standard error of the mean of the rest. MSER truncates pure noise, too, so each truncated value must also exceed the
//! median of the rest by several scaled median absolute deviations. The unit of replication is the invocation.

/// The scale that makes the median absolute deviation estimate the standard deviation of normal values.
const MAD_SCALE: f64 = 1.4826;

/// The excess over the median, in standard deviations, from which on a value is not noise.
const DEVIATIONS: f64 = 3.0;

/// The least relative excess over the median that is worth leaving out.
const EXCESS: f64 = 0.1;

/// Returns how many values at the start are warm-up. At least two values remain.
pub fn warm_up(values: &[f64]) -> usize {
    let most = (values.len() / 2).min(values.len().saturating_sub(2));
    let candidate = errors(values)
        .take(most + 1)
        .enumerate()
        .min_by(|(_, left), (_, right)| left.total_cmp(right))
        .map_or(0, |(nth, _)| nth);
    let (first, rest) = values.split_at(candidate);
    let center = median(rest.to_vec());
    let spread = MAD_SCALE * median(rest.iter().map(|value| (value - center).abs()).collect());
    // The deviation of few values is itself uncertain.
    #[expect(clippy::cast_precision_loss, reason = "a count of invocations")]
    let certainty = 1.0 + 6.0 / rest.len().max(1) as f64;
    let limit = center + (DEVIATIONS * certainty * spread).max(EXCESS * center);
    first.iter().take_while(|value| **value > limit).count()
}

/// Returns for each position the squared standard error of the mean of the values from there on.
fn errors(values: &[f64]) -> impl Iterator<Item = f64> {
    // The sums are those of the differences from one value, so that squares do not cancel out.
    let origin = values.last().copied().unwrap_or_default();
    let (mut count, mut sum, mut squares) = (0.0, 0.0, 0.0);
    let from_end = values.iter().rev().map(move |value| {
        let difference = value - origin;
        count += 1.0;
        sum += difference;
        squares += difference * difference;
        (squares - sum * sum / count) / (count * count)
    });
    from_end.collect::<Vec<f64>>().into_iter().rev()
}

/// Returns the median; 0 for no values.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    let at = |nth: usize| values.get(nth).copied().unwrap_or_default();
    if values.len().is_multiple_of(2) {
        f64::midpoint(at(middle.saturating_sub(1)), at(middle))
    } else {
        at(middle)
    }
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};

    use super::*;

    #[test]
    fn slow_first_invocations_are_warm_up() {
        for (values, expected) in [
            (vec![], 0),
            (vec![5.0], 0),
            (vec![5.0, 1.0], 0),
            (vec![18.5, 0.21, 0.22], 1),
            (vec![9.0, 3.0, 1.0, 1.01, 0.99, 1.0, 1.02, 1.0], 2),
            (vec![1.0, 1.01, 0.99, 1.0, 1.02, 1.0], 0),
            // Slow later is not warm-up.
            (vec![1.0, 1.0, 1.0, 9.0, 1.0, 1.0], 0),
        ] {
            assert_eq!(warm_up(&values), expected, "{values:?}");
        }
    }

    /// Returns normal values with mean 1 (sums of twelve uniform values).
    fn normal(random: &mut ChaCha8Rng, deviation: f64, count: usize) -> Vec<f64> {
        let mut one = || {
            let sum: f64 =
                (0..12).map(|_| f64::from(random.next_u32()) / f64::from(u32::MAX)).sum();
            1.0 + deviation * (sum - 6.0)
        };
        (0..count).map(|_| one()).collect()
    }

    #[test]
    fn noise_is_seldom_warm_up_and_slow_starts_are_found() {
        let mut random = ChaCha8Rng::seed_from_u64(28);
        for count in [3, 5, 10, 30, 100] {
            for deviation in [0.01, 0.05, 0.1, 0.2] {
                let (mut alarms, mut found) = (0, 0);
                for _ in 0..2_000 {
                    let mut values = normal(&mut random, deviation, count);
                    alarms += usize::from(warm_up(&values) > 0);
                    values[0] *= 1.0 + 20.0 * deviation.max(0.05);
                    found += usize::from(warm_up(&values) == 1);
                }
                println!("{count} {deviation}: {alarms} {found}");
                assert!(alarms <= 100, "{alarms} of 2000 false alarms for {count} at {deviation}");
                if count >= 5 {
                    assert!(found >= 1_800, "{found} of 2000 found for {count} at {deviation}");
                }
            }
        }
    }
}

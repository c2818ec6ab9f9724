//! Exact integer arithmetic of a clock fit: 128-bit intermediate products, rounded to the nearest nanosecond, halves
//! up.

/// Converts `ticks` to nanoseconds, for a clock that counts `tick_span` ticks in `time_span_ns`. `None` if
/// `tick_span` is 0.
#[inline]
pub fn nearest(ticks: u64, tick_span: u64, time_span_ns: u64) -> Option<u128> {
    let half = tick_span / 2;
    // Adding half of the divisor before the integer division rounds to nearest. Most products fit 64 bits, where the
    // division is several times faster than with 128 bits.
    let narrow = ticks.checked_mul(time_span_ns).and_then(|product| product.checked_add(half));
    if let Some(product) = narrow {
        return product.checked_div(tick_span).map(u128::from);
    }
    let product = u128::from(ticks) * u128::from(time_span_ns) + u128::from(half);
    product.checked_div(u128::from(tick_span))
}

/// Like [`nearest`], as a signed number; `None` if it overflows.
#[inline]
pub fn scale(ticks: u64, tick_span: u64, time_span_ns: u64) -> Option<i64> {
    i64::try_from(nearest(ticks, tick_span, time_span_ns)?).ok()
}

/// Converts the timestamp `tick`, which may be before the first sample of the fit.
#[inline]
pub fn map(
    tick: u64,
    first_tick: u64,
    first_time_ns: i64,
    tick_span: u64,
    time_span_ns: u64,
) -> Option<i64> {
    let distance = scale(tick.abs_diff(first_tick), tick_span, time_span_ns)?;
    if tick >= first_tick {
        first_time_ns.checked_add(distance)
    } else {
        first_time_ns.checked_sub(distance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_round_up_and_nothing_overflows() {
        assert_eq!(scale(1, 2, 1), Some(1));
        assert_eq!(scale(1, 3, 1), Some(0));
        assert_eq!(scale(u64::MAX, u64::MAX, 5), Some(5));
        assert_eq!(scale(u64::MAX, 1, u64::MAX), None);
        assert_eq!(scale(7, 0, 7), None);
    }

    #[test]
    fn the_wide_and_the_narrow_way_agree() {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            state >> (state >> 58)
        };
        for _ in 0..10_000 {
            let (ticks, span, time) = (next(), next().max(1), next());
            let exact =
                (u128::from(ticks) * u128::from(time) + u128::from(span / 2)) / u128::from(span);
            assert_eq!(scale(ticks, span, time), i64::try_from(exact).ok());
        }
    }

    #[test]
    fn ticks_before_the_first_sample_count_backwards() {
        assert_eq!(map(90, 100, 1000, 10, 20), Some(980));
        assert_eq!(map(110, 100, 1000, 10, 20), Some(1020));
        assert_eq!(map(110, 100, i64::MAX, 10, 20), None);
    }
}

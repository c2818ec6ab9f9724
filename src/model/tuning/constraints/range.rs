//! What is known of a value: bounds, a number that divides it, and a number that it divides.

/// Stands for all larger numbers. What tiles, threads and bytes multiply to is far below.
pub const LARGEST: i64 = 1 << 60;

/// No value is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Empty;

/// The values from `low` to `high` that are multiples of `step` and divide `divides`.
///
/// After [`Range::and`], `low` and `high` are multiples of `step` themselves. A sum keeps a common divisor of the steps, a
/// product keeps their product; both lose `divides`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Range {
    pub low: i64,
    pub high: i64,
    /// At least 1.
    pub step: i64,
    /// 0, which all numbers divide, if nothing is known.
    pub divides: i64,
}

impl Range {
    pub const ANY: Self = Self { low: -LARGEST, high: LARGEST, step: 1, divides: 0 };

    pub fn only(value: i64) -> Self {
        Self { low: value, high: value, step: 1, divides: 0 }
    }

    pub fn between(low: i64, high: i64) -> Self {
        Self { low: low.max(-LARGEST), high: high.min(LARGEST), ..Self::ANY }
    }

    /// Returns the value, if one is left.
    pub fn value(&self) -> Option<i64> {
        (self.low == self.high).then_some(self.low)
    }

    pub fn has(&self, value: i64) -> bool {
        (self.low..=self.high).contains(&value)
            && value % self.step == 0
            && (self.divides == 0 || value != 0 && self.divides % value == 0)
    }

    /// Returns the values that both have.
    pub fn and(self, other: Self) -> Result<Self, Empty> {
        let divides = gcd(self.divides, other.divides);
        let step = if other.step == 1 { self.step } else { lcm(self.step, other.step) };
        let mut both =
            Self { low: self.low.max(other.low), high: self.high.min(other.high), step, divides };
        if divides != 0 {
            both.low = both.low.max(-divides);
            both.high = both.high.min(divides);
            if divides % step != 0 {
                return Err(Empty);
            }
        }
        both.rounded()
    }

    /// Moves the bounds to values that it has.
    fn rounded(mut self) -> Result<Self, Empty> {
        if self.divides != 0 && self.low == 0 {
            self.low = 1;
        }
        if self.step > 1 {
            self.low = divide_up(self.low, self.step).saturating_mul(self.step);
            self.high = self.high.div_euclid(self.step).saturating_mul(self.step);
        }
        let is_empty = self.low > self.high || self.low == self.high && !self.has(self.low);
        if is_empty { Err(Empty) } else { Ok(self) }
    }

    /// Returns a number that all values are multiples of.
    pub fn multiple(&self) -> i64 {
        match self.value() {
            Some(0) | None => self.step,
            Some(value) => value.abs(),
        }
    }

    /// Returns how many values there may be at most.
    pub fn count(&self) -> i64 {
        let steps = self.high.saturating_sub(self.low) / self.step + 1;
        if self.divides == 0 || self.low <= 0 {
            return steps;
        }
        steps.min(2 * (self.divides / self.step).isqrt() + 1)
    }

    /// Returns the values, in no order.
    pub fn values(&self) -> Vec<i64> {
        let quotient = if self.low > 0 { self.divides / self.step } else { 0 };
        let steps = (self.high - self.low) / self.step;
        if quotient == 0 || steps <= quotient.isqrt() {
            let first = divide_up(self.low, self.step).saturating_mul(self.step);
            let all = (0..=steps).map(|nth| first + nth * self.step);
            return all.filter(|value| self.has(*value)).collect();
        }
        let small = (1..=quotient.isqrt()).filter(|divisor| quotient % divisor == 0);
        let both = small.flat_map(|divisor| {
            let other = quotient / divisor;
            [Some(divisor), Some(other).filter(|other| *other != divisor)]
        });
        let all = both.flatten().map(|divisor| divisor * self.step);
        all.filter(|value| self.has(*value)).collect()
    }
}

pub fn gcd(one: i64, other: i64) -> i64 {
    let (mut one, mut other) = (one.abs(), other.abs());
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}

fn lcm(one: i64, other: i64) -> i64 {
    (one / gcd(one, other)).saturating_mul(other).min(LARGEST)
}

/// Divides by a positive number, rounding up.
pub(crate) fn divide_up(value: i64, by: i64) -> i64 {
    -(-value).div_euclid(by)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_those_that_it_has() {
        for (low, high) in [(1, 60), (-9, 7), (0, 12), (5, 40), (48, 48)] {
            for step in [1, 2, 3, 8] {
                for divides in [0, 1, 36, 48, 97] {
                    let range = Range { low, high, step, divides };
                    let all: Vec<i64> = (low..=high).filter(|value| range.has(*value)).collect();
                    let mut values = range.values();
                    values.sort_unstable();
                    assert_eq!(values, all, "{range:?}");
                    assert!(range.count() >= i64::try_from(all.len()).expect("a count"));
                    match Range::between(low, high).and(Range { step, divides, ..Range::ANY }) {
                        Ok(both) => {
                            let kept: Vec<i64> =
                                (low..=high).filter(|value| both.has(*value)).collect();
                            assert_eq!(kept, all, "{range:?}");
                        }
                        Err(Empty) => assert!(all.is_empty(), "{range:?} has {all:?}"),
                    }
                }
            }
        }
    }

    #[test]
    fn wide_ranges_of_divisors_have_few_values() {
        let range = Range { low: 1, high: LARGEST, step: 16, divides: 4096 * 4096 };
        assert_eq!(range.values().len(), 21);
    }
}

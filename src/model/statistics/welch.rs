//! Welch's t-test (1947): whether the means of two groups differ, whose variances need not be equal.

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::count::float;

/// Returns the two-sided p-value; NaN if a group has fewer than two values. The degrees of freedom are those of
/// Satterthwaite (1946).
pub fn welch_test(one: &[f64], other: &[f64]) -> f64 {
    let (Some(one), Some(other)) = (Group::of(one), Group::of(other)) else { return f64::NAN };
    let squared_error = one.error + other.error;
    if squared_error <= 0.0 {
        // Without any noise, every difference is one.
        return if (one.mean - other.mean).abs() > 0.0 { 0.0 } else { 1.0 };
    }
    let freedom = squared_error.powi(2)
        / (one.error.powi(2) / one.freedom + other.error.powi(2) / other.freedom);
    let t = (one.mean - other.mean) / squared_error.sqrt();
    match StudentsT::new(0.0, 1.0, freedom) {
        Ok(student) => 2.0 * student.cdf(-t.abs()),
        Err(_) => f64::NAN,
    }
}

/// A group: its mean, the squared standard error of the mean, and the degrees of freedom of that.
struct Group {
    mean: f64,
    error: f64,
    freedom: f64,
}

impl Group {
    fn of(values: &[f64]) -> Option<Self> {
        let count = float(values.len());
        let mean = values.iter().sum::<f64>() / count;
        let freedom = count - 1.0;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        (values.len() > 1).then(|| Self { mean, error: squares / freedom / count, freedom })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn p_values_are_those_of_the_tables() {
        // Student (1908) as far as variances are equal: t = 2.228 with 10 degrees of freedom has p = 0.05.
        let one = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let shift = 2.228 * (2.0 * 3.5_f64 / 6.0).sqrt();
        let other = one.map(|value| value + shift);
        assert!((welch_test(&one, &other) - 0.05).abs() < 1e-4);
        assert!((welch_test(&other, &one) - 0.05).abs() < 1e-4);
        assert!((welch_test(&[1.0, 1.0], &[2.0, 2.0])).abs() < 1e-12);
        assert!((welch_test(&[1.0, 1.0], &[1.0, 1.0]) - 1.0).abs() < 1e-12);
        assert!(welch_test(&[1.0], &[1.0, 2.0]).is_nan());
    }
}

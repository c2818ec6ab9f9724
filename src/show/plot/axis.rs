//! Axes: their units, ranges and labels.

use report::text;

/// The unit of an axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    #[default]
    Number,
    /// Times in nanoseconds.
    Ns,
    Bytes,
    /// Fractions of a whole.
    Share,
    /// Operations a second.
    OpsPerSecond,
    /// Floating-point operations for each byte.
    OpsPerByte,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Axis {
    pub label: String,
    pub unit: Unit,
    pub(crate) is_logarithmic: bool,
    /// Whether the range begins at 0, if no value is less.
    pub(crate) from_zero: bool,
    /// Names of places instead of numbers.
    pub names: Vec<(f64, String)>,
}

impl Axis {
    /// An axis of values.
    pub fn of(label: &str, unit: Unit) -> Self {
        Self { label: label.to_owned(), unit, from_zero: true, ..Self::default() }
    }

    /// An axis whose range is that of its values, such as times since the epoch.
    pub(crate) fn of_range(label: &str, unit: Unit) -> Self {
        Self { from_zero: false, ..Self::of(label, unit) }
    }

    /// A logarithmic axis.
    pub(crate) fn logarithmic(label: &str, unit: Unit) -> Self {
        Self { is_logarithmic: true, from_zero: false, ..Self::of(label, unit) }
    }

    /// Returns the text of a value.
    pub fn text(&self, value: f64) -> String {
        if let Some((_, name)) = self.names.iter().find(|(at, _)| (at - value).abs() < 0.01) {
            return name.clone();
        }
        if !self.names.is_empty() {
            return String::new();
        }
        match self.unit {
            Unit::Number if value.fract() == 0.0 => format!("{value:.0}"),
            // Things are counted.
            Unit::Number => String::new(),
            Unit::Ns => scaled(value, &[("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0)]),
            Unit::Bytes => text::bytes(value),
            Unit::Share => format!("{:.0} %", value * 100.0),
            Unit::OpsPerSecond => {
                scaled(value, &[("T/s", 1e12), ("G/s", 1e9), ("M/s", 1e6), ("/s", 1.0)])
            }
            Unit::OpsPerByte => scaled(value, &[("", 1.0)]),
        }
    }

    /// Returns the size in which numbers of this range are round: ticks of bytes are multiples of powers of 1024.
    pub(super) fn size(&self, most: f64) -> f64 {
        match self.unit {
            Unit::Bytes if most >= 1024.0 => {
                1024f64.powf((most.ln() / 1024f64.ln()).floor().min(4.0))
            }
            _ => 1.0,
        }
    }

    /// Returns the range that shows all values; `None` without any.
    pub(super) fn range(&self, values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
        let finite = values.filter(|value| value.is_finite());
        let finite = finite.filter(|value| !self.is_logarithmic || *value > 0.0);
        let (least, most) = finite.fold(None, |range: Option<(f64, f64)>, value| {
            Some(range.map_or((value, value), |(low, high)| (low.min(value), high.max(value))))
        })?;
        if self.is_logarithmic {
            return Some((least / 1.5, most * 1.5));
        }
        let least = if self.from_zero { least.min(0.0) } else { least };
        let most = if self.from_zero { most.max(0.0) } else { most };
        let room = ((most - least) * 0.04).max(f64::MIN_POSITIVE);
        let room = if least < most { room } else { most.abs().max(1.0) * 0.1 };
        let low = if self.from_zero && least >= 0.0 { 0.0 } else { least - room };
        Some((low, most + room))
    }
}

/// Returns a number in the largest unit of which there is at least one.
fn scaled(value: f64, units: &[(&str, f64)]) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let fits = units.iter().find(|(_, size)| value.abs() >= *size * 0.999_999);
    let Some((name, size)) = fits.or(units.last()) else { return value.to_string() };
    let number = value / size;
    // Ticks are round numbers, which need no more than three digits.
    let text = format!("{number:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if name.is_empty() { text.to_owned() } else { format!("{text} {name}") }
}

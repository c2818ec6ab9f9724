//! Words of messages: durations and counts.

use exporters::grouped;

/// Formats a duration in nanoseconds with a suitable unit and four digits.
pub fn duration(ns: f64) -> String {
    scaled(ns, [(1.0, "ns"), (1e3, "µs"), (1e6, "ms"), (1e9, "s")])
}

/// Formats a value with the largest unit that fits, and four digits.
pub fn scaled(value: f64, units: [(f64, &str); 4]) -> String {
    let [smallest, ..] = units;
    let fitting = units.into_iter().rfind(|(size, _)| value.abs() >= *size);
    let (size, unit) = fitting.unwrap_or(smallest);
    format!("{} {unit}", digits(value / size))
}

fn digits(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e3 {
        return format!("{value:.0}");
    }
    let rounded = [3, 2, 1].map(|places| format!("{value:.places$}"));
    let is_short = |text: &String| text.trim_start_matches('-').len() <= "1.234".len();
    rounded.into_iter().find(is_short).unwrap_or_else(|| grouped(&format!("{value:.0}")))
}

/// Formats a count with thousands separators.
pub fn count(count: u64) -> String {
    grouped(&count.to_string())
}

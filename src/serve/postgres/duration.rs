//! Times as settings of PostgreSQL write them: milliseconds, or a number with a unit.

/// The units, and how many microseconds each has, the longest first.
const UNITS: [(&str, u64); 6] = [
    ("d", 86_400_000_000),
    ("h", 3_600_000_000),
    ("min", 60_000_000),
    ("s", 1_000_000),
    ("ms", 1_000),
    ("us", 1),
];

/// Returns a time in milliseconds, rounded; `None` if the text is none.
pub fn milliseconds(text: &str) -> Option<u64> {
    let text = text.trim();
    let end = text.find(|it: char| !it.is_ascii_digit() && it != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let unit = unit.trim_start();
    let unit = if unit.is_empty() { "ms" } else { unit };
    let (_, micros) = UNITS.into_iter().find(|(name, _)| *name == unit)?;
    let number = number.parse::<f64>().ok()?;
    #[expect(clippy::cast_precision_loss, reason = "units are small")]
    let whole = (number * micros as f64 / 1000.0).round();
    // PostgreSQL keeps it in 32 bits.
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked")]
    (0.0..=f64::from(i32::MAX)).contains(&whole).then_some(whole as u64)
}

/// Returns milliseconds in the largest unit in which they are whole.
pub fn shown(milliseconds: u64) -> String {
    let fits = |(_, micros): &(&str, u64)| (milliseconds * 1000).is_multiple_of(*micros);
    match UNITS.into_iter().find(fits) {
        Some((unit, micros)) if milliseconds > 0 => {
            format!("{}{unit}", milliseconds * 1000 / micros)
        }
        _ => milliseconds.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_units() {
        let known = [
            ("0", 0, "0"),
            ("250", 250, "250ms"),
            ("1.5 s", 1500, "1500ms"),
            ("2min", 120_000, "2min"),
        ];
        for (text, number, again) in known {
            assert_eq!(milliseconds(text), Some(number), "{text}");
            assert_eq!(shown(number), again);
        }
        assert_eq!(milliseconds("1600us"), Some(2));
        for wrong in ["", "-1", "s", "1 week", "1e99", "99999999999", "nan"] {
            assert_eq!(milliseconds(wrong), None, "{wrong}");
        }
    }
}

//! Formats numbers and names for reports.

/// Formats a duration in nanoseconds with a suitable unit and four digits.
pub fn duration(ns: f64) -> String {
    let (scaled, unit) = match ns.abs() {
        size if size < 1e3 => (ns, "ns"),
        size if size < 1e6 => (ns / 1e3, "µs"),
        size if size < 1e9 => (ns / 1e6, "ms"),
        _ => (ns / 1e9, "s"),
    };
    format!("{} {unit}", digits(scaled))
}

/// Formats a number of bytes with a suitable unit and four digits.
pub fn bytes(bytes: f64) -> String {
    let (scaled, unit) = match bytes.abs() {
        size if size < 1024.0 => (bytes, "B"),
        size if size < 1_048_576.0 => (bytes / 1024.0, "KiB"),
        size if size < 1_073_741_824.0 => (bytes / 1_048_576.0, "MiB"),
        _ => (bytes / 1_073_741_824.0, "GiB"),
    };
    format!("{} {unit}", digits(scaled))
}

fn digits(value: f64) -> String {
    match value.abs() {
        size if value.fract() == 0.0 && size < 1e3 => format!("{value:.0}"),
        size if size < 10.0 => format!("{value:.3}"),
        size if size < 100.0 => format!("{value:.2}"),
        size if size < 1000.0 => format!("{value:.1}"),
        _ => grouped(&format!("{value:.0}")),
    }
}

/// Formats a count with thousands separators.
pub fn count(count: u64) -> String {
    grouped(&count.to_string())
}

fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Formats a number with a noun, which gets a plural: `3 dispatches`, `1 span timed by the host`, `2 spans timed by the
/// host`.
pub fn counted(number: u64, noun: &str) -> String {
    if number == 1 {
        return format!("1 {noun}");
    }
    // The plural goes before the first of these words.
    let head = [" that", " without", " with", " of", " timed", " on", " in", " by"]
        .iter()
        .filter_map(|word| noun.find(word))
        .min()
        .unwrap_or(noun.len());
    let (head, tail) = noun.split_at(head);
    let plural = match head {
        head if head.ends_with("ch") || head.ends_with('s') => "es",
        _ => "s",
    };
    format!("{} {head}{plural}{tail}", count(number))
}

/// Draws a share as a bar of `width` characters, with a resolution of an eighth.
pub fn bar(share: f64, width: usize) -> String {
    const EIGHTHS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a share between 0 and 1 times a few dozen eighths"
    )]
    let eighths = (share.clamp(0.0, 1.0) * (width * 8) as f64).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    if bar.chars().count() < width {
        bar.extend(EIGHTHS.get(eighths % 8));
    }
    let drawn = bar.chars().count();
    bar + &" ".repeat(width.saturating_sub(drawn))
}

/// Shortens a text to `width` characters by leaving out its middle.
pub fn shorten(text: &str, width: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= width || width < 3 {
        return text.to_owned();
    }
    let back = (width - 1) / 2;
    let front = width - 1 - back;
    let start: String = letters.iter().take(front).collect();
    let end: String = letters.iter().skip(letters.len() - back).collect();
    format!("{start}…{end}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_keep_four_digits() {
        for (ns, text) in [
            (7.0, "7 ns"),
            (999.5, "999.5 ns"),
            (1234.0, "1.234 µs"),
            (45_600_000.0, "45.60 ms"),
            (2e12, "2,000 s"),
        ] {
            assert_eq!(duration(ns), text);
        }
    }

    #[test]
    fn bars_fill_their_width() {
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!(bar(0.5, 3), "█▌ ");
        assert_eq!(bar(0.0, 2), "  ");
        assert_eq!(bar(f64::NAN, 2), "  ");
    }

    #[test]
    fn names_lose_their_middle() {
        assert_eq!(shorten("abcdefghij", 5), "ab…ij");
        assert_eq!(shorten("abc", 5), "abc");
    }
}

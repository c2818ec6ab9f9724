//! Formats numbers and names for reports.

use std::time::Duration;

use base::words::scaled;
pub use base::words::{count, counted, duration};
use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};

/// Formats a number of bytes with a suitable unit and four digits.
pub fn bytes(bytes: f64) -> String {
    scaled(bytes, [(1.0, "B"), (1024.0, "KiB"), (1_048_576.0, "MiB"), (1_073_741_824.0, "GiB")])
}

/// Formats the time of something that people wait for: to the second where it is long.
pub fn time(time: Duration) -> String {
    if time < Duration::from_mins(1) {
        return duration(time.as_secs_f64() * 1e9);
    }
    let (minutes, seconds) = (time.as_secs() / 60, time.as_secs() % 60);
    format!("{minutes} min {seconds} s")
}

/// Parses a finite number with one of these units. Returns it times the scale of its unit. A unit comes before those that it
/// ends with.
pub fn parse_with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (number, scale) =
        units.iter().find_map(|(unit, scale)| Some((text.strip_suffix(unit)?, scale)))?;
    let number: f64 = number.trim().parse().ok()?;
    number.is_finite().then_some(number * scale)
}

/// Formats a share of one in percent.
pub fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// Formats a ratio as a change in percent.
pub fn change(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent.abs() < 100.0 { format!("{percent:+.1} %") } else { format!("{percent:+.0} %") }
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

/// Wraps the lines of a text at blanks. Commands stay on one line, so that they can be copied.
pub fn wrap(text: &str, width: usize) -> String {
    let fits = |line: &str| line.chars().count() <= width || line.contains("  ireescope ");
    let wrapped = |line| if fits(line) { format!("{line}\n") } else { wrap_line(line, width) };
    text.lines().map(wrapped).collect()
}

/// Wraps a line, with its further lines below the text that follows the last gap of two blanks.
fn wrap_line(line: &str, width: usize) -> String {
    let margin = line.len() - line.trim_start().len();
    let gap = line.trim_end().rfind("  ").map_or(margin, |at| at + 2);
    let is_near = line.get(..gap).is_some_and(|head| head.chars().count() * 2 <= width);
    let (head, rest) = line.split_at(if is_near { gap } else { margin });
    let start = head.chars().count();
    filled(head, rest.split(' '), if start == 0 { 2 } else { start }, width) + "\n"
}

/// Puts words behind a head, in lines of at most `width` characters unless a word is longer. Lines after the first are
/// indented.
pub fn filled<'a>(
    head: &str,
    words: impl Iterator<Item = &'a str>,
    indent: usize,
    width: usize,
) -> String {
    let (mut text, mut used) = (head.to_owned(), head.chars().count());
    for (nth, word) in words.enumerate() {
        let length = word.chars().count();
        if nth > 0 && used + 1 + length > width {
            text.push_str(&format!("\n{}", " ".repeat(indent)));
            used = indent;
        } else if nth > 0 {
            text.push(' ');
            used += 1;
        }
        text.push_str(word);
        used += length;
    }
    text
}

/// Draws rows of cells in aligned columns without lines.
pub fn table<Cells: IntoIterator<Item = String>>(
    rows: impl IntoIterator<Item = Cells>,
    is_left: impl Fn(usize) -> bool,
) -> String {
    let mut table = Table::new();
    table.load_preset(NOTHING).add_rows(rows);
    for (nth, column) in table.column_iter_mut().enumerate() {
        let is_left = is_left(nth);
        column.set_cell_alignment(if is_left { CellAlignment::Left } else { CellAlignment::Right });
    }
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
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
            (9.9996, "10.00 ns"),
            (999.96, "1,000 ns"),
            (-999.96e3, "-1,000 µs"),
        ] {
            assert_eq!(duration(ns), text);
        }
        assert_eq!(bytes(1_048_576.0), "1 MiB");
    }

    #[test]
    fn bars_fill_their_width() {
        assert_eq!(bar(1.0, 4), "████");
        assert_eq!(bar(0.5, 3), "█▌ ");
        assert_eq!(bar(0.0, 2), "  ");
        assert_eq!(bar(f64::NAN, 2), "  ");
    }

    #[test]
    fn lines_wrap_below_their_text() {
        for (line, wrapped) in [
            ("short", "short\n"),
            ("one two three", "one two\n  three\n"),
            ("  a  one two three", "  a  one\n     two\n     three\n"),
            (" a:  ireescope top x.ireeprof", " a:  ireescope top x.ireeprof\n"),
            ("a_word_that_is_long", "a_word_that_is_long\n"),
        ] {
            assert_eq!(wrap(line, 10), wrapped);
        }
    }

    #[test]
    fn names_lose_their_middle() {
        assert_eq!(shorten("abcdefghij", 5), "ab…ij");
        assert_eq!(shorten("abc", 5), "abc");
    }
}

//! Words of messages: durations and counts.

use crate::grouped;

/// How a front end spells options.
///
/// The texts of the library name an option as in ``option `memory_limit` ``, or with its value as in
/// ``option `warmup=keep` ``. A front end replaces that by its own spelling; the command line, by a flag.
#[derive(Debug, Clone, Copy)]
pub struct OptionStyle(
    /// Returns the spelling of an option, given with its value if the text has one; `None` for what is no option.
    pub fn(&str) -> Option<String>,
);

impl OptionStyle {
    /// Replaces the options that a text names.
    pub fn spell(self, text: &str) -> String {
        const START: &str = "option `";
        let mut spelled = String::with_capacity(text.len());
        let mut rest = text;
        while let Some((before, after)) = rest.split_once(START) {
            spelled.push_str(before);
            let found =
                after.split_once('`').and_then(|(option, end)| Some(((self.0)(option)?, end)));
            if let Some((option, end)) = found {
                spelled.push_str(&option);
                rest = end;
            } else {
                spelled.push_str(START);
                rest = after;
            }
        }
        spelled + rest
    }
}

impl Default for OptionStyle {
    /// Leaves texts as they are.
    fn default() -> Self {
        Self(|_| None)
    }
}

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

/// Writes a text as SQL does.
pub fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// Formats a count with thousands separators.
pub fn count(count: u64) -> String {
    grouped(&count.to_string())
}

/// The plural goes before the first of these words.
const AFTER_PLURAL: [&str; 10] =
    ["that", "without", "with", "of", "timed", "started", "ended", "on", "in", "by"];

/// Formats a number with a noun, which gets a plural: `3 dispatches`, `1 span timed by the host`, `2 spans timed by the
/// host`.
pub fn counted(number: u64, noun: &str) -> String {
    if number == 1 {
        return format!("1 {noun}");
    }
    let is_after = |(at, _): &(usize, &str)| {
        let word = noun.get(at + 1..).and_then(|rest| rest.split(' ').next());
        word.is_some_and(|word| AFTER_PLURAL.contains(&word))
    };
    let head = noun.match_indices(' ').find(is_after).map_or(noun.len(), |(at, _)| at);
    let (head, tail) = noun.split_at(head);
    let (head, plural) = match head.strip_suffix("try") {
        Some(stem) => (stem, "tries"),
        None => (head, plural(head)),
    };
    format!("{} {head}{plural}{tail}", count(number))
}

fn plural(head: &str) -> &'static str {
    match head {
        head if head.ends_with("ch") || head.ends_with('s') => "es",
        _ => "s",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_noun_gets_the_plural() {
        for (number, noun, text) in [
            (1, "session started", "1 session started"),
            (2, "session started", "2 sessions started"),
            (3000, "more invocation", "3,000 more invocations"),
            (2, "changed dispatch", "2 changed dispatches"),
            (2, "entry of a month", "2 entries of a month"),
        ] {
            assert_eq!(counted(number, noun), text);
        }
    }

    #[test]
    fn known_options_are_spelled() {
        let style = OptionStyle(|option| option.strip_prefix("a").map(|rest| format!("--A{rest}")));
        let spell = |text| style.spell(text);
        assert_eq!(spell("raise option `a`, or option `a=1`"), "raise --A, or --A=1");
        assert_eq!(spell("option `b` and option `a`"), "option `b` and --A");
        assert_eq!(spell("option `a"), "option `a");
        assert_eq!(OptionStyle::default().spell("option `a`"), "option `a`");
    }
}

//! Texts and numbers as they are printed.

/// Escapes a text that contains control characters, which could break the layout or control the terminal, or characters
/// that change the direction of text, with which a name can look like another one.
pub fn printable(text: &str) -> String {
    let escape = |letter: char| {
        if turns(letter) {
            letter.escape_unicode().to_string()
        } else {
            letter.escape_debug().to_string()
        }
    };
    let is_unsafe = |letter: char| letter.is_control() || turns(letter);
    if text.contains(is_unsafe) { text.chars().map(escape).collect() } else { text.to_owned() }
}

/// Whether a character is a bidirectional control of Unicode (UAX #9).
const fn turns(letter: char) -> bool {
    matches!(
        letter,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    )
}

/// Separates the thousands of a number.
pub fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_controls_a_terminal_is_escaped() {
        for (text, expected) in [
            ("matmul", "matmul"),
            ("größe \"x\"", "größe \"x\""),
            ("red \u{1b}[31m", "red \\u{1b}[31m"),
            ("two\nlines", "two\\nlines"),
            ("c1 \u{9b}31m", "c1 \\u{9b}31m"),
            ("evil\u{202e}txt.exe", "evil\\u{202e}txt.exe"),
            ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
        ] {
            assert_eq!(printable(text), expected);
        }
    }
}

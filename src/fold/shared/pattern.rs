//! The patterns of `--filter`, as IREE matches them: `*` is any run of bytes, `?` is one byte.

/// A pattern and whether it matches everything.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    bytes: Vec<u8>,
    matches_all: bool,
    /// More wildcards than IREE accepts: it matches nothing.
    excessive: bool,
}

/// IREE rejects patterns with more wildcards than this.
const WILDCARDS: usize = 16;

impl Pattern {
    /// The pattern of `--filter=text`; an empty one matches everything.
    pub fn new(text: &str) -> Self {
        let bytes = schemas::escape::bytes_of(text).into_owned();
        let wildcards = bytes.iter().filter(|byte| matches!(byte, b'*' | b'?')).count();
        Self {
            matches_all: bytes.is_empty() || bytes == b"*",
            excessive: wildcards > WILDCARDS,
            bytes,
        }
    }

    /// Whether every name matches.
    pub const fn matches_all(&self) -> bool {
        self.matches_all
    }

    /// Whether `text`, whose escaped bytes count as bytes, matches.
    pub fn matches(&self, text: &str) -> bool {
        if self.matches_all {
            return true;
        }
        !self.excessive && matches(&schemas::escape::bytes_of(text), &self.bytes)
    }
}

/// Matches greedily, and goes back to the last `*` where that fails.
fn matches(text: &[u8], pattern: &[u8]) -> bool {
    let (mut at, mut next) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    loop {
        match (text.get(at), pattern.get(next)) {
            (_, Some(b'*')) => {
                star = Some((at, next + 1));
                next += 1;
            }
            (Some(_), Some(b'?')) => (at, next) = (at + 1, next + 1),
            (Some(byte), Some(wanted)) if byte == wanted => (at, next) = (at + 1, next + 1),
            (None, None) => return true,
            (_, _) => match star {
                Some((from, after)) if from < text.len() => {
                    star = Some((from + 1, after));
                    (at, next) = (from + 1, after);
                }
                _ => return false,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_and_question_marks() {
        for (pattern, text, matched) in [
            ("*", "", true),
            ("", "anything", true),
            ("abc", "abc", true),
            ("abc", "abcd", false),
            ("a*c", "abbc", true),
            ("a*c", "abbcd", false),
            ("*b*b*", "abcb", true),
            ("?", "", false),
            ("??*", "a", false),
            ("*?*?*", "ab", true),
            ("main_*_matmul*", "main_dispatch_0_matmul_32", true),
            ("*aab", "aaab", true),
        ] {
            assert_eq!(Pattern::new(pattern).matches(text), matched, "{pattern} {text}");
        }
        assert!(!Pattern::new(&"*a".repeat(17)).matches(&"a".repeat(17)));
    }

    #[test]
    fn a_byte_that_is_no_text_is_one_byte() {
        assert!(Pattern::new("caf?").matches("caf\u{10ffe9}"));
        assert!(!Pattern::new("caf?").matches("café"));
        assert!(Pattern::new("caf??").matches("café"));
    }
}

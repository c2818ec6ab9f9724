//! Matches the patterns of `--filter` like IREE: `*` matches any run of bytes, `?` matches one byte.

/// A parsed pattern.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern {
    bytes: Vec<u8>,
    matches_all: bool,
    /// Whether it has more wildcards than IREE accepts, and thus matches nothing.
    excessive: bool,
}

/// Maximum number of wildcards that IREE accepts.
const WILDCARDS: usize = 16;

impl Pattern {
    /// Parses the pattern of `--filter=text`. An empty pattern matches everything.
    pub fn new(text: &str) -> Self {
        let bytes = schemas::escape::bytes_of(text).into_owned();
        let wildcards = bytes.iter().filter(|byte| matches!(byte, b'*' | b'?')).count();
        Self {
            matches_all: bytes.is_empty() || bytes == b"*",
            excessive: wildcards > WILDCARDS,
            bytes,
        }
    }

    /// Whether the pattern matches every name.
    pub const fn matches_all(&self) -> bool {
        self.matches_all
    }

    /// Whether `text` matches. Escaped bytes are matched as the original bytes.
    pub fn matches(&self, text: &str) -> bool {
        if self.matches_all {
            return true;
        }
        !self.excessive && matches(&schemas::escape::bytes_of(text), &self.bytes)
    }
}

/// Greedy wildcard matching: after a mismatch, the last `*` absorbs one more byte. Earlier ones need not be
/// revisited, so the time is at most the product of the lengths.
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

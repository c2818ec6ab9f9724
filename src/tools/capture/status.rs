//! Parses the status messages of IREE: `file:line: STATUS; message; context; context`.
//!
//! The message is kept word for word. The context, which each caller of the failed function appends, is not.

/// A status message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Status<'a> {
    /// The status code and the message, without source location and context.
    pub reason: String,
    parts: Vec<&'a str>,
}

impl<'a> Status<'a> {
    /// Parses a line; returns `None` if it has no status code.
    pub fn of(line: &'a str) -> Option<Self> {
        let names = schemas::enums::STATUS_CODE.values.iter().filter(|(code, _)| *code != 0);
        let begins = |name: &str| {
            // A code follows the source location, if there is one, and not another word.
            let is_code = |at: &usize| {
                let after = line.get(at + name.len()..).unwrap_or_default();
                let before = line.get(..*at).unwrap_or_default();
                after.starts_with("; ") && (before.is_empty() || before.ends_with(": "))
            };
            line.match_indices(name).map(|(at, _)| at).find(is_code)
        };
        let at = names.filter_map(|(_, name)| begins(name)).min()?;
        let parts: Vec<&str> = line.get(at..)?.trim_end().split("; ").collect();
        let end = parts.iter().skip(2).position(|part| is_context(part));
        let end = end.map_or(parts.len(), |end| end + 2);
        Some(Self { reason: parts.get(..end)?.join("; "), parts })
    }

    /// Whether the status code is one of these.
    pub fn is_one_of(&self, names: &[&str]) -> bool {
        self.parts.first().is_some_and(|name| names.contains(name))
    }

    /// Whether the context has this phrase.
    pub(crate) fn was_raised_while(&self, phrase: &str) -> bool {
        self.parts.contains(&phrase)
    }
}

/// Whether a part is context that IREE appended while the error propagated: code in backticks, or a phrase such as
/// `loading modules`.
fn is_context(part: &str) -> bool {
    part.starts_with('`') || part.split(' ').next().is_some_and(|word| word.ends_with("ing"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_context_is_cut_off() {
        let line = "c/device.c:554: INVALID_ARGUMENT; input list and function mismatch; expected 2 arguments but passed 0; invoking function 'main'; `sync func @main()`";
        let status = Status::of(line).expect("a status");
        assert_eq!(
            status.reason,
            "INVALID_ARGUMENT; input list and function mismatch; expected 2 arguments but passed 0"
        );
        assert!(status.is_one_of(&["INVALID_ARGUMENT"]) && !status.is_one_of(&["INTERNAL"]));
        assert!(status.was_raised_while("invoking function 'main'"));
    }

    #[test]
    fn a_line_without_a_location_has_a_status_too() {
        let status = Status::of("UNAVAILABLE; no driver\n").expect("a status");
        assert_eq!(status.reason, "UNAVAILABLE; no driver");
        assert_eq!(Status::of("it is UNAVAILABLE; wait"), None);
        assert_eq!(Status::of("a.c:1: OK; fine"), None);
        assert_eq!(Status::of(""), None);
    }
}

//! Selects dispatches by patterns for their names.
//!
//! A pattern is a regular expression that may match anywhere in a name. As in IREE's dispatch profiler, a pattern also
//! matches as literal text in which `*` stands for any text.

use regex::Regex;

use crate::bench::error::BenchError;

/// A list of patterns, of which one must match. An empty list matches everything.
pub struct Patterns(Vec<Pattern>);

struct Pattern {
    /// `None` if the pattern is not a valid regular expression, such as `*_mmasync`.
    expression: Option<Regex>,
    /// The literal parts between the `*`, which must occur in this order.
    texts: Vec<String>,
}

impl Patterns {
    /// Parses patterns. `all` matches everything, and empty patterns are ignored.
    pub fn new(given: &[String]) -> Result<Self, BenchError> {
        let given = given.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
        let patterns = given
            .map(|text| Pattern::new(if text == "all" { "" } else { text }))
            .collect::<Result<_, _>>()?;
        Ok(Self(patterns))
    }

    /// True if a name matches.
    pub fn matches(&self, name: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|pattern| pattern.matches(name))
    }
}

impl Pattern {
    fn new(given: &str) -> Result<Self, BenchError> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_*".contains(letter);
        let expression = match Regex::new(given) {
            Ok(expression) => Some(expression),
            Err(_) if given.chars().all(is_plain) => None,
            Err(source) => {
                let pattern = given.to_owned();
                return Err(BenchError::Pattern { pattern, source: Box::new(source) });
            }
        };
        Ok(Self { expression, texts: given.split('*').map(str::to_owned).collect() })
    }

    fn matches(&self, name: &str) -> bool {
        self.expression.as_ref().is_some_and(|expression| expression.is_match(name))
            || self.stand_in(name)
    }

    fn stand_in(&self, name: &str) -> bool {
        let mut rest = name;
        self.texts.iter().all(|text| match rest.split_once(text.as_str()) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: &str =
        "matmul_3456x1024x2048_f16t_f16t_f16t_tile_config_128x128_32x5_tensorcore_mmasync";

    fn matches(given: &[&str]) -> bool {
        let given: Vec<String> = given.iter().map(|text| (*text).to_owned()).collect();
        Patterns::new(&given).expect("patterns").matches(NAME)
    }

    #[test]
    fn patterns_are_regular_expressions() {
        assert!(matches(&["^matmul_3456x.*_(mmasync|wmma)$"]));
        assert!(matches(&["f16t_f16t_f16t_.*_tensorcore"]));
        assert!(!matches(&["^batch", "f32t"]));
        assert!(matches(&["^batch", "128x128_32x[0-9]+"]));
    }

    #[test]
    fn stars_are_any_text_as_they_were() {
        assert!(matches(&["matmul_3456x1024x2048_f16t_f16t_f16t_*_tensorcore_mmasync"]));
        assert!(matches(&["*_mmasync"]));
        assert!(!matches(&["matmul_*_wmma"]));
        assert!(!matches(&["mmasync*matmul"]), "texts stand in order");
    }

    #[test]
    fn nothing_and_all_match_everything() {
        assert!(matches(&[]));
        assert!(matches(&[""]));
        assert!(matches(&["all"]));
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        let error = Patterns::new(&["(matmul".to_owned()]).err().expect("refused");
        assert!(error.to_string().contains("(matmul"), "{error}");
    }
}

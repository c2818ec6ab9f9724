//! Selects dispatches by patterns for their names.
//!
//! A pattern is a regular expression that may match anywhere in a name. As in IREE's dispatch profiler, a pattern also
//! matches as literal text in which `*` stands for any text.

use regex::Regex;

use crate::bench::error::BenchError;

/// A list of expressions, of which one must match. An empty list matches everything.
pub struct Patterns(Vec<Regex>);

impl Patterns {
    /// Parses patterns. `all` matches everything, and empty patterns are ignored.
    pub fn new(given: &[String]) -> Result<Self, BenchError> {
        // A text with stars, such as `*_mmasync`, need not be a valid expression.
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_*".contains(letter);
        let mut expressions = Vec::new();
        for text in given.iter().map(|text| text.trim()).filter(|text| !text.is_empty()) {
            let text = if text == "all" { "" } else { text };
            let literal = text.split('*').map(regex::escape).collect::<Vec<_>>().join(".*");
            for expression in [text, &literal] {
                match Regex::new(expression) {
                    Ok(expression) => expressions.push(expression),
                    Err(_) if text.chars().all(is_plain) => {}
                    Err(source) => {
                        let pattern = text.to_owned();
                        return Err(BenchError::Pattern { pattern, source: Box::new(source) });
                    }
                }
            }
        }
        Ok(Self(expressions))
    }

    /// True if a name matches.
    pub fn matches(&self, name: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|expression| expression.is_match(name))
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

//! Reads a file of spaces that the user gives: for patterns of dispatches, knobs with the values to try.
//!
//! ```json
//! {"*matmul*": {"distribution": ["[64, 64, 0]", "[32, 64, 0]"], "vector_common_parallel[1]": [16, 32]}}
//! ```

use std::path::Path;

use base::Pattern;
use model::tuning::attribute::Attribute;
use model::tuning::space::Values;
use serde_json::{Map, Value};

use super::error::TuneError;

/// Knobs with values for the dispatches that a pattern matches.
pub struct UserSpace {
    /// The pattern as it was written.
    pub text: String,
    pattern: Pattern,
    values: Vec<Values>,
}

/// Returns the values that are given for a dispatch: those of the longest pattern that matches.
pub fn values_of<'a>(all: &'a [UserSpace], dispatch: &str) -> Option<&'a [Values]> {
    let matching = all.iter().filter(|it| it.pattern.matches(dispatch));
    Some(&matching.max_by_key(|it| it.text.len())?.values)
}

/// Reads a file.
pub fn read(path: &Path) -> Result<Vec<UserSpace>, TuneError> {
    let text = std::fs::read_to_string(path).map_err(TuneError::reading(path))?;
    let wrong = |what: String| TuneError::reading(path)(std::io::Error::other(what));
    let all: Map<String, Value> =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let mut spaces = Vec::new();
    for (pattern, knobs) in &all {
        let knobs = knobs.as_object().ok_or_else(|| {
            wrong(format!("the value of \"{pattern}\" is no object of knobs and lists of values"))
        })?;
        let mut values = Vec::new();
        for (knob, list) in knobs {
            let list = list.as_array().filter(|it| !it.is_empty()).ok_or_else(|| {
                wrong(format!("\"{pattern}\": the values of {knob} are no list, such as [16, 32]"))
            })?;
            let parsed = list.iter().map(|value| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                Attribute::parse(&text)
                    .map_err(|error| wrong(format!("\"{pattern}\": {knob} = {text}: {error}")))
            });
            values.push((knob.clone(), parsed.collect::<Result<_, _>>()?));
        }
        spaces.push(UserSpace { text: pattern.clone(), pattern: Pattern::new(pattern), values });
    }
    Ok(spaces)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Result<Vec<UserSpace>, TuneError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("space.json");
        std::fs::write(&path, text).expect("written");
        read(&path)
    }

    #[test]
    fn values_are_those_of_the_longest_pattern() {
        let all =
            of(r##"{"*mat*": {"a": [1, "[2, 3]"]}, "*": {"b": ["#x.y<z>"]}}"##).expect("read");
        let names = |dispatch: &str| {
            let values = values_of(&all, dispatch).expect("values");
            values.iter().map(|(knob, all)| format!("{knob}:{}", all.len())).collect::<Vec<_>>()
        };
        assert_eq!(names("main_matmul"), ["a:2"]);
        assert_eq!(names("main_conv"), ["b:1"]);
    }

    #[test]
    fn errors_say_what_is_wrong() {
        for (text, what) in [
            ("{", "line 1 column 1"),
            (r#"{"*": 1}"#, "is no object"),
            (r#"{"*": {"a": 1}}"#, "the values of a are no list"),
            (r#"{"*": {"a": []}}"#, "the values of a are no list"),
            (r#"{"*": {"a": ["[1"]}}"#, "a = [1: at byte 2"),
        ] {
            let error = of(text).map(|_| ()).expect_err(text);
            let said = format!("{error}: {}", std::error::Error::source(&error).expect("a cause"));
            assert!(said.contains("space.json") && said.contains(what), "{said}");
        }
    }
}

//! Values of flags that are names of a list: formats, questions and modes.

use crate::engine::nearest;
use exporters::Format;
use schemas::questions::{MODES, QUESTIONS, Question, mode, question};

/// A format of a result, or `None` for the default for the output.
pub type FormatChoice = Option<Format>;

/// A value of `--for`: one question, or all.
pub type Asked = &'static [Question];

/// Returns what was found for `name`, or an error with all names.
pub fn found<T>(
    name: &str,
    found: Option<T>,
    what: &str,
    names: impl IntoIterator<Item = &'static str>,
) -> Result<T, String> {
    found.ok_or_else(|| {
        let names: Vec<&str> = names.into_iter().collect();
        let guess = match nearest(name, &names).as_slice() {
            [] => String::new(),
            near => format!("; did you mean {}?", near.join(" or ")),
        };
        format!("the {what} are {}{guess}", names.join(", "))
    })
}

/// Returns the name of a list that equals `name`, or an error with all names.
pub fn named(name: &str, what: &str, names: &[&'static str]) -> Result<&'static str, String> {
    found(name, names.iter().copied().find(|known| *known == name), what, names.iter().copied())
}

/// Parses the name of a mode.
pub fn known_mode(name: &str) -> Result<&'static str, String> {
    found(name, mode(name), "modes", MODES.iter().map(|mode| mode.name)).map(|mode| mode.name)
}

/// Parses the name of a question, or `all`.
pub fn asked(name: &str) -> Result<Asked, String> {
    let asked =
        if name == "all" { Some(QUESTIONS) } else { question(name).map(std::slice::from_ref) };
    found(name, asked, "questions", ["all"].into_iter().chain(QUESTIONS.iter().map(|it| it.name)))
}

/// Returns the selected questions without duplicates, in the order of their declaration.
pub fn questions(asked: &[Asked]) -> Vec<&'static Question> {
    let is_asked =
        |question: &&Question| asked.iter().flat_map(|it| *it).any(|it| it.name == question.name);
    QUESTIONS.iter().filter(is_asked).collect()
}

/// Returns the list of questions for help texts.
pub fn list_of_questions() -> String {
    let lines = QUESTIONS.iter().map(|known| format!("\n  {:<18} {}", known.name, known.asks));
    format!("Questions:{}", lines.collect::<String>())
}

/// Collects the different items, in the order of their first occurrence.
pub fn different<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut kept = Vec::new();
    for item in items {
        if !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

/// Parses a value of `--warmup`: the number of invocations to leave out, or -1 for those that are found.
pub fn warmup(value: &str) -> Result<i64, String> {
    match value {
        "auto" => Ok(-1),
        "keep" => Ok(0),
        number => number
            .parse::<u32>()
            .map(i64::from)
            .map_err(|_| "the values are auto, keep, or a number of invocations".to_owned()),
    }
}

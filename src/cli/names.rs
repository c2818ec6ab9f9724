//! Values of flags that are names of a list, such as questions and modes.

use schemas::questions::{MODES, QUESTIONS, Question, mode, question};

use crate::base::nearest;
use crate::report::relations::relations;

pub use crate::base::different;

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
        let guess = guess(name, &names).map_or_else(String::new, |guess| format!("; {guess}"));
        format!("the {what} are {}{guess}", names.join(", "))
    })
}

/// Asks whether names like an unknown one were meant. `None` if there are none like it.
pub fn guess(name: &str, names: &[&str]) -> Option<String> {
    let near = nearest(name, names);
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
}

/// Says that there is no relation of this name.
pub fn unknown_relation(name: &str) -> String {
    let names: Vec<String> = relations().map(|(name, _)| name).collect();
    let guess = guess(name, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let guess = guess.unwrap_or_else(|| "`ireescope tables` lists them".to_owned());
    format!("unknown table, view or report `{name}`; {guess}")
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

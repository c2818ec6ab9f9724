//! Reads statements of several lines.

use rustyline::Editor;
use rustyline::error::ReadlineError;
use rustyline::history::FileHistory;

use super::commands::is_one;
use super::completion::Completion;

const PROMPT: &str = "ireescope> ";
/// The prompt of the lines after the first.
const MORE: &str = "      ...> ";

/// Reads a command or SQL up to its `;`, and adds it to the history.
pub fn read(editor: &mut Editor<Completion, FileHistory>) -> Result<String, ReadlineError> {
    let mut text = String::new();
    loop {
        if let Some(completion) = editor.helper_mut() {
            completion.before.clone_from(&text);
        }
        let line = editor.readline(if text.is_empty() { PROMPT } else { MORE })?;
        text.push_str(&line);
        if is_complete(&text) {
            if !text.trim().is_empty() {
                editor.add_history_entry(&text)?;
            }
            return Ok(text);
        }
        text.push('\n');
    }
}

/// True if the input is a command, blank, or SQL that ends with a `;` outside quotes and comments.
fn is_complete(input: &str) -> bool {
    let text = input.trim();
    if text.is_empty() || is_one(text) {
        return true;
    }
    // The last character outside quotes and comments. Input with only comments is complete as well.
    let mut last = ';';
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let closing = match letter {
            '\'' => "'",
            '"' => "\"",
            '-' if rest.starts_with("--") => "\n",
            '/' if rest.starts_with("/*") => "*/",
            _ => "",
        };
        let opening = if matches!(closing, "\n" | "*/") { 2 } else { letter.len_utf8() };
        let after = rest.get(opening..).unwrap_or_default();
        if opening == letter.len_utf8() && !letter.is_whitespace() {
            last = letter;
        }
        rest = match after.find(closing) {
            Some(at) => after.get(at + closing.len()..).unwrap_or_default(),
            // A line comment may be unterminated; a quote or a block comment may not.
            None if closing == "\n" => "",
            None => return false,
        };
    }
    last == ';'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sql_ends_with_a_semicolon_outside_quotes() {
        for (text, complete) in [
            ("", true),
            (".tables", true),
            ("\\d x", true),
            ("quit", true),
            ("EXIT;", true),
            ("exit now", false),
            ("select 1", false),
            ("select 1;", true),
            ("select ';", false),
            ("select ';'", false),
            ("select ';' ; -- done", true),
            ("select 1 -- ;", false),
            ("-- only a comment", true),
            ("/* it's */ select 5;", true),
            ("/* open ;", false),
            ("select 'é' as \"ü;\";", true),
        ] {
            assert_eq!(is_complete(text), complete, "{text}");
        }
    }
}

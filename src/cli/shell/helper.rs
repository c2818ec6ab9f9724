//! Line editing: detects complete statements, and completes words.

use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::{ValidationContext, ValidationResult, Validator};
use rustyline::{Context, Helper};

use super::commands;
use crate::engine::Engine;

const KEYWORDS: &str = "\
    AND AS ASC BETWEEN BY CASE CAST COUNT CREATE DESC DESCRIBE DISTINCT ELSE END EXCEPT EXISTS EXPLAIN FILTER \
    FROM FULL GROUP HAVING IN INNER INTERSECT INTO IS JOIN LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER OUTER \
    OVER PARTITION RIGHT SELECT SHOW TABLE TABLES THEN UNION USING VALUES VIEW WHEN WHERE WITH";

/// The helper of the line editor.
pub struct ShellHelper {
    words: Vec<String>,
    /// Tables, views and reports.
    relations: Vec<String>,
}

impl ShellHelper {
    /// Collects the words for completion: keywords, tables, views, columns, functions and commands.
    pub fn new(engine: &Engine) -> Self {
        let fixed = KEYWORDS.split(' ').chain(commands::NAMES.iter().copied());
        let mut words: Vec<String> = fixed.map(str::to_owned).collect();
        let mut relations = Vec::new();
        for table in schemas::all() {
            relations.push(table.name.to_owned());
            words.extend(table.columns().into_iter().map(|column| column.name));
        }
        for view in sql::all() {
            relations.push(view.qualified());
            words.extend(view.header().columns.iter().map(|column| column.name.clone()));
        }
        // If the functions cannot be listed, completion works without them.
        words.extend(engine.function_names().unwrap_or_default());
        words.extend(relations.iter().cloned());
        for list in [&mut words, &mut relations] {
            list.sort();
            list.dedup();
        }
        Self { words, relations }
    }

    /// Returns the start of the word before `position`, and its completions.
    fn candidates(&self, line: &str, position: usize) -> (usize, Vec<String>) {
        let typed = line.get(..position).unwrap_or(line);
        let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '\\');
        let start = typed
            .char_indices()
            .rev()
            .take_while(|(_, letter)| is_word(*letter))
            .last()
            .map_or(position, |(at, _)| at);
        let word = typed.get(start..).unwrap_or_default();
        if word.is_empty() {
            return (start, Vec::new());
        }
        // After an alias and a dot, complete only the part after the dot.
        let (start, word) = match word.rsplit_once('.') {
            Some((alias, column)) if !alias.is_empty() && alias != "report" => {
                (position - column.len(), column)
            }
            _ => (start, word),
        };
        let lower = word.to_lowercase();
        let known = if follows_from(typed, start) { &self.relations } else { &self.words };
        let found = known.iter().filter(|known| known.to_lowercase().starts_with(&lower));
        (start, found.cloned().collect())
    }
}

impl Completer for ShellHelper {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        position: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        Ok(self.candidates(line, position))
    }
}

impl Validator for ShellHelper {
    fn validate(&self, context: &mut ValidationContext<'_>) -> rustyline::Result<ValidationResult> {
        Ok(if is_complete(context.input()) {
            ValidationResult::Valid(None)
        } else {
            ValidationResult::Incomplete
        })
    }
}

impl Hinter for ShellHelper {
    type Hint = String;
}

impl Highlighter for ShellHelper {}
impl Helper for ShellHelper {}

/// True if the word at `start` follows FROM or JOIN, so that only relations are valid.
fn follows_from(typed: &str, start: usize) -> bool {
    let before = typed.get(..start).unwrap_or_default();
    let last = before.split_whitespace().next_back().unwrap_or_default();
    ["from", "join"].iter().any(|word| last.eq_ignore_ascii_case(word))
}

/// True if the input is a command, blank, or SQL that ends with a `;` outside quotes and comments.
fn is_complete(input: &str) -> bool {
    let text = input.trim();
    if text.is_empty() || text.starts_with(['.', '\\']) {
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

    #[test]
    fn words_complete_after_an_alias() {
        let helper = ShellHelper {
            words: vec!["dispatches".into(), "duration_ns".into(), "report.top_function".into()],
            relations: vec!["dispatches".into(), "report.top_function".into()],
        };
        assert_eq!(helper.candidates("select d.dur", 12), (9, vec!["duration_ns".into()]));
        assert_eq!(helper.candidates("from report.t", 13), (5, vec!["report.top_function".into()]));
        assert_eq!(helper.candidates("from d", 6), (5, vec!["dispatches".into()]));
        assert_eq!(helper.candidates("SELECT DISP", 11), (7, vec!["dispatches".into()]));
    }
}

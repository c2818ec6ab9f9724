//! Completes words: after FROM and JOIN relations, otherwise first the columns of the relations that the statement names.

use std::collections::BTreeMap;

use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};

use super::commands;
use crate::engine::Engine;
use crate::report::relations::relations;

const KEYWORDS: &str = "\
    AND AS ASC BETWEEN BY CASE CAST COUNT CREATE DESC DESCRIBE DISTINCT ELSE END EXCEPT EXISTS EXPLAIN FILTER \
    FROM FULL GROUP HAVING IN INNER INTERSECT INTO IS JOIN LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER OUTER \
    OVER PARTITION PIVOT RIGHT SELECT SHOW SUMMARIZE TABLE TABLES THEN UNION UNPIVOT USING VALUES VIEW WHEN WHERE WITH";

/// The helper of the line editor.
#[derive(Default)]
pub struct Completion {
    /// The lines of the statement before the one that is edited.
    pub before: String,
    /// Keywords, commands and functions.
    words: Vec<String>,
    /// The columns of each table, view and report.
    relations: BTreeMap<String, Vec<String>>,
}

impl Completion {
    /// Collects what can be completed.
    pub fn new(engine: &Engine) -> Self {
        let fixed = KEYWORDS.split(' ').chain(commands::NAMES.iter().copied());
        let mut words: Vec<String> = fixed.map(str::to_owned).collect();
        // If the functions cannot be listed, completion works without them.
        words.extend(engine.function_names().unwrap_or_default());
        Self { before: String::new(), words, relations: relations().collect() }
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
        let before = format!("{}{}", self.before, typed.get(..start).unwrap_or_default());
        let relations: Vec<&String> = self.relations.keys().collect();
        if word.is_empty() {
            return (start, Vec::new());
        }
        if follows_from(&before) {
            return (start, beginning_with(word, relations));
        }
        let statement = format!("{}{line}", self.before);
        let named = named_relations(&statement);
        let columns = |name: &str| self.relations.get(name).into_iter().flatten();
        // After an alias and a dot, complete only the part after the dot.
        if let Some((alias, column)) = word.rsplit_once('.')
            && !alias.is_empty()
            && alias != "report"
        {
            let of_alias = named.iter().filter(|named| named.alias.eq_ignore_ascii_case(alias));
            let mut known: Vec<&String> = of_alias.flat_map(|named| columns(named.name)).collect();
            if known.is_empty() {
                known = self.relations.values().flatten().collect();
            }
            return (position - column.len(), beginning_with(column, known));
        }
        let mut known: Vec<&String> = named.iter().flat_map(|named| columns(named.name)).collect();
        if known.is_empty() && named.is_empty() {
            known = self.relations.values().flatten().collect();
        }
        let mut found = beginning_with(word, known);
        found.extend(beginning_with(word, self.words.iter().collect()));
        if named.is_empty() {
            found.extend(beginning_with(word, relations));
        }
        (start, found)
    }
}

/// Returns the different names that begin with `word`, in any case, in alphabetical order.
fn beginning_with(word: &str, known: Vec<&String>) -> Vec<String> {
    let lower = word.to_lowercase();
    let begins = |known: &&String| known.to_lowercase().starts_with(&lower);
    let mut found: Vec<String> = known.into_iter().filter(begins).cloned().collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// A relation in a FROM clause; without an alias, the alias is its name.
#[derive(Debug, PartialEq, Eq)]
struct Named<'a> {
    name: &'a str,
    alias: &'a str,
}

/// Returns the relations that follow FROM, JOIN, or a comma after such a relation.
fn named_relations(statement: &str) -> Vec<Named<'_>> {
    let mut named = Vec::new();
    let mut words = words(statement).peekable();
    while let Some(word) = words.next() {
        let mut expects = is_from(word);
        while expects && let Some(name) = words.next_if(|next| is_name(next)) {
            words.next_if(|next| next.eq_ignore_ascii_case("as"));
            let alias = words.next_if(|next| is_name(next) && !is_keyword(next)).unwrap_or(name);
            named.push(Named { name, alias });
            expects = words.next_if_eq(&",").is_some();
        }
    }
    named
}

/// Splits a statement into words and single other characters.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.');
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let length = rest.find(|letter| !is_word(letter)).unwrap_or(rest.len());
        let length = length.max(rest.chars().next()?.len_utf8());
        let (word, after) = rest.split_at_checked(length)?;
        rest = after;
        Some(word)
    })
}

fn is_name(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

fn is_keyword(word: &str) -> bool {
    KEYWORDS.split(' ').any(|keyword| keyword.eq_ignore_ascii_case(word))
}

fn is_from(word: &str) -> bool {
    ["from", "join", "describe", "summarize"].iter().any(|it| word.eq_ignore_ascii_case(it))
}

/// True if the word after `before` names a relation.
fn follows_from(before: &str) -> bool {
    before.split_whitespace().next_back().is_some_and(is_from)
}

impl Completer for Completion {
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

impl Hinter for Completion {
    type Hint = String;
}

impl Validator for Completion {}
impl Highlighter for Completion {}
impl Helper for Completion {}

#[cfg(test)]
mod tests {
    use super::*;

    fn completion(before: &str) -> Completion {
        let relations = [
            ("dispatches", &["duration_ns", "key"][..]),
            ("report.top_function", &["duration_share"]),
            ("queues", &["queue_ordinal"]),
        ];
        let columns = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let relations: BTreeMap<String, Vec<String>> =
            relations.iter().map(|(name, names)| ((*name).to_owned(), columns(names))).collect();
        let words: Vec<String> = KEYWORDS.split(' ').map(str::to_owned).collect();
        Completion { before: before.to_owned(), words, relations }
    }

    #[test]
    fn words_are_completed_by_their_place() {
        for (before, line, expected) in [
            ("", "select d.dur| from dispatches d", &["duration_ns"][..]),
            ("", "select dur|", &["duration_ns", "duration_share"]),
            ("", "select dur| from dispatches", &["duration_ns"]),
            ("", "select d| from dispatches", &["duration_ns", "DESC", "DESCRIBE", "DISTINCT"]),
            ("", "from report.t|", &["report.top_function"]),
            ("", "from d|", &["dispatches"]),
            ("", "select * from queues as q, dispatches e where e.|", &["duration_ns", "key"]),
            ("select * from dispatches\n", "where ke|", &["key"]),
            ("select x.key from\n", "dis|", &["dispatches"]),
            ("", "SELECT DISP|", &["dispatches"]),
            ("", "select |", &[]),
        ] {
            let position = line.find('|').unwrap();
            let (start, found) = completion(before).candidates(&line.replace('|', ""), position);
            assert_eq!(found, expected, "{line}");
            assert!(
                line[start..].starts_with(|letter: char| letter.is_alphanumeric() || letter == '|')
            );
        }
    }
}

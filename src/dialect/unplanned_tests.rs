//! Tests that every refusal of the planner has plain words, by reading its source: a new version that adds one changes
//! `tests/golden/unplanned.txt`. `BLESS=1` writes it again; each new line should get a row with plain words.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::*;

/// Enumerations of the parser of which the planner refuses the rest in one arm: the file with the enumeration, its name, the
/// planner's message before the name of a variant, and behind it.
const RESTS: &[(&str, &str, &str, &str)] = &[
    ("mod.rs", "Expr", "Unsupported ast node in sqltorel: ", ""),
    ("query.rs", "TableFactor", "Unsupported ast node ", " in create_relation"),
    ("query.rs", "JoinOperator", "Unsupported JOIN operator ", ""),
    ("query.rs", "SetExpr", "Query ", " not implemented yet"),
    ("query.rs", "PipeOperator", "`", "` pipe operator is not supported yet"),
    ("operator.rs", "BinaryOperator", "Unsupported binary operator: ", ""),
    ("operator.rs", "UnaryOperator", "Unsupported SQL unary operator ", ""),
    ("value.rs", "Value", "Unsupported Value '", "'"),
    ("mod.rs", "Set", "SET variant not implemented yet: ", ""),
    ("mod.rs", "Statement", "Unsupported SQL statement: ", ""),
];

/// Messages that print a name in quotes, or what only a defect of the planner could show.
const PLAIN: &[&str] = &[
    "WITH query name {cte_name:?} specified more than once",
    "Impossibly got non-window expr {expr:?}",
];

/// Rows for what the grammar or earlier checks do not let through: nobody can write an example.
const UNWRITTEN: &[&str] = &[
    "Unsupported ast node in sqltorel: OuterJoin",
    "Unsupported ast node in sqltorel: Prior",
    "Unsupported ast node in sqltorel: Lambda",
    "Unsupported ast node in sqltorel: Named",
    "Struct not supported by ExprPlanner",
    "Empty tuple not supported yet",
    "JsonAccess",
    "GetFieldAccess not supported by ExprPlanner",
    "Extract not supported by ExprPlanner",
    "Position not supported by ExprPlanner",
    "Overlay not supported by ExprPlanner",
    "Dictionary not supported by ExprPlanner",
    "MAP not supported by ExprPlanner",
    "could not parse compound identifier from",
    "Not a compound identifier",
    "Expected identifier, but found",
    "Expected an identifier in function name, but found",
    "Physical plan does not support logical expression",
    "Unsupported Value '",
    "Unsupported binary operator: ",
    "Unsupported SQL unary operator ",
    "Arrays with unspecified type is not supported",
    "Unsupported qualified wildcard argument",
    "Unsupported ast node SemanticView",
    "Unsupported ast node Pivot",
    "Unsupported ast node Unpivot",
    "Unsupported ast node ",
    "Unsupported JOIN operator Semi",
    "Unsupported JOIN operator Anti",
    "Unsupported JOIN operator ",
    "wildcard * with AS alias not supported",
    "Qualified wildcard with expression not supported",
    "`VALUE` keyword not supported",
    "SHOW TABLES LIKE not supported",
    "Inserts with a table alias not supported",
    "Transaction kind not supported",
];

/// Returns the folder `src` of a crate that this one depends on.
fn source(name: &str) -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--offline", "--filter-platform"])
        .arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH))
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let own = packages.iter().find(|it| it["name"] == name).expect(name);
    let manifest = own["manifest_path"].as_str().expect("a path");
    Path::new(manifest).parent().expect("a folder").join("src")
}

/// Returns the texts of the planner's files that plan SQL, without their tests.
fn planner() -> Vec<String> {
    let mut folders = vec![source("datafusion-sql")];
    let mut texts = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() && !path.ends_with("unparser") {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "rs") {
                let text = std::fs::read_to_string(&path).expect("a text");
                texts.push(text.split("#[cfg(test)]\nmod ").next().unwrap_or_default().to_owned());
            }
        }
    }
    assert!(texts.len() > 15, "{}", texts.len());
    texts
}

/// Returns the messages with which the planner refuses what it does not know.
fn messages(texts: &[String]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in texts {
        for (at, name) in text.match_indices("_err!(") {
            let is_refusal = text[..at].ends_with("not_impl");
            let call = &text[at + name.len()..];
            let literal = call.trim_start();
            let Some(literal) = literal.strip_prefix('"') else { continue };
            let mut quotes = literal.match_indices('"').map(|(at, _)| at);
            let end = quotes.find(|at| !literal[..*at].ends_with('\\')).expect("an end");
            let lines = literal[..end].split("\\\n").map(str::trim_start);
            let message = lines.collect::<String>().replace("\\\"", "\"");
            if is_refusal || message.contains(":?}") || message.contains("upported") {
                found.insert(message);
            }
        }
    }
    found
}

/// Returns the names of the variants of an enumeration.
fn variants(text: &str, name: &str) -> Vec<String> {
    let start = text.find(&format!("pub enum {name} {{\n")).expect(name);
    let body = &text[start..start + text[start..].find("\n}").expect("an end")];
    let is_name = |it: &&str| it.starts_with(|letter: char| letter.is_ascii_uppercase());
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    let word = |line: &str| line.split(|it: char| !it.is_alphanumeric()).next().map(str::to_owned);
    lines.filter(is_name).filter_map(word).collect()
}

/// Returns the variants that the function with a message does not name before it.
fn rest(planner: &[String], all: Vec<String>, name: &str, message: &str) -> Vec<String> {
    let (text, at) = planner
        .iter()
        .find_map(|text| Some((text, text.rfind(&format!("\"{message}{{"))?)))
        .expect(message);
    let start =
        text[..at].rfind("\n    fn ").max(text[..at].rfind("\n    pub")).expect("a function");
    let own = &text[start..at];
    let is_planned = |variant: &String| {
        own.match_indices(&format!("{name}::{variant}")).any(|(at, it)| {
            let end = own[at + it.len()..].chars().next();
            end.is_none_or(|letter| !letter.is_alphanumeric())
        })
    };
    all.into_iter().filter(|it| !is_planned(it)).collect()
}

/// Replaces what a message prints by what a test can see: trees by `Tree { }`, other values by `…`.
fn filled(message: &str) -> String {
    let mut parts = message.split('{');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (hole, after) = part.split_once('}').unwrap_or((part, ""));
        text.push_str(if hole.ends_with(":?") { "Tree { }" } else { "…" });
        text.push_str(after);
    }
    text
}

#[test]
fn every_refusal_of_the_planner_has_plain_words() {
    let planner = planner();
    let parser = source("sqlparser").join("ast");
    let (mut lines, mut missing) = (Vec::new(), Vec::new());
    for message in messages(&planner) {
        let said = in_plain_words(&filled(&message));
        let dumps = message.contains(":?}") && !PLAIN.contains(&message.as_str());
        if dumps && said.is_none() {
            missing.push(message.clone());
        }
        lines.push(format!("{message}\n    {}", said.unwrap_or_else(|| "as it stands".to_owned())));
    }
    assert!(lines.len() > 150, "{}", lines.len());
    for (file, name, before, after) in RESTS {
        let text = std::fs::read_to_string(parser.join(file)).expect("a text");
        let all = variants(&text, name);
        assert!(all.len() > 5, "{name}: {all:?}");
        let last = in_plain_words(&format!("{before}Unknown {{ }}{after}"));
        for variant in rest(&planner, all, name, before) {
            let said = in_plain_words(&format!("{before}{variant} {{ }}{after}"));
            let has_own = said != last || !matches!(*name, "Expr" | "TableFactor" | "JoinOperator");
            if !has_own {
                missing.push(format!("{name}::{variant}"));
            }
            lines.push(format!("{name}::{variant}\n    {}", said.unwrap_or_default()));
        }
    }
    assert!(missing.is_empty(), "these have no row: {missing:#?}");
    for (_, what, instead) in ROWS {
        assert!(!what.is_empty() && !what.contains("not supported"), "{what}");
        assert!(!instead.ends_with('.'), "{instead}");
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/unplanned.txt");
    let text = lines.join("\n") + "\n";
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &text).expect("written");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let added: Vec<&str> =
        text.lines().filter(|line| !known.lines().any(|it| it == *line)).collect();
    assert_eq!(known, text, "new, without their answers: {added:#?}");
}

#[test]
fn every_row_has_an_example() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli/sql_unplanned.test");
    let examples = std::fs::read_to_string(path).expect("examples");
    let mut unwritten = Vec::new();
    for (said, what, instead) in ROWS {
        let end = if instead.is_empty() { "" } else { "; " };
        let (before, after) = what.split_once("{}").unwrap_or((what, ""));
        let end = format!("{after} is not supported{end}{instead}");
        let is_shown = |line: &str| {
            let line = line.split_once("error: ").or(line.split_once("because: "));
            line.is_some_and(|(_, it)| it.starts_with(before) && it.ends_with(&end))
        };
        if !examples.lines().any(is_shown) {
            unwritten.push(*said);
        }
    }
    assert_eq!(unwritten, UNWRITTEN);
}

#[test]
fn rows_begin_messages_and_name_what_they_capture() {
    let said = |message: &str| in_plain_words(message).unwrap_or_default();
    assert_eq!(said("TOP"), "TOP n is not supported; write LIMIT n");
    assert_eq!(in_plain_words("TOPS"), None);
    assert_eq!(
        said("Calling array_agg: LIMIT not supported in function arguments: 1"),
        "LIMIT in array_agg() is not supported; write (array_agg(x))[1:n]"
    );
    let long = format!("Unsupported SQL statement: CREATE {}", "x".repeat(200));
    assert_eq!(said(&long).chars().count(), 60 + " … is not supported".chars().count());
}

//! Statements of other databases that are refused by their first words, with what to write instead.

use super::refusal::Fault;
use super::tokens::{Item, Kind};

/// The first words, what is not supported, and what to write instead.
const REFUSED: &[(&[&str], &str)] = &[
    (&["ATTACH"], "name the bundles on the command line; files are tables: FROM 'file.parquet'"),
    (&["DETACH"], "start again with other bundles"),
    (&["USE"], "write report.NAME for reports; the column bundle tells bundles apart"),
    (&["PRAGMA"], "SHOW TABLES and DESCRIBE NAME describe the tables"),
    (&["SHOW", "ALL"], "write SHOW TABLES"),
    (&["TABLE"], "write FROM NAME"),
    (&["INSTALL"], "there are no extensions"),
    (&["LOAD"], "there are no extensions"),
    (&["CALL"], "write SELECT * FROM f(…)"),
    (&["COPY"], "name a file with -o (or .output in the shell)"),
    (&["EXPORT"], "use `ireescope export`"),
    (&["IMPORT"], "files are tables: FROM 'file.parquet'"),
    (&["VACUUM"], "bundles are only read"),
    (&["CHECKPOINT"], "bundles are only read"),
    (&["MERGE"], "write CREATE TABLE t AS SELECT …"),
    (&["ALTER"], "write CREATE OR REPLACE TABLE t AS SELECT …"),
    (&["BEGIN"], "statements take effect one by one"),
    (&["START"], "statements take effect one by one"),
    (&["COMMIT"], "statements take effect one by one"),
    (&["ROLLBACK"], "statements take effect one by one"),
    (&["GRANT"], "bundles are only read"),
    (&["REVOKE"], "bundles are only read"),
    (&["KILL"], "press Ctrl-C"),
    (&["CREATE", "INDEX"], "bundles are scanned"),
    (&["CREATE", "UNIQUE"], "bundles are scanned"),
    (&["CREATE", "FUNCTION"], "write CREATE MACRO f(a) AS …"),
    (&["CREATE", "SCHEMA"], "write CREATE VIEW NAME AS …"),
    (&["CREATE", "DATABASE"], "write CREATE VIEW NAME AS …"),
    (&["CREATE", "SEQUENCE"], "write row_number() OVER ()"),
    (&["CREATE", "TYPE"], "write the type itself"),
];

/// Words that change the table whose name follows.
const CHANGES: &[&[&str]] = &[&["INSERT", "INTO"], &["UPDATE"], &["DELETE", "FROM"], &["TRUNCATE"]];

/// Refuses the statement that begins with these items. `is_built_in` tells whether a name is a table or view of bundles.
pub fn check<'a>(
    items: &(impl Iterator<Item = &'a Item> + Clone),
    is_built_in: impl Fn(&str) -> bool,
) -> Result<(), Fault> {
    let begins = |words: &&[&str]| {
        let mut first = items.clone();
        words.iter().all(|word| first.next().is_some_and(|item| item.is(word)))
    };
    if let Some((words, instead)) = REFUSED.iter().find(|(words, _)| begins(words)) {
        return Err(format!("{} is not supported; {instead}", words.join(" ")).into());
    }
    let Some(words) = CHANGES.iter().find(|words| begins(words)) else { return Ok(()) };
    let place = match words.last() {
        Some(&"TRUNCATE") if items.clone().nth(1).is_some_and(|item| item.is("TABLE")) => 2,
        _ => words.len(),
    };
    match items.clone().nth(place).map(|item| &item.kind) {
        Some(Kind::Word(name)) if is_built_in(&name.to_lowercase()) => Err(format!(
            "{} is read from bundles and cannot be changed; write CREATE TABLE t AS FROM {0}",
            name.to_lowercase()
        )
        .into()),
        _ => Ok(()),
    }
}

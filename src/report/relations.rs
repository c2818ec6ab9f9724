//! Describes tables, views, reports and functions as text, from the declarations and the headers of the SQL files.

use base::Pattern;
use engine::functions;
use schemas::docs::{origin, sql_type};

use super::text::filled;

/// Lists all tables, views, reports and functions, with one line each; or the relations whose names match a pattern, in
/// which `*` and `%` stand for any text and `?` for one letter. The user's `own` views and tables come first. `width` is that
/// of the terminal in columns; `None` for unlimited lines.
pub fn list(pattern: Option<&str>, own: &[String], width: Option<usize>) -> String {
    let width = width.unwrap_or(usize::MAX);
    let pattern = pattern.map(|pattern| Pattern::new(&pattern.replace('%', "*")));
    let mut text = String::new();
    let of_user = own.iter().map(|name| (name.clone(), "Defined by CREATE.".to_owned()));
    let matching = (pattern.as_ref(), width);
    section(&mut text, "Your own views and tables", of_user, matching);
    let tables = schemas::all().iter().map(|table| (table.name.to_owned(), table.row.to_owned()));
    section(&mut text, "Tables of the file's records", tables, matching);
    for (title, kind) in [
        ("Views over these tables", sql::Kind::View),
        ("Reports, the rows that the commands print", sql::Kind::Report),
        ("Row types of `export --format=ireeperf-jsonl`", sql::Kind::Export),
    ] {
        section(&mut text, title, views(kind), matching);
    }
    if pattern.is_some() {
        return if text.is_empty() { "no table, view or report matches\n".into() } else { text };
    }
    text.push_str("\nFunctions in addition to DataFusion's:\n");
    for (call, doc) in functions::docs() {
        text.push_str(&format!("  {call}\n"));
        text.push_str(&wrapped("      ", doc, width));
    }
    text.push_str("\n`ireescope tables NAME` describes one with all its columns.\n");
    text
}

fn views(kind: sql::Kind) -> impl Iterator<Item = (String, String)> {
    sql::all()
        .iter()
        .filter(move |view| view.kind == kind)
        .map(|view| (view.qualified(), first_sentence(&view.header().doc)))
}

fn first_sentence(text: &str) -> String {
    text.split_once(". ").map_or(text, |(first, _)| first).trim_end_matches('.').to_owned() + "."
}

/// Adds the entries that match, under a title if there are any.
fn section(
    text: &mut String,
    title: &str,
    entries: impl Iterator<Item = (String, String)>,
    (pattern, width): (Option<&Pattern>, usize),
) {
    let matches = |name: &str| pattern.is_none_or(|pattern| pattern.matches(name));
    let entries: Vec<_> = entries.filter(|(name, _)| matches(name)).collect();
    if entries.is_empty() {
        return;
    }
    let gap = if text.is_empty() { "" } else { "\n" };
    text.push_str(&format!("{gap}{title}:\n"));
    for (name, row) in entries {
        text.push_str(&wrapped(&format!("  {name:<30} "), &row, width));
    }
}

/// Describes one table, view or report with its columns; `None` if there is none of this name.
pub fn describe(name: &str, width: Option<usize>) -> Option<String> {
    let width = width.unwrap_or(usize::MAX);
    if let Some(table) = schemas::find(name) {
        let mut text = format!("table {name}\n{} From {}.\n\n", table.row, origin(table));
        for column in table.columns() {
            let joins = if column.joins.is_empty() {
                String::new()
            } else {
                format!(" Joins {}.", column.joins)
            };
            let head = format!(
                "  {:<42} {:<8} {:<6} ",
                column.name,
                sql_type(&column),
                column.unit.name()
            );
            text.push_str(&wrapped(&head, &format!("{}{joins}", column.doc), width));
        }
        return Some(text);
    }
    let view = found(name)?;
    let mut text = format!("{} {}\n{}\n\n", view.kind.noun(), view.qualified(), view.header().doc);
    for column in &view.header().columns {
        let head = format!("  {:<30} {:<8} ", column.name, column.unit);
        text.push_str(&wrapped(&head, &column.doc, width));
    }
    Some(text)
}

/// A table, view, report or SQL function.
#[derive(Debug, Clone)]
pub struct Relation {
    /// The name in SQL; of a function, its call.
    pub name: String,
    /// `table`, `view`, `report`, `export` or `function`.
    pub kind: &'static str,
    /// What a row is, in a sentence; of a function, what it returns.
    pub row: String,
}

/// A column of a relation. What is not known, or does not apply, is empty.
#[derive(Debug, Clone)]
pub struct Column {
    pub name: String,
    pub kind: String,
    pub unit: String,
    pub doc: String,
    /// The column that it joins.
    pub joins: String,
}

/// Returns all tables, views, reports and functions.
pub fn listed() -> impl Iterator<Item = Relation> {
    let tables = schemas::all().iter().map(|table| Relation {
        name: table.name.to_owned(),
        kind: "table",
        row: table.row.to_owned(),
    });
    let views = sql::all().iter().map(|view| Relation {
        name: view.qualified(),
        kind: view.kind.noun(),
        row: first_sentence(&view.header().doc),
    });
    let functions = functions::docs().map(|(call, doc)| Relation {
        name: call.to_owned(),
        kind: "function",
        row: doc.to_owned(),
    });
    tables.chain(views).chain(functions)
}

/// Returns a table, view or report, whose `row` then is all that is said of it, with its columns; `None` if there is none of
/// this name.
pub fn columns_of(name: &str) -> Option<(Relation, Vec<Column>)> {
    if let Some(table) = schemas::find(name) {
        let row = format!("{} From {}.", table.row, origin(table));
        let columns = table.columns().into_iter().map(|column| Column {
            kind: sql_type(&column),
            unit: column.unit.name().to_owned(),
            doc: column.doc.clone(),
            joins: column.joins.to_string(),
            name: column.name,
        });
        return Some((Relation { name: name.to_owned(), kind: "table", row }, columns.collect()));
    }
    let view = found(name)?;
    let columns = view.header().columns.iter().map(|column| Column {
        name: column.name.clone(),
        kind: String::new(),
        unit: column.unit.clone(),
        doc: column.doc.clone(),
        joins: String::new(),
    });
    let relation =
        Relation { name: view.qualified(), kind: view.kind.noun(), row: view.header().doc.clone() };
    Some((relation, columns.collect()))
}

/// Finds a view or report by its qualified name, or else by its bare name.
fn found(name: &str) -> Option<&'static sql::View> {
    let qualified = sql::all().iter().find(|view| view.qualified() == name);
    qualified.or_else(|| sql::all().iter().find(|view| view.name == name))
}

/// Returns the qualified names of all tables, views and reports, with their columns.
pub fn relations() -> impl Iterator<Item = (String, Vec<String>)> {
    let tables = schemas::all().iter().map(|table| {
        let columns = table.columns().into_iter().map(|column| column.name);
        (table.name.to_owned(), columns.collect())
    });
    let views = sql::all().iter().map(|view| {
        let columns = view.header().columns.iter().map(|column| column.name.clone());
        (view.qualified(), columns.collect())
    });
    tables.chain(views)
}

/// Returns the reference page in Markdown.
pub fn markdown() -> String {
    let mut page = String::from(
        "# Tables, views and reports\n\n\
         Generated by `ireescope tables --markdown` from the declarations in `schemas/` and the headers in `sql/`; do not edit.\n\n",
    );
    for table in schemas::all() {
        page.push_str(&schemas::docs::markdown(table));
        page.push('\n');
    }
    for view in sql::all() {
        page.push_str(&format!(
            "## {}\n\n{}\n\n| column | unit | meaning |\n|---|---|---|\n",
            view.qualified(),
            view.header().doc
        ));
        for column in &view.header().columns {
            page.push_str(&format!("| `{}` | {} | {} |\n", column.name, column.unit, column.doc));
        }
        page.push('\n');
    }
    page.push_str("## Functions\n\n| call | result |\n|---|---|\n");
    for (call, doc) in functions::docs() {
        page.push_str(&format!("| `{call}` | {doc} |\n"));
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// Writes `text` after `head`, wrapped to the width and indented.
fn wrapped(head: &str, text: &str, width: usize) -> String {
    let indent = head.chars().count();
    let width = width.max(indent + 30);
    format!("{}\n", filled(head, text.split(' '), indent, width).trim_end())
}

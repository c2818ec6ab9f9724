//! `tables`: the relations, or the columns of one.

use base::Pattern;
use base::nearest;
use report::relations::{Column, Relation, columns_of, listed};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::call::{Call, read};
use crate::error::CallError;
use crate::reply::Reply;
use crate::schema::{columns, object, text};
use crate::tool::Tool;

pub const TOOL: Tool = Tool {
    name: "tables",
    description: "Tables and views for sql, with what a row is. With name: its columns with units and meaning. With a pattern (*): those that \
match, reports and functions too.",
    input: || object(&[("name", text(""))], 0),
    output: || {
        let [_, rows, ..] = columns();
        object(
            &[
                ("relations", rows.1),
                ("name", text("")),
                ("row", text("")),
                ("columns", json!({"type": "array"})),
            ],
            0,
        )
    },
    run,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    #[serde(default)]
    name: Option<String>,
}

fn run(_: &Call, arguments: Value) -> Result<Reply, CallError> {
    let Arguments { name } = read(arguments)?;
    match name {
        None => Ok(list(listed().filter(|it| matches!(it.kind, "table" | "view")))),
        Some(pattern) if pattern.contains(['*', '?', '%']) => {
            let pattern = Pattern::new(&pattern.replace('%', "*"));
            Ok(list(listed().filter(|it| pattern.matches(&it.name))))
        }
        Some(name) => one(&name),
    }
}

/// Lists relations: name, kind, and what a row is.
fn list(relations: impl Iterator<Item = Relation>) -> Reply {
    let relations: Vec<Relation> = relations.collect();
    let names = relations.iter().map(|it| it.name.as_str());
    let text = match relations.len() {
        0 => "No table, view, report or function matches.".to_owned(),
        _ => names.collect::<Vec<_>>().join(", "),
    };
    let rows: Vec<Value> = relations.iter().map(|it| json!([it.name, it.kind, it.row])).collect();
    Reply { text, rows: rows.len(), ..Reply::default() }.with("relations", rows)
}

/// Describes a relation.
fn one(name: &str) -> Result<Reply, CallError> {
    let Some((relation, columns)) = columns_of(name) else {
        let names: Vec<String> = listed().map(|it| it.name).collect();
        let near = nearest(name, &names.iter().map(String::as_str).collect::<Vec<_>>());
        let advice = match near.as_slice() {
            [] => "`tables` without a name lists all".to_owned(),
            near => format!("did you mean {}?", near.join(" or ")),
        };
        return Err(CallError::Arguments(format!(
            "there is no table, view or report {name}; {advice}"
        )));
    };
    let names: Vec<String> = columns.iter().map(named).collect();
    let text =
        format!("{} {}: {}\n{}", relation.kind, relation.name, relation.row, names.join(", "));
    let rows: Vec<Value> = columns.iter().map(described).collect();
    Ok(Reply { text, rows: rows.len(), ..Reply::default() }
        .with("name", relation.name)
        .with("row", relation.row)
        .with("columns", rows))
}

fn named(column: &Column) -> String {
    match column.unit.as_str() {
        "" => column.name.clone(),
        unit => format!("{} [{unit}]", column.name),
    }
}

fn described(column: &Column) -> Value {
    let given = [
        ("name", &column.name),
        ("type", &column.kind),
        ("unit", &column.unit),
        ("doc", &column.doc),
        ("joins", &column.joins),
    ];
    let given = given.into_iter().filter(|(_, text)| !text.is_empty());
    let object: Map<String, Value> =
        given.map(|(key, text)| (key.to_owned(), text.clone().into())).collect();
    object.into()
}

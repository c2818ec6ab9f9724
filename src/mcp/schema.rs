//! Parts of JSON Schemas. They are short: a client pays for each word of them in every conversation.

use std::sync::Arc;

use rmcp::model::JsonObject;
use serde_json::{Map, Value, json};

/// An object with these properties, of which the first ones are required.
pub fn object(properties: &[(&str, Value)], required: usize) -> Arc<JsonObject> {
    let names: Vec<&str> = properties.iter().take(required).map(|(name, _)| *name).collect();
    let all: Map<String, Value> =
        properties.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    let mut object = Map::new();
    object.insert("type".into(), "object".into());
    object.insert("properties".into(), all.into());
    if !names.is_empty() {
        object.insert("required".into(), names.into());
    }
    Arc::new(object)
}

/// The bundles of a call.
pub fn bundles() -> (&'static str, Value) {
    ("bundles", paths())
}

/// Paths.
pub fn paths() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

/// A text; without words if its name says all.
pub fn text(words: &str) -> Value {
    described("string", words)
}

/// A whole number.
pub fn whole(words: &str) -> Value {
    described("integer", words)
}

/// A number.
pub fn number(words: &str) -> Value {
    described("number", words)
}

/// One of these texts.
pub fn one_of(values: &[&str]) -> Value {
    json!({"enum": values})
}

/// A table in a reply.
pub fn table() -> Value {
    json!({"type": "object"})
}

/// The properties of a reply that is a table.
pub fn columns() -> [(&'static str, Value); 4] {
    [
        ("columns", json!({"type": "array", "items": {"type": "object"}})),
        (
            "rows",
            json!({
                "type": "array",
                "items": {"type": "array"},
                "description": "integers beyond 2^53, NaN and Infinity are text"
            }),
        ),
        ("cut", text("")),
        ("notes", paths()),
    ]
}

/// Says by which arguments of a tool a reply has fewer rows, or others.
pub fn further(input: &JsonObject) -> String {
    let known = |name: &str| input.get("properties").is_some_and(|all| all.get(name).is_some());
    if known("query") {
        return "Aggregate, filter, select fewer columns, or use LIMIT and OFFSET in the query."
            .into();
    }
    let names =
        ["limit", "filter", "questions", "name", "bundles"].into_iter().filter(|it| known(it));
    let names: Vec<&str> = names.collect();
    format!("Ask for others by {}, or for rows by the tool sql.", names.join(", "))
}

/// Returns arguments in the types of a schema, where they say the same in another: `"5"` and `5.0` for 5, a text for a list of one.
pub fn fitted(input: &JsonObject, arguments: JsonObject) -> JsonObject {
    let properties = input.get("properties").and_then(Value::as_object);
    let fit = |(name, value): (String, Value)| {
        let kind = properties.and_then(|all| all.get(&name)?.get("type")?.as_str());
        let fitted = match (kind, &value) {
            (Some("integer"), Value::String(text)) => {
                text.trim().parse::<i64>().ok().map(Value::from)
            }
            (Some("integer"), Value::Number(number)) => {
                let number = number.as_f64().filter(|it| it.fract() == 0.0);
                number.and_then(|it| format!("{it:.0}").parse::<i64>().ok()).map(Value::from)
            }
            (Some("number"), Value::String(text)) => {
                text.trim().parse::<f64>().ok().map(Value::from)
            }
            (Some("boolean"), Value::String(text)) => {
                text.trim().parse::<bool>().ok().map(Value::from)
            }
            (Some("array"), Value::String(_)) => Some(Value::from(vec![value.clone()])),
            _ => None,
        };
        (name, fitted.unwrap_or(value))
    };
    arguments.into_iter().map(fit).collect()
}

fn described(kind: &str, words: &str) -> Value {
    if words.is_empty() {
        json!({"type": kind})
    } else {
        json!({"type": kind, "description": words})
    }
}

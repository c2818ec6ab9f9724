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
        ("rows", json!({"type": "array", "items": {"type": "array"}})),
        ("cut", text("")),
        ("notes", paths()),
    ]
}

fn described(kind: &str, words: &str) -> Value {
    if words.is_empty() {
        json!({"type": kind})
    } else {
        json!({"type": kind, "description": words})
    }
}

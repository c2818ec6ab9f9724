//! The order of columns on a terminal. A relation begins with the ids of its parents, and ends beyond the terminal's width;
//! people look for names and durations first.

use arrow::datatypes::Schema;

use crate::report::relations::relations;

/// Columns that come first if all columns of a relation are shown: what a row is, how long it took, and which one it is.
const FIRST: &[&str] = &[
    "key",
    "name",
    "type",
    "duration_ns",
    "total_ns",
    "event_id",
    "bundle",
    "invocation",
    "occurrence",
    "is_warmup",
    "timing_source",
    "submission_id",
];

/// Columns that come last: the place of the row in its file.
const LAST: &[&str] = &["record_index", "byte_offset"];

/// Returns the order in which the columns of the result are shown; `None` if it does not begin with all columns of a
/// relation, so that its order is what was asked for.
pub fn order(schema: &Schema) -> Option<Vec<usize>> {
    let names: Vec<String> = schema.fields().iter().map(|field| field.name().clone()).collect();
    if !relations().any(|(_, columns)| !columns.is_empty() && names.starts_with(&columns)) {
        return None;
    }
    // A key is the name, or stands for it where there is none.
    let has_key = names.iter().any(|name| name == "key");
    let rank = |name: &str| match FIRST.iter().position(|first| *first == name) {
        Some(first) if name != "name" || !has_key => first,
        _ => FIRST.len() + usize::from(LAST.contains(&name)),
    };
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by_key(|place| names.get(*place).map(|name| rank(name)));
    Some(order)
}

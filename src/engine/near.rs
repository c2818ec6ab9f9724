//! Errors about names that do not exist, with the names that are near.

use base::{is_near, nearest};
use datafusion::common::Column;

/// Number of columns that are listed where none is near.
const LISTED: usize = 8;
/// Number of functions that are suggested.
const SUGGESTED: usize = 3;

/// Says that there is no column `field` among `known`.
pub(crate) fn no_column(field: &Column, known: &[Column]) -> String {
    let has_relations = field.relation.is_some();
    let same = |column: &&Column| !has_relations || column.relation == field.relation;
    let within: Vec<&Column> = known.iter().filter(same).collect();
    let names: Vec<&str> = within.iter().map(|column| column.name.as_str()).collect();
    let full = |name: &str| match &field.relation {
        Some(relation) => format!("{relation}.{name}"),
        None => name.to_owned(),
    };
    let said = format!("there is no column {}", full(&field.name));
    let near = nearest(&field.name, &names);
    if !near.is_empty() {
        let near: Vec<String> = near.into_iter().map(full).collect();
        return format!("{said}; did you mean {}?", near.join(" or "));
    }
    if names.is_empty() {
        return said;
    }
    let listed = names.iter().take(LISTED).copied().collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(LISTED);
    let more =
        if more > 0 { format!(" and {more} more (DESCRIBE lists them)") } else { String::new() };
    format!("{said}; the columns are {listed}{more}")
}

/// Says that there is no table or function, if that is what DataFusion's `text` says.
pub(crate) fn no_name(text: &str) -> Option<String> {
    if let Some(path) = text.strip_prefix("table '").and_then(|it| it.strip_suffix("' not found")) {
        let name = path.trim_start_matches("ireescope.").trim_start_matches("public.");
        let names: Vec<String> = schemas::all()
            .iter()
            .map(|table| table.name.to_owned())
            .chain(sql::all().iter().map(sql::View::qualified))
            .collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        return Some(match nearest(name, &names).as_slice() {
            [] => format!("there is no table {name}; SHOW TABLES lists them"),
            near => format!("there is no table {name}; did you mean {}?", near.join(" or ")),
        });
    }
    let (name, rest) = text.strip_prefix("Invalid function '")?.split_once('\'')?;
    let guess = rest.split('\'').nth(1).filter(|guess| is_near(name, guess));
    Some(match guess {
        Some(guess) => format!("there is no function {name}; did you mean {guess}?"),
        None => format!("there is no function {name}; SHOW FUNCTIONS lists them"),
    })
}

/// Says that a function does not take such arguments, if that is what DataFusion's `text` says.
pub(crate) fn no_signature(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("No function matches the given name and argument types '")?;
    let (given, rest) = rest.split_once('\'')?;
    let (_, known) = rest.split_once("Candidate functions:")?;
    let known: Vec<&str> = known.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let more = if known.len() > SUGGESTED { " and others" } else { "" };
    let known = known.iter().take(SUGGESTED).copied().collect::<Vec<_>>().join(", ");
    Some(format!("there is no {given}, only {known}{more}; write CAST(x AS TYPE)"))
}

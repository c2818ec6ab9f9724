//! Errors about names that do not exist, with the names that are near.

use datafusion::common::Column;
use datafusion::common::utils::datafusion_strsim::levenshtein;

/// Number of columns that are listed where none is near.
const LISTED: usize = 8;
/// Number of names that are suggested.
const SUGGESTED: usize = 3;

/// Says that there is no column `field` among `known`.
pub fn no_column(field: &Column, known: &[Column]) -> String {
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
pub fn no_name(text: &str) -> Option<String> {
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
pub fn no_signature(text: &str) -> Option<String> {
    let (_, rest) = text.split_once("No function matches the given name and argument types '")?;
    let (given, rest) = rest.split_once('\'')?;
    let (_, known) = rest.split_once("Candidate functions:")?;
    let known: Vec<&str> = known.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let more = if known.len() > SUGGESTED { " and others" } else { "" };
    let known = known.iter().take(SUGGESTED).copied().collect::<Vec<_>>().join(", ");
    Some(format!("there is no {given}, only {known}{more}; write CAST(x AS TYPE)"))
}

/// Returns the nearest names, the best first: those with a few other letters, then those that contain it or its parts.
pub fn nearest<'a>(name: &str, known: &[&'a str]) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for candidate in known {
        let bare = candidate.rsplit('.').next().unwrap_or(candidate).to_lowercase();
        let distance = levenshtein(&name, &bare);
        let contains = name.len() > 2 && bare.contains(&name);
        if is_near(&name, &bare) || contains {
            let rank = if contains { distance.min(2) } else { distance };
            if !found.iter().any(|(_, known)| known == candidate) {
                found.push((rank, candidate));
            }
        }
    }
    found.sort_unstable();
    found.into_iter().take(SUGGESTED).map(|(_, name)| name).collect()
}

/// True if less than a third of the letters differ.
fn is_near(name: &str, other: &str) -> bool {
    levenshtein(name, other) * 3 <= name.chars().count().max(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_near_by_letters_or_parts() {
        let known = ["duration_ns", "duration_ticks", "key", "name", "report.top_function"];
        for (name, expected) in [
            ("duration", &["duration_ns", "duration_ticks"][..]),
            ("durationns", &["duration_ns"]),
            ("top_functions", &["report.top_function"]),
            ("kye", &[]),
            ("KEY", &["key"]),
            ("zz", &[]),
        ] {
            assert_eq!(nearest(name, &known), expected, "{name}");
        }
    }
}

//! Names that are near another.

use strsim::levenshtein;

/// Number of names that are suggested.
const SUGGESTED: usize = 3;

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
pub fn is_near(name: &str, other: &str) -> bool {
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

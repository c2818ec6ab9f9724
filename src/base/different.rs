//! Leaves out what repeats.

/// Collects the different items, in the order of their first occurrence.
pub fn different<T: PartialEq>(items: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut seen = Vec::new();
    for item in items {
        if !seen.contains(&item) {
            seen.push(item);
        }
    }
    seen
}

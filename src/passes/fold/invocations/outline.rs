//! What a call executes, without the number of turns of its loops.

/// Longest body of a loop that [`outline`] looks for.
const BODY: usize = 32;

/// Writes a sequence with one turn of each loop: of what is repeated at once, only the first remains.
pub(crate) fn outline(sequence: impl Iterator<Item = u32>, outline: &mut Vec<u32>) {
    outline.clear();
    for item in sequence {
        outline.push(item);
        for body in 1..=BODY.min(outline.len() / 2) {
            let (before, last) = outline.split_at(outline.len() - body);
            if before.ends_with(last) {
                outline.truncate(outline.len() - body);
                break;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_has_one_turn_of_each_loop() {
        for (text, expected) in
            [("", ""), ("ABBBC", "ABC"), ("ABCBCBCD", "ABCD"), ("AABAAB", "AB"), ("ABAC", "ABAC")]
        {
            let mut found = Vec::new();
            outline(text.bytes().map(u32::from), &mut found);
            let found: String = found.into_iter().filter_map(char::from_u32).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}

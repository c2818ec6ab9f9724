//! Element types, as MLIR writes them and as names of dispatches contain them.

/// Returns the number of bits that an element occupies in memory. `None` for types of unknown size.
pub fn bits(element: &str) -> Option<u64> {
    match element {
        // A truth value is stored as a byte.
        "i1" => return Some(8),
        "index" => return Some(64),
        _ => {}
    }
    if let Some(part) = element.strip_prefix("complex<").and_then(|it| it.strip_suffix('>')) {
        return bits(part)?.checked_mul(2);
    }
    let digits = ["bf", "si", "ui", "f", "i"].iter().find_map(|it| element.strip_prefix(it))?;
    let end = digits.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(digits.len());
    let (number, variant) = digits.split_at_checked(end)?;
    // Variants of small floats: `f8E4M3FNUZ`, `f4E2M1FN`.
    let is_variant = variant.is_empty() || variant.starts_with('E');
    number.parse().ok().filter(|bits| (1..=128).contains(bits) && is_variant)
}

/// Returns the size of a number of elements in bytes, rounded up: several small elements share a byte.
pub fn bytes(elements: u64, element: &str) -> Option<u64> {
    Some(elements.checked_mul(bits(element)?)?.div_ceil(8))
}

/// Returns the product of extents; `None` if it overflows.
pub fn product(extents: impl IntoIterator<Item = u64>) -> Option<u64> {
    extents.into_iter().try_fold(1_u64, u64::checked_mul)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_those_in_memory() {
        let known = [
            ("f32", 32),
            ("bf16", 16),
            ("i8", 8),
            ("i4", 4),
            ("i1", 8),
            ("f8E4M3FNUZ", 8),
            ("f4E2M1FN", 4),
            ("index", 64),
            ("complex<f32>", 64),
        ];
        for (element, size) in known {
            assert_eq!(bits(element), Some(size), "{element}");
        }
        for other in ["", "f", "x", "fill", "i0", "f32t", "vector<4xf32>", "store", "complex_f32_"]
        {
            assert_eq!(bits(other), None, "{other}");
        }
        assert_eq!(bytes(3, "i4"), Some(2));
        assert_eq!(bytes(u64::MAX, "f32"), None);
    }
}

//! Sizes that fit loops, and all combinations of them.

use crate::tuning::configuration::{Loop, Operation};

/// Returns the extent of a loop as a number that sizes are compared with.
pub fn extent(of: &Loop) -> Option<i64> {
    of.extent.and_then(|extent| i64::try_from(extent).ok())
}

/// True if steps of a size end where the loop ends.
pub fn divides(size: i64, of: &Loop) -> bool {
    size == 1 || extent(of).is_some_and(|extent| size > 0 && extent % size == 0)
}

/// Returns the values of a list of the configuration, one for each loop: 0 where it has none.
pub(crate) fn per_loop(list: Option<Vec<i64>>, loops: usize) -> Vec<i64> {
    let mut values = list.unwrap_or_default();
    values.resize(loops, 0);
    values
}

/// Returns all combinations of one value of each list, for which `fits` holds from the first values on.
pub fn combinations(lists: &[Vec<i64>], fits: &dyn Fn(&[i64]) -> bool) -> Vec<Vec<i64>> {
    let mut all = vec![Vec::new()];
    for list in lists {
        let longer = all.iter().flat_map(|begun: &Vec<i64>| {
            list.iter().map(|value| begun.iter().copied().chain([*value]).collect())
        });
        all = longer.filter(|begun: &Vec<i64>| fits(begun)).collect();
    }
    all
}

/// Returns the bytes of the widest element of the operands.
pub(crate) fn element_bytes(operation: &Operation) -> i64 {
    let bits = operation.inputs.iter().chain(&operation.outputs).filter_map(|operand| {
        let digits = operand.type_text.trim_end_matches('>').rsplit(['x', '<']).next()?;
        digits.trim_start_matches(|letter: char| !letter.is_ascii_digit()).parse::<i64>().ok()
    });
    (bits.max().unwrap_or(32) / 8).max(1)
}

/// Returns how many elements sizes span, where 0 stands for loops that they do not concern.
pub fn elements(sizes: &[i64]) -> i64 {
    sizes.iter().map(|size| (*size).max(1)).fold(1, i64::saturating_mul)
}

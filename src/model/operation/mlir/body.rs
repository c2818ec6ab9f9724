//! Counts the arithmetic of a region.

/// Returns the number of arithmetic operations that a scalar operation counts as: one for each operation of `arith` and
/// `math` that computes a number, two for a fused multiply-add, none for casts, comparisons, selections, constants, bit
/// operations and indexes. `None` for an operation that is not understood.
pub fn operations(name: &str, line: &str) -> Option<u64> {
    if line.ends_with(": index") {
        return Some(0);
    }
    if name == "math.fma" {
        return Some(2);
    }
    if name.starts_with("math.") {
        return Some(1);
    }
    let Some(arith) = name.strip_prefix("arith.") else {
        let is_free = name.starts_with("linalg.") || name.starts_with("tensor.");
        return (is_free || name.rsplit('.').next() == Some("yield")).then_some(0);
    };
    let computes = ["add", "sub", "mul", "div", "ceildiv", "floordiv", "rem", "max", "min", "neg"];
    Some(u64::from(computes.iter().any(|word| arith.starts_with(word))))
}

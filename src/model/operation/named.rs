//! Operations of the dialect `linalg` whose maps follow from their names.

/// Names without the dialect: the loops that the dimensions of each operand follow, inputs first. Transposed variants have
/// the same loops.
const NAMED: &[(&str, &[&[usize]])] = &[
    ("matmul", &[&[0, 2], &[2, 1], &[0, 1]]),
    ("batch_matmul", &[&[0, 1, 3], &[0, 3, 2], &[0, 1, 2]]),
    ("matvec", &[&[0, 1], &[1], &[0]]),
    ("vecmat", &[&[1], &[1, 0], &[0]]),
    ("batch_matvec", &[&[0, 1, 2], &[0, 2], &[0, 1]]),
    ("batch_vecmat", &[&[0, 2], &[0, 2, 1], &[0, 1]]),
    ("dot", &[&[0], &[0], &[]]),
    ("mmt4d", &[&[0, 2, 3, 5], &[1, 2, 4, 5], &[0, 1, 3, 4]]),
    ("batch_mmt4d", &[&[0, 1, 3, 4, 6], &[0, 2, 3, 5, 6], &[0, 1, 2, 4, 5]]),
];

/// Returns the loops that the dimensions of each operand follow, and the number of loops.
pub fn maps(name: &str) -> Option<(&'static [&'static [usize]], usize)> {
    let (_, maps) = NAMED.iter().find(|(known, _)| *known == name)?;
    let last = maps.iter().copied().flatten().max()?;
    Some((maps, last + 1))
}

//! In what an operation differs from what a matcher asks for.

use crate::operation::mlir::Tensor;

/// In what an operation differs from a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// `operation`, `operands`, `shape`, `type`, `maps`, `iterators` or `body`.
    pub what: &'static str,
    /// What the matcher asks for.
    pub wanted: String,
    /// What the operation has.
    pub found: String,
}

/// Adds a difference if two texts are not equal.
pub fn compare(what: &'static str, wanted: &str, found: &str, all: &mut Vec<Difference>) {
    if wanted != found {
        all.push(Difference { what, wanted: wanted.to_owned(), found: found.to_owned() });
    }
}

/// Compares types: a dynamic dimension of the pattern stands for any.
pub(super) fn of_types(wanted: &str, found: &str, all: &mut Vec<Difference>) {
    if spaced(wanted) == spaced(found) {
        return;
    }
    let differ = |what| Difference { what, wanted: wanted.to_owned(), found: found.to_owned() };
    let (Some(pattern), Some(tensor)) = (Tensor::read(wanted), Tensor::read(found)) else {
        all.push(differ("type"));
        return;
    };
    let fits = |(wanted, found): (&Option<u64>, &Option<u64>)| wanted.is_none() || wanted == found;
    let has_shape = pattern.shape.len() == tensor.shape.len()
        && pattern.shape.iter().zip(&tensor.shape).all(fits);
    if pattern.element != tensor.element {
        all.push(differ("type"));
    } else if !has_shape {
        all.push(differ("shape"));
    } else if encoding(wanted) != encoding(found) {
        all.push(differ("type"));
    }
}

/// Returns the kind of a type, and what follows its element type.
fn encoding(of: &str) -> (&str, &str) {
    let (kind, rest) = of.split_once('<').unwrap_or((of, ""));
    (kind, rest.split_once(',').map_or("", |(_, encoding)| encoding.trim()))
}

/// Returns a text with single spaces.
pub(super) fn spaced(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

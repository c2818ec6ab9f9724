//! Names of functions: `main_dispatch_7_matmul_32x256x128_f32`.
//!
//! IREE names the function of a dispatch after the program's function and the ordinal of the dispatch, and appends a
//! summary of its most expensive operation (`AnnotateDispatches.cpp` in the compiler):
//!
//! - `matmul_32x256x128_f32`: a linalg operation with its loops, parallel before reduction (`D` if dynamic), and the
//!   element types of its operands, inputs first, or one if all are the same;
//! - `elementwise`, `reduction`, `matmul_like`, `conv` and others: what a generic operation looks like, in the same form;
//! - `softmax_32x64xf32`: another operation with the shape and the element type of its largest tensor, and a fused
//!   consumer behind it;
//! - `pack_f32`, `set_encoding_LHS_128x256`, `slow_memcpy`: changes of layout and copies;
//! - `unpack_…` and `…_pack` around one of these: a change of layout is fused with it.
//!
//! Older versions append less or other words; whatever is not of these forms is only a kind.

use super::element;

/// The parts of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name<'a> {
    /// The program's function, as far as the name has one: the text before the ordinal.
    pub of: &'a str,
    /// The ordinal of the dispatch in the program.
    pub ordinal: u64,
    /// The kind of the operation.
    pub kind: Option<&'a str>,
    /// The loops or the shape, such as `32xDx128`.
    pub shape: Option<&'a str>,
    /// The element types, such as `f16xf16xf32`.
    pub dtype: Option<&'a str>,
}

impl<'a> Name<'a> {
    /// Reads a name. `None` if it does not have the form of a dispatch.
    pub fn read(key: &'a str) -> Option<Self> {
        let (of, ordinal, summary) = split(key)?;
        let summary = core(summary);
        let Summary { kind, shape, dtype } = Summary::read(summary);
        let kind = Some(kind).filter(|kind| !kind.is_empty());
        Some(Self { of, ordinal, kind, shape, dtype })
    }

    /// Returns the extents; `None` if there are none or any is dynamic.
    pub fn extents(&self) -> Option<Vec<u64>> {
        self.shape?.split('x').map(|extent| extent.parse().ok()).collect()
    }

    /// Returns the element types.
    pub fn types(&self) -> Vec<&'a str> {
        self.dtype.map_or_else(Vec::new, |all| all.split('x').collect())
    }
}

/// Splits a name at the last `dispatch_<ordinal>`: a function of a program may be called like a dispatch. Names that the
/// compiler gives to encodings of constants have `encoding_<ordinal>` instead.
fn split(key: &str) -> Option<(&str, u64, &str)> {
    ["dispatch_", "encoding_"].iter().find_map(|word| {
        key.rmatch_indices(word).find_map(|(at, _)| {
            let (before, after) = (key.get(..at)?, key.get(at + word.len()..)?);
            let end = after.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(after.len());
            let (digits, rest) = after.split_at_checked(end)?;
            let summary = if rest.is_empty() { rest } else { rest.strip_prefix('_')? };
            let is_start = before.is_empty() || before.ends_with(['_', '$']);
            let ordinal = digits.parse().ok().filter(|_| is_start)?;
            let of = before.strip_suffix('_').unwrap_or(before);
            // The asynchronous variant of a function.
            Some((of.strip_suffix("$async").unwrap_or(of), ordinal, summary))
        })
    })
}

/// Takes off the marks of fused changes of layout. An operation that is itself a change of layout stays.
fn core(summary: &str) -> &str {
    let is_more = |rest: &&str| !rest.is_empty() && types(rest).is_none();
    let summary = summary.strip_prefix("unpack_").filter(is_more).unwrap_or(summary);
    summary.strip_suffix("_pack").filter(|rest| !rest.is_empty()).unwrap_or(summary)
}

#[derive(Default)]
struct Summary<'a> {
    kind: &'a str,
    shape: Option<&'a str>,
    dtype: Option<&'a str>,
}

impl<'a> Summary<'a> {
    fn read(summary: &'a str) -> Self {
        let mut start = 0;
        for word in summary.split('_') {
            let after = start + word.len();
            if let Some((shape, dtype)) = shape(word) {
                let kind = summary.get(..start).unwrap_or_default().trim_end_matches('_');
                let rest = summary.get(after + 1..).unwrap_or_default();
                let dtype = dtype.or_else(|| first_types(rest));
                return Self { kind: without_operand(kind), shape: Some(shape), dtype };
            }
            start = after + 1;
        }
        // No shape: `pack_f32`.
        match summary.rsplit_once('_').filter(|(_, last)| types(last).is_some()) {
            Some((kind, dtype)) => Self { kind, shape: None, dtype: Some(dtype) },
            None => Self { kind: summary, ..Self::default() },
        }
    }
}

/// Takes off the operand of an encoding.
fn without_operand(kind: &str) -> &str {
    match kind.rsplit_once('_') {
        Some((rest, "LHS" | "RHS" | "RESULT" | "lhs" | "rhs" | "result"))
            if rest.ends_with("encoding") =>
        {
            rest
        }
        _ => kind,
    }
}

/// Splits `32x64` or `32x64xf32` into shape and element type.
fn shape(word: &str) -> Option<(&str, Option<&str>)> {
    let is_extent = |part: &str| {
        part == "D" || (!part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if word.split('x').all(is_extent) {
        return Some((word, None));
    }
    let (extents, last) = word.rsplit_once('x')?;
    let is_shape = extents.split('x').all(is_extent) && element::bits(last).is_some();
    is_shape.then_some((extents, Some(last)))
}

/// Returns the word if it is a list of element types.
fn types(word: &str) -> Option<&str> {
    word.split('x').all(|part| element::bits(part).is_some()).then_some(word)
}

/// Returns the element types at the start of a text.
fn first_types(text: &str) -> Option<&str> {
    types(text.split('_').next().unwrap_or_default())
}

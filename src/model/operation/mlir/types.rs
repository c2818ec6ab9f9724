//! Types of operands: tensors and scalars.

use super::text::{inside, parts};
use crate::operation::element;

/// A tensor, or a scalar as a tensor without dimensions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tensor<'a> {
    /// Extents; `None` for dynamic ones.
    pub shape: Vec<Option<u64>>,
    pub element: &'a str,
}

impl<'a> Tensor<'a> {
    /// Reads a type.
    pub fn read(text: &'a str) -> Option<Self> {
        let text = text.trim();
        let Some(body) = text.strip_prefix("tensor<").or_else(|| text.strip_prefix("memref<"))
        else {
            return element::bits(text).map(|_| Self { shape: Vec::new(), element: text });
        };
        // Behind the element type stand encodings.
        let mut rest = *parts(body.strip_suffix('>')?).first()?;
        let mut shape = Vec::new();
        while let Some((extent, more)) = rest.split_once('x') {
            match extent {
                "?" => shape.push(None),
                number if number.bytes().all(|byte| byte.is_ascii_digit()) => {
                    shape.push(Some(number.parse().ok()?));
                }
                // The element type may contain an `x`.
                _ => break,
            }
            rest = more;
        }
        Some(Self { shape, element: rest })
    }

    /// Returns the number of elements.
    pub fn elements(&self) -> Option<u64> {
        let extents: Option<Vec<u64>> = self.shape.iter().copied().collect();
        element::product(extents?)
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> Option<u64> {
        element::bytes(self.elements()?, self.element)
    }
}

/// Joins element types: `f16xf16xf32`, or one if all are the same.
pub fn joined<'a>(types: impl Iterator<Item = &'a str>) -> String {
    let mut types: Vec<&str> = types.collect();
    if types.iter().all(|other| types.first() == Some(other)) {
        types.truncate(1);
    }
    types.join("x")
}

/// Returns the types of the operands of `ins` or `outs`. `None` if one is not understood.
pub fn operands<'a>(line: &'a str, list: &str) -> Option<Vec<Tensor<'a>>> {
    let Some(inside) = inside(line, list) else { return Some(Vec::new()) };
    let (_, types) = inside.split_once(" : ")?;
    parts(types).into_iter().map(Tensor::read).collect()
}

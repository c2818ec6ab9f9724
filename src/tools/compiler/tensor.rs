//! Inputs and results of modules.
//!
//! Two results are equal if they differ by at most the tolerance of their type times the square root of the longest reduction
//! (the growth of rounding errors of sums; Higham, *Accuracy and Stability of Numerical Algorithms*, 2002, section 4.2),
//! relative to the largest result.

use half::{bf16, f16};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Roundings for each addition of a reduction, and for what follows it.
const ROUNDINGS: f64 = 64.0;

/// A result of a module.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// The type of its elements.
    pub element: String,
    pub bytes: Vec<u8>,
}

/// Returns the number of elements and the element type of an input that is a shape without values.
pub(crate) fn shape_of(input: &str) -> Option<(usize, &str)> {
    let mut parts: Vec<&str> = input.split('x').collect();
    let element = parts.pop().filter(|element| width(element).is_some())?;
    let count = parts.iter().map(|it| it.parse::<usize>().ok()).product::<Option<usize>>()?;
    Some((count, element))
}

/// Returns the size of an element in bytes.
pub fn width(element: &str) -> Option<usize> {
    Some(match element {
        "i1" | "i8" | "si8" | "ui8" => 1,
        "i16" | "si16" | "ui16" | "f16" | "bf16" => 2,
        "i32" | "si32" | "ui32" | "f32" => 4,
        "i64" | "si64" | "ui64" | "f64" => 8,
        _ => return None,
    })
}

/// Returns the relative rounding error of a type; 0 for integers.
pub fn rounding(element: &str) -> f64 {
    match element {
        "f64" => f64::EPSILON,
        "f32" => f64::from(f32::EPSILON),
        "f16" => f16::EPSILON.to_f64(),
        "bf16" => bf16::EPSILON.to_f64(),
        _ => 0.0,
    }
}

/// Returns the bytes of an input.
pub(crate) fn input_bytes(element: &str, count: usize, kind: &str, seed: u64) -> Vec<u8> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let is_float = rounding(element) > 0.0;
    // So large that small values are lost beside them, and so small that their products do not overflow.
    let largest = if element == "f16" { 1e2 } else { 1e6 };
    let mut value = |nth: usize| -> f64 {
        let uniform = f64::from(random.next_u32()) / 4_294_967_296.0;
        match kind {
            "zero" => 0.0,
            "extreme" if is_float && nth.is_multiple_of(16) => largest * (uniform - 0.5),
            "nan" if is_float && nth % 64 == 63 => f64::NAN,
            _ if is_float => uniform * 2.0 - 1.0,
            // Small enough for any table that integers index.
            _ => (uniform * 100.0).floor(),
        }
    };
    let mut bytes = Vec::with_capacity(count * width(element).unwrap_or_default());
    for nth in 0..count {
        let value = value(nth);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "rounded to the type, or a small integer"
        )]
        match element {
            "f64" => bytes.extend(value.to_le_bytes()),
            "f32" => bytes.extend((value as f32).to_le_bytes()),
            "f16" => bytes.extend(f16::from_f64(value).to_le_bytes()),
            "bf16" => bytes.extend(bf16::from_f64(value).to_le_bytes()),
            "i1" => bytes.push(u8::from(value > 50.0)),
            _ => {
                let all = (value as i64).to_le_bytes();
                bytes.extend(all.get(..width(element).unwrap_or_default()).unwrap_or_default());
            }
        }
    }
    bytes
}

/// Returns the elements of floating-point numbers.
fn floats(of: &Tensor) -> Vec<f64> {
    let each = of.bytes.chunks_exact(width(&of.element).unwrap_or(1));
    each.map(|bytes| match (of.element.as_str(), bytes) {
        ("f64", bytes) => bytes.try_into().map_or(f64::NAN, f64::from_le_bytes),
        ("f32", bytes) => f64::from(bytes.try_into().map_or(f32::NAN, f32::from_le_bytes)),
        ("f16", bytes) => bytes.try_into().map_or(f64::NAN, |it| f16::from_le_bytes(it).to_f64()),
        (_, bytes) => bytes.try_into().map_or(f64::NAN, |it| bf16::from_le_bytes(it).to_f64()),
    })
    .collect()
}

/// Returns how two results differ, if they do.
pub fn difference(base: &Tensor, new: &Tensor, longest_reduction: f64) -> Option<String> {
    if base.element != new.element || base.bytes.len() != new.bytes.len() {
        return Some("another type or shape".to_owned());
    }
    let error = rounding(&base.element);
    if error == 0.0 {
        let place = base.bytes.iter().zip(&new.bytes).position(|(one, other)| one != other)?;
        return Some(format!("byte {place} differs"));
    }
    let (base, new) = (floats(base), floats(new));
    let finite = base.iter().filter(|it| it.is_finite());
    let largest = finite.fold(0.0_f64, |most, it| most.max(it.abs()));
    let tolerance = ROUNDINGS * error * longest_reduction.max(1.0).sqrt() * largest;
    let is_same = |(one, other): &(&f64, &f64)| {
        one.total_cmp(other).is_eq()
            || (one.is_nan() && other.is_nan())
            || (**one - **other).abs() <= tolerance
    };
    let (nth, (one, other)) = base.iter().zip(&new).enumerate().find(|(_, pair)| !is_same(pair))?;
    Some(format!("element {nth} is {other} instead of {one} (tolerance {tolerance:e})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(values: &[f32]) -> Tensor {
        let bytes = values.iter().flat_map(|it| it.to_le_bytes()).collect();
        Tensor { element: "f32".to_owned(), bytes }
    }

    #[test]
    fn rounding_is_no_difference_but_errors_are() {
        let base = tensor(&[1.0, -100.0, f32::NAN, f32::INFINITY]);
        assert_eq!(difference(&base, &base, 1.0), None);
        assert_eq!(
            difference(&base, &tensor(&[1.000_1, -100.0, f32::NAN, f32::INFINITY]), 1.0),
            None
        );
        for wrong in [
            [1.01, -100.0, f32::NAN, f32::INFINITY],
            [1.0, -100.0, 0.0, f32::INFINITY],
            [1.0, -100.0, f32::NAN, f32::NEG_INFINITY],
            [f32::NAN, -100.0, f32::NAN, f32::INFINITY],
        ] {
            assert!(difference(&base, &tensor(&wrong), 1.0).is_some(), "{wrong:?}");
        }
        // A long reduction rounds more often.
        assert_eq!(difference(&base, &tensor(&[1.01, -100.0, f32::NAN, f32::INFINITY]), 1e6), None);
        let one = Tensor { element: "i32".to_owned(), bytes: vec![1, 0, 0, 0] };
        let two = Tensor { element: "i32".to_owned(), bytes: vec![2, 0, 0, 0] };
        assert_eq!(difference(&one, &one, 1e6), None);
        assert!(difference(&one, &two, 1e6).is_some());
    }

    #[test]
    fn inputs_are_what_they_are_called() {
        assert_eq!(shape_of("1x2048xi32"), Some((2048, "i32")));
        assert_eq!(shape_of("f32"), Some((1, "f32")));
        assert_eq!(shape_of("2x2xf32=1"), None);
        assert_eq!(shape_of("@in.npy"), None);
        let floats = |kind: &str| {
            floats(&Tensor { element: "f32".into(), bytes: input_bytes("f32", 256, kind, 7) })
        };
        assert!(floats("random").iter().all(|it| it.abs() <= 1.0));
        assert!(floats("zero").iter().all(|it| *it == 0.0));
        assert!(floats("extreme").iter().any(|it| it.abs() > 1e5));
        assert_eq!(floats("nan").iter().filter(|it| it.is_nan()).count(), 4);
        assert_eq!(input_bytes("i8", 3, "random", 1).len(), 3);
    }
}

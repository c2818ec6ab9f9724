//! The place of dispatches in the program, as their names tell it.

/// Where the dispatches of a submission stand in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The number of the exported function, if it is known.
    pub function: Option<u32>,
    pub(crate) is_initializer: bool,
    /// The first and the last of its dispatches.
    pub first: u32,
    pub last: u32,
}

impl Place {
    pub const UNKNOWN: Self = Self { function: None, is_initializer: false, first: 0, last: 0 };

    /// Returns the place of this one and another one together. Of several exported functions, the first counts.
    #[must_use]
    pub fn with(&self, other: &Self) -> Self {
        if self.function != other.function {
            return if self.function.is_none() { *other } else { *self };
        }
        Self { first: self.first.min(other.first), last: self.last.max(other.last), ..*self }
    }

    /// Whether it stands behind another place of the same function.
    pub fn continues(&self, before: &Self) -> bool {
        self.function.is_some() && self.function == before.function && self.first > before.last
    }
}

/// Divides the name of a dispatch into the name of the exported function and its number within it.
pub fn parts(name: &str) -> Option<(&str, u32)> {
    let (function, rest) = name.split_once("_dispatch_")?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    Some((function, rest.get(..digits)?.parse().ok()?))
}

/// Whether the dispatches of a function are those of loading a module.
pub(crate) fn is_initializer(function: &str) -> bool {
    function.starts_with("_initializer_") || function.starts_with("__init")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_function_and_number() {
        for (name, expected) in [
            ("main_dispatch_3_matmul_64x64x64_f32", Some(("main", 3))),
            ("tf2onnx$async_dispatch_12", Some(("tf2onnx$async", 12))),
            ("_initializer_0_dispatch_1_fill", Some(("_initializer_0", 1))),
            ("main_dispatch_x", None),
            ("matmul", None),
            ("a_dispatch_99999999999", None),
        ] {
            assert_eq!(parts(name), expected, "{name}");
        }
    }
}

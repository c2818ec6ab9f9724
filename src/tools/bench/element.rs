//! Element types, and the combinations that operations support.

use crate::bench::error::{BenchError, named};

/// The element type of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    F32,
    F16,
    Bf16,
    I8,
    I32,
}

impl Element {
    /// Returns the name in MLIR and in the flags of IREE's tools.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I8 => "i8",
            Self::I32 => "i32",
        }
    }

    /// Returns the size of an element in bytes.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::F32 | Self::I32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::I8 => 1,
        }
    }

    /// True if this is a floating-point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::Bf16)
    }
}

/// The element types of an operation: one of both operands, and one of the accumulator and the result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Types {
    F32,
    F16,
    F16F32,
    Bf16F32,
    I8I32,
}

impl Types {
    /// All combinations, in the order of generation.
    pub const ALL: [Self; 5] = [Self::F32, Self::F16, Self::F16F32, Self::Bf16F32, Self::I8I32];

    /// Returns the type of both operands.
    pub const fn operand(self) -> Element {
        match self {
            Self::F32 => Element::F32,
            Self::F16 | Self::F16F32 => Element::F16,
            Self::Bf16F32 => Element::Bf16,
            Self::I8I32 => Element::I8,
        }
    }

    /// Returns the type of the accumulator and of the result.
    pub const fn result(self) -> Element {
        match self {
            Self::F32 | Self::F16F32 | Self::Bf16F32 => Element::F32,
            Self::F16 => Element::F16,
            Self::I8I32 => Element::I32,
        }
    }

    /// Returns the name in flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::F16F32 => "f16-f32",
            Self::Bf16F32 => "bf16-f32",
            Self::I8I32 => "i8-i32",
        }
    }

    /// Finds a combination by its name.
    pub fn named(given: &str) -> Result<Self, BenchError> {
        named("combination of element types", &Self::ALL, Self::name, given)
    }
}

//! Types of elements, and the combinations of them that operations come in.

use super::BenchError;

/// The type of a tensor's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Element {
    F32,
    F16,
    Bf16,
    I8,
    I32,
}

impl Element {
    /// As MLIR and IREE's tools write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::I8 => "i8",
            Self::I32 => "i32",
        }
    }

    /// Bytes of one element.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::F32 | Self::I32 => 4,
            Self::F16 | Self::Bf16 => 2,
            Self::I8 => 1,
        }
    }

    /// Whether it is a floating point type.
    pub const fn is_float(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::Bf16)
    }
}

/// The types of an operation's operands, and of its accumulator and result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Types {
    F32,
    F16,
    F16F32,
    Bf16F32,
    I8I32,
}

impl Types {
    /// All, in the order in which they are generated.
    pub const ALL: [Self; 5] = [Self::F32, Self::F16, Self::F16F32, Self::Bf16F32, Self::I8I32];

    /// The type of both operands.
    pub const fn operand(self) -> Element {
        match self {
            Self::F32 => Element::F32,
            Self::F16 | Self::F16F32 => Element::F16,
            Self::Bf16F32 => Element::Bf16,
            Self::I8I32 => Element::I8,
        }
    }

    /// The type of sums and of the result.
    pub const fn result(self) -> Element {
        match self {
            Self::F32 | Self::F16F32 | Self::Bf16F32 => Element::F32,
            Self::F16 => Element::F16,
            Self::I8I32 => Element::I32,
        }
    }

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::F16F32 => "f16-f32",
            Self::Bf16F32 => "bf16-f32",
            Self::I8I32 => "i8-i32",
        }
    }

    /// Those of a name.
    pub fn named(given: &str) -> Result<Self, BenchError> {
        Self::ALL.into_iter().find(|types| types.name() == given).ok_or_else(|| {
            BenchError::Unknown {
                what: "combination of element types",
                given: given.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            }
        })
    }
}

//! Known limits of the compiler: combinations of kinds, types and schedules that a target does not support.
//!
//! Determined with `iree-compile` 3.13.0. `tests/suite/bench_matrix.rs` compiles what is claimed to be supported.

use crate::bench::element::Types;
use crate::bench::operation::{Kind, Operation};
use crate::bench::target::{Backend, Target};

/// The targets of a back end that a limit applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Targets {
    All,
    /// Targets that name no GPU.
    Unnamed,
    /// Targets whose GPU has cooperative matrices.
    Cooperative,
}

/// A combination that a target does not support.
pub struct Limit {
    pub backend: Backend,
    pub targets: Targets,
    pub kinds: &'static [Kind],
    pub types: &'static [Types],
    /// Classes of instructions; `Default` is the default of the compiler.
    pub instructions: &'static [&'static str],
    pub reason: &'static str,
}

const PRODUCTS: &[Kind] = &[Kind::Matmul, Kind::BatchMatmul, Kind::MatmulSplitk];

/// Observed in wrong results and in the generated code: i8 values are extracted from words by logical shifts, which do
/// not extend the sign.
const UNSIGNED: &str = "vectorized code treats negative i8 values of the right operand as \
                        unsigned, so results are wrong";

/// All known limits.
pub const LIMITS: &[Limit] = &[
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::Unnamed,
        kinds: &Kind::ALL,
        types: &[Types::F16, Types::F16F32],
        instructions: &["Default", "vector8x8", "vector4x4", "scalar", "promote"],
        reason: "code for a generic Vulkan device has no 16-bit values: the compiler fails, or \
                 results are wrong; set option `vulkan_target` (llvmpipe for the software driver)",
    },
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::Unnamed,
        kinds: &Kind::ALL,
        types: &[Types::Bf16F32],
        instructions: &["vector4x4"],
        reason: "vectorized code for a generic Vulkan device reads bf16 incorrectly; set option `vulkan_target`",
    },
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::All,
        kinds: PRODUCTS,
        types: &[Types::Bf16F32],
        instructions: &["Default", "vector8x8", "promote"],
        reason: "SPIR-V has no bf16 for this target, and the compiler fails to legalize vector.bitcast",
    },
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::All,
        kinds: PRODUCTS,
        types: &[Types::F32, Types::Bf16F32, Types::I8I32],
        instructions: &["coopmatrix"],
        reason: "cooperative matrices of 16x16x16 support f16 operands only",
    },
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::Cooperative,
        kinds: &[Kind::MatmulSplitk],
        types: &[Types::F16F32],
        instructions: &["Default", "coopmatrix"],
        reason: "the compiler generates no cooperative matrices for slices whose accumulators are \
                 wider than their operands",
    },
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::Unnamed,
        kinds: PRODUCTS,
        types: &[Types::I8I32],
        instructions: &["Default", "vector8x8", "vector4x4"],
        reason: UNSIGNED,
    },
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::Unnamed,
        kinds: &[Kind::Conv2d],
        types: &[Types::I8I32],
        instructions: &["vector4x4"],
        reason: UNSIGNED,
    },
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::All,
        kinds: &[Kind::BatchMatmul, Kind::MatmulSplitk],
        types: &[Types::I8I32],
        instructions: &["Default", "vector8x8"],
        reason: UNSIGNED,
    },
    Limit {
        backend: Backend::Rocm,
        targets: Targets::All,
        kinds: &Kind::ALL,
        types: &[Types::F16],
        instructions: &["Default"],
        reason: "the compiler selects an instruction that accumulates in f32, and then fails to \
                 distribute the f16 result",
    },
];

impl Targets {
    fn hold(self, target: &Target) -> bool {
        match self {
            Self::All => true,
            Self::Unnamed => target.architecture().is_none(),
            Self::Cooperative => target.limits().cooperative,
        }
    }
}

/// Returns the reason why a target does not support a class of instructions, or `None` if it may.
pub(super) fn which(
    instructions: &str,
    operation: &Operation,
    target: &Target,
) -> Option<&'static str> {
    let is_meant = |limit: &&Limit| {
        limit.backend == target.backend()
            && limit.targets.hold(target)
            && limit.kinds.contains(&operation.kind())
            && limit.types.contains(&operation.types)
            && limit.instructions.contains(&instructions)
    };
    LIMITS.iter().find(is_meant).map(|limit| limit.reason)
}

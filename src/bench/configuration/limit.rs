//! What a target cannot do, as data: whole combinations of kinds, types and schedules, each with its reason.
//!
//! Tried with `iree-compile` 3.13.0; `tests/suite/bench_matrix.rs` compiles what is claimed to be possible.

use super::Configuration;
use crate::bench::target::Backend;
use crate::bench::{Kind, Operation, Target, Types};

/// For which targets of a back end something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Targets {
    All,
    /// No GPU is named that the code is for.
    Unnamed,
    /// GPUs with cooperative matrices.
    Cooperative,
}

/// Something that a target cannot do.
pub struct Limit {
    pub backend: Backend,
    pub targets: Targets,
    pub kinds: &'static [Kind],
    pub types: &'static [Types],
    /// Classes of instructions; `Default` is what the compiler chooses by itself.
    pub instructions: &'static [&'static str],
    pub reason: &'static str,
}

const PRODUCTS: &[Kind] = &[Kind::Matmul, Kind::BatchMatmul, Kind::MatmulSplitk];

/// Seen in results, and in the code: values are taken out of words by shifts that extend no sign.
const UNSIGNED: &str = "vectorized code of the compiler reads negative i8 of the right operand as \
                        unsigned, and results are wrong";

/// All.
pub const LIMITS: &[Limit] = &[
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::Unnamed,
        kinds: PRODUCTS,
        types: &[Types::F16, Types::F16F32],
        instructions: &["Default", "vector8x8", "promote"],
        reason: "code for every Vulkan device has no 16-bit values, and the compiler fails to \
                 legalize vector.bitcast; name the GPU (llvmpipe is the one in software)",
    },
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::All,
        kinds: PRODUCTS,
        types: &[Types::Bf16F32],
        instructions: &["Default", "vector8x8", "promote"],
        reason: "SPIR-V has no bf16 here, and the compiler fails to legalize vector.bitcast",
    },
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::All,
        kinds: PRODUCTS,
        types: &[Types::F32, Types::Bf16F32, Types::I8I32],
        instructions: &["coopmatrix"],
        reason: "cooperative matrices of 16x16x16 are there for products of f16",
    },
    Limit {
        backend: Backend::VulkanSpirv,
        targets: Targets::Cooperative,
        kinds: &[Kind::MatmulSplitk],
        types: &[Types::F16F32],
        instructions: &["Default", "coopmatrix"],
        reason: "the compiler makes no cooperative matrices of slices whose sums are wider than \
                 their operands",
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
        reason: "the compiler chooses an instruction that sums in f32, and then fails to distribute \
                 the sums in f16",
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

/// The reason why a target cannot do something, if there is one.
pub(super) fn which(
    configuration: &Configuration,
    operation: &Operation,
    target: &Target,
) -> Option<&'static str> {
    let instructions = configuration.instruction_class();
    let is_meant = |limit: &&Limit| {
        limit.backend == target.backend()
            && limit.targets.hold(target)
            && limit.kinds.contains(&operation.kind())
            && limit.types.contains(&operation.types)
            && limit.instructions.contains(&instructions.as_str())
    };
    LIMITS.iter().find(is_meant).map(|limit| limit.reason)
}

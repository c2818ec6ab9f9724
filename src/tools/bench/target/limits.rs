//! Limits of GPUs: shared memory, threads and subgroup size. The numbers are those of `iree-compile` if it knows the
//! GPU, except for NVIDIA's consumer GPUs, which have less shared memory than the largest GPU of their generation.

use super::device::Backend::{self, Cuda, Rocm, VulkanSpirv};

/// The limits of a GPU.
pub struct Limits {
    /// Shared memory of a workgroup in bytes.
    pub shared_memory: u64,
    /// Maximum number of threads of a workgroup.
    pub threads: u64,
    /// Number of threads of a subgroup.
    pub subgroup: u64,
    /// Whether Vulkan supports cooperative matrices.
    pub cooperative: bool,
}

struct Row {
    backend: Backend,
    architectures: &'static [&'static str],
    limits: Limits,
}

const fn row(
    backend: Backend,
    architectures: &'static [&'static str],
    kilobytes: u64,
    subgroup: u64,
) -> Row {
    let shared_memory = kilobytes << 10;
    let limits = Limits { shared_memory, threads: 1024, subgroup, cooperative: false };
    Row { backend, architectures, limits }
}

impl Row {
    const fn cooperative(self) -> Self {
        Self { limits: Limits { cooperative: true, ..self.limits }, ..self }
    }
}

/// The first row that lists an architecture applies. A row without architectures is the default of its back end. CPU
/// schedules do not use these limits.
const TABLE: &[Row] = &[
    row(Cuda, &["sm_80", "sm_87", "a100", "ampere"], 163, 32),
    row(Cuda, &["sm_86", "sm_89", "sm_120", "sm_121", "ada", "rtx3090", "rtx4090"], 99, 32),
    row(Cuda, &["sm_75", "turing"], 64, 32),
    row(Cuda, &["sm_70", "volta"], 96, 32),
    row(Cuda, &[], 48, 32),
    row(Rocm, &["gfx950", "mi350x", "mi355x"], 160, 64),
    row(
        Rocm,
        &["gfx908", "gfx90a", "gfx942", "mi100", "mi210", "mi250", "mi300a", "mi300x", "mi325x"],
        64,
        64,
    ),
    row(Rocm, &[], 64, 32),
    row(VulkanSpirv, &["llvmpipe"], 32, 8),
    row(
        VulkanSpirv,
        &["sm_75", "turing", "sm_80", "ampere", "sm_86", "sm_89", "ada", "rtx4090", "a100"],
        48,
        32,
    )
    .cooperative(),
    row(VulkanSpirv, &["rdna3", "rdna4", "gfx1100", "gfx1201", "rx7900xtx", "rx9070xt"], 64, 32)
        .cooperative(),
    Row {
        backend: VulkanSpirv,
        architectures: &[],
        limits: Limits { shared_memory: 16 << 10, threads: 128, subgroup: 32, cooperative: false },
    },
];

/// Returns the limits of the GPU with this architecture.
pub fn of(backend: Backend, architecture: Option<&str>) -> &'static Limits {
    const NONE: &Limits = &Limits { shared_memory: 0, threads: 1, subgroup: 1, cooperative: false };
    let is_meant = |row: &&Row| {
        let is_listed = architecture.is_some_and(|it| row.architectures.contains(&it));
        row.backend == backend && (row.architectures.is_empty() || is_listed)
    };
    TABLE.iter().find(is_meant).map_or(NONE, |row| &row.limits)
}

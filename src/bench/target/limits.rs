//! Limits of GPUs: shared memory, threads and subgroup size. The numbers are those of `iree-compile` if it knows the
//! GPU, except for NVIDIA's consumer GPUs, which have less shared memory than the largest GPU of their generation.

use super::device::Backend;

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
    threads: u64,
    subgroup: u64,
    cooperative: bool,
) -> Row {
    let limits = Limits { shared_memory: kilobytes << 10, threads, subgroup, cooperative };
    Row { backend, architectures, limits }
}

/// The first row that lists an architecture applies. A row without architectures is the default of its back end.
const TABLE: &[Row] = &[
    row(Backend::Cuda, &["sm_80", "sm_87", "a100", "ampere"], 163, 1024, 32, false),
    row(
        Backend::Cuda,
        &["sm_86", "sm_89", "sm_120", "sm_121", "ada", "rtx3090", "rtx4090"],
        99,
        1024,
        32,
        false,
    ),
    row(Backend::Cuda, &["sm_75", "turing"], 64, 1024, 32, false),
    row(Backend::Cuda, &["sm_70", "volta"], 96, 1024, 32, false),
    row(Backend::Cuda, &[], 48, 1024, 32, false),
    row(Backend::Rocm, &["gfx950", "mi350x", "mi355x"], 160, 1024, 64, false),
    row(
        Backend::Rocm,
        &["gfx908", "gfx90a", "gfx942", "mi100", "mi210", "mi250", "mi300a", "mi300x", "mi325x"],
        64,
        1024,
        64,
        false,
    ),
    row(Backend::Rocm, &[], 64, 1024, 32, false),
    row(Backend::VulkanSpirv, &["llvmpipe"], 32, 1024, 8, false),
    row(
        Backend::VulkanSpirv,
        &["sm_75", "turing", "sm_80", "ampere", "sm_86", "sm_89", "ada", "rtx4090", "a100"],
        48,
        1024,
        32,
        true,
    ),
    row(
        Backend::VulkanSpirv,
        &["rdna3", "rdna4", "gfx1100", "gfx1201", "rx7900xtx", "rx9070xt"],
        64,
        1024,
        32,
        true,
    ),
    row(Backend::VulkanSpirv, &[], 16, 128, 32, false),
    // CPU schedules do not use these limits.
    row(Backend::LlvmCpu, &[], 0, 1, 1, false),
];

/// Returns the limits of the GPU with this architecture.
pub fn of(backend: Backend, architecture: Option<&str>) -> &'static Limits {
    const NONE: &Limits = &Limits { shared_memory: 0, threads: 1, subgroup: 1, cooperative: false };
    TABLE
        .iter()
        .filter(|row| row.backend == backend)
        .find(|row| {
            row.architectures.is_empty()
                || architecture.is_some_and(|it| row.architectures.contains(&it))
        })
        .map_or(NONE, |row| &row.limits)
}

//! What limits configurations: numbers of the hardware, and of what has been seen to pay.

use crate::tuning::attribute::Attribute;

/// The most points of a space. More than any search looks at, and few enough for memory.
pub const MOST: usize = 100_000;

/// Sizes of vectors along a loop. The compiler unrolls what is larger than a register; beyond 64 elements along one loop
/// it only makes code longer.
pub(crate) const VECTOR_SIZES: [i64; 7] = [1, 2, 4, 8, 16, 32, 64];

/// Sizes of steps along a reduction. Small loops, such as the window of a convolution, may be unrolled as a whole.
pub(crate) const REDUCTION_SIZES: [i64; 6] = [1, 2, 4, 8, 16, 32];
pub(crate) const WHOLE_REDUCTION: i64 = 8;

/// Tiles of results that are larger than all vector registers spill, which pays up to a factor of two: what is spilled
/// comes from the first cache.
pub(crate) const SPILL: i64 = 2;

/// Vector registers that the elements of the innermost loop fill. The compiler refuses these many and more
/// (`--iree-llvmcpu-max-allowed-number-of-native-vectors`).
pub const BODY: i64 = 512;

/// Loops with vectors along them. Kernels of contractions tile two loops of the result in registers (Goto and van de
/// Geijn, Anatomy of High-Performance Matrix Multiplication, 2008).
pub(crate) const VECTOR_LOOPS: usize = 2;

/// The largest tile of a workgroup along a loop.
pub(crate) const LARGEST_TILE: i64 = 4096;
/// The same for a tile of several loops, which the compiler tiles further.
pub(crate) const LARGEST_TILE_OF_MANY: i64 = 256;

/// Tiles of workgroups along loops without vectors: how the work is divided there matters little beside the others.
pub(crate) const COARSE_TILES: [i64; 3] = [1, 8, 64];

/// What a configuration for processors may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cpu {
    /// The width of a vector register.
    pub(crate) vector_bytes: i64,
    pub(crate) vector_registers: i64,
    /// The cache of a core that should hold the results of a workgroup.
    pub cache_bytes: i64,
}

/// The second cache of a core, where nothing is known: that of Intel's Skylake-SP and AMD's Zen 4.
const CACHE: i64 = 1 << 20;

/// Vector registers by words in a target. Sources: Intel 64 and IA-32 Architectures Software Developer's Manual, volume
/// 1; Arm Architecture Reference Manual for A-profile; RISC-V "V" extension.
const REGISTERS: [(&str, i64); 3] = [("+avx512f", 32), ("aarch64", 32), ("riscv", 32)];
const FEWEST_REGISTERS: i64 = 16;
/// The vector width that the compiler assumes if a target does not have one.
const NARROWEST: i64 = 16;

impl Cpu {
    /// Reads the target of an executable.
    pub fn of(target: &Attribute) -> Self {
        let width = target.get("native_vector_size").and_then(Attribute::integer);
        let text = target.to_string();
        let registers = REGISTERS.iter().find(|(word, _)| text.contains(word));
        Self {
            vector_bytes: width.filter(|width| *width > 0).unwrap_or(NARROWEST),
            vector_registers: registers.map_or(FEWEST_REGISTERS, |(_, count)| *count),
            cache_bytes: CACHE,
        }
    }
}

/// What a configuration for Vulkan may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Vulkan {
    /// Threads of a workgroup.
    pub threads: i64,
    /// Threads of a workgroup along x, y and z.
    pub sizes: [i64; 3],
}

/// Vectors of SPIR-V have up to 4 elements (SPIR-V specification, `OpTypeVector` without the capability Vector16).
pub(crate) const SPIRV_VECTOR: i64 = 4;
/// Results of a thread. More than these spill on devices with 128 registers for each.
pub(crate) const THREAD_RESULTS: i64 = 64;
/// Operations of a thread in the innermost loop, which the compiler unrolls. With 2048 it takes seconds.
pub(crate) const THREAD_BODY: i64 = 1024;
/// The fewest threads that are worth a workgroup: half of the smallest subgroup of desktop devices.
pub(crate) const FEWEST_THREADS: i64 = 16;

impl Vulkan {
    /// Reads the target of an executable. Without limits, those that Vulkan 1.0 requires of all devices.
    pub fn of(target: &Attribute) -> Self {
        let limits = target.get("iree_codegen.target_info").and_then(|info| info.get("wgp"));
        let number = |name: &str| limits.and_then(|it| it.get(name)).and_then(Attribute::integer);
        let sizes = limits.and_then(|it| it.get("max_workgroup_sizes"));
        let sizes = sizes.and_then(Attribute::integers).and_then(|it| it.try_into().ok());
        Self {
            threads: number("max_thread_count_per_workgroup").unwrap_or(128),
            sizes: sizes.unwrap_or([128, 128, 64]),
        }
    }
}

//! Devices of the runtime, and the back ends of the compiler that serve them.

use crate::bench::error::{BenchError, named};

/// A device of the IREE runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Device {
    LocalTask,
    LocalSync,
    Vulkan,
    Cuda,
    Rocm,
}

/// A back end of the IREE compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backend {
    LlvmCpu,
    VulkanSpirv,
    Cuda,
    Rocm,
}

impl Device {
    /// All devices.
    pub const ALL: [Self; 5] =
        [Self::LocalTask, Self::LocalSync, Self::Vulkan, Self::Cuda, Self::Rocm];

    /// Returns the name in flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LocalTask => "local-task",
            Self::LocalSync => "local-sync",
            Self::Vulkan => "vulkan",
            Self::Cuda => "cuda",
            Self::Rocm => "rocm",
        }
    }

    /// Finds a device by its name.
    pub fn named(given: &str) -> Result<Self, BenchError> {
        named("device", &Self::ALL, Self::name, given)
    }

    /// Returns the value of `--device` for the tools of the runtime.
    pub const fn uri(self) -> &'static str {
        match self {
            Self::Rocm => "hip",
            other => other.name(),
        }
    }

    /// Returns the back end that compiles for the device.
    pub const fn backend(self) -> Backend {
        match self {
            Self::LocalTask | Self::LocalSync => Backend::LlvmCpu,
            Self::Vulkan => Backend::VulkanSpirv,
            Self::Cuda => Backend::Cuda,
            Self::Rocm => Backend::Rocm,
        }
    }
}

impl Backend {
    /// Returns the name in the flags of the compiler.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LlvmCpu => "llvm-cpu",
            Self::VulkanSpirv => "vulkan-spirv",
            Self::Cuda => "cuda",
            Self::Rocm => "rocm",
        }
    }
}

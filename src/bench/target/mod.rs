//! Where dispatches run, and what that means for the compiler.

mod limits;

pub use limits::Limits;

use super::BenchError;

/// A device of IREE's runtime.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Device {
    LocalTask,
    LocalSync,
    Vulkan,
    Cuda,
    Rocm,
}

/// A back end of the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Backend {
    LlvmCpu,
    VulkanSpirv,
    Cuda,
    Rocm,
}

/// A device, and what refines the code that is made for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub device: Device,
    /// The architecture that code for NVIDIA GPUs is made for.
    pub cuda_arch: String,
    /// The architecture that code for AMD GPUs is made for.
    pub rocm_target: String,
    /// The processor that code for local devices is made for; `host` is the one at hand.
    pub target_cpu: String,
    /// The GPU whose abilities code for Vulkan may use; `None` is what every one has.
    pub vulkan_target: Option<String>,
}

impl Device {
    /// All.
    pub const ALL: [Self; 5] =
        [Self::LocalTask, Self::LocalSync, Self::Vulkan, Self::Cuda, Self::Rocm];

    /// As users write it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LocalTask => "local-task",
            Self::LocalSync => "local-sync",
            Self::Vulkan => "vulkan",
            Self::Cuda => "cuda",
            Self::Rocm => "rocm",
        }
    }

    /// The device of a name.
    pub fn named(given: &str) -> Result<Self, BenchError> {
        Self::ALL.into_iter().find(|device| device.name() == given).ok_or_else(|| {
            BenchError::Unknown {
                what: "device",
                given: given.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            }
        })
    }

    /// What the runtime's tools call it.
    pub const fn uri(self) -> &'static str {
        match self {
            Self::Rocm => "hip",
            other => other.name(),
        }
    }

    /// What compiles for it.
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
    /// As the compiler writes it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LlvmCpu => "llvm-cpu",
            Self::VulkanSpirv => "vulkan-spirv",
            Self::Cuda => "cuda",
            Self::Rocm => "rocm",
        }
    }
}

impl Target {
    /// A device with what is usual for it.
    pub fn of(device: Device) -> Self {
        Self {
            device,
            cuda_arch: "sm_80".to_owned(),
            rocm_target: "gfx942".to_owned(),
            target_cpu: "host".to_owned(),
            vulkan_target: None,
        }
    }

    /// What compiles for it.
    pub const fn backend(&self) -> Backend {
        self.device.backend()
    }

    /// The refinement that counts for this device.
    pub fn architecture(&self) -> Option<&str> {
        match self.backend() {
            Backend::LlvmCpu => Some(&self.target_cpu),
            Backend::VulkanSpirv => self.vulkan_target.as_deref(),
            Backend::Cuda => Some(&self.cuda_arch),
            Backend::Rocm => Some(&self.rocm_target),
        }
    }

    /// Back end and architecture, as a file's name can hold them: `llvm-cpu-host`, `cuda-sm_80`.
    pub fn name(&self) -> String {
        let backend = self.backend().name();
        self.architecture().map_or_else(|| backend.to_owned(), |it| format!("{backend}-{it}"))
    }

    /// The flags that make the compiler compile for it.
    pub fn compiler_flags(&self) -> Vec<String> {
        let backend = format!("--iree-hal-target-backends={}", self.backend().name());
        let flag = match self.backend() {
            Backend::LlvmCpu => "--iree-llvmcpu-target-cpu",
            Backend::VulkanSpirv => "--iree-vulkan-target",
            Backend::Cuda => "--iree-cuda-target",
            Backend::Rocm => "--iree-rocm-target",
        };
        let refined = self.architecture().map(|architecture| format!("{flag}={architecture}"));
        std::iter::once(backend).chain(refined).collect()
    }

    /// What its GPU allows.
    pub fn limits(&self) -> &'static Limits {
        limits::of(self)
    }

    /// What the runtime's tools take as `--device=`.
    pub const fn uri(&self) -> &'static str {
        self.device.uri()
    }
}

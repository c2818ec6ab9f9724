//! Targets: the device that runs dispatches, and the architecture that the compiler generates code for.

mod limits;

pub use limits::Limits;

use super::BenchError;

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

/// A device with the architectures to compile for. Only the one of the device's back end is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub device: Device,
    /// Architecture of NVIDIA GPUs.
    pub cuda_arch: String,
    /// Architecture of AMD GPUs.
    pub rocm_target: String,
    /// CPU of local devices; `host` is the CPU of this machine.
    pub target_cpu: String,
    /// GPU whose features Vulkan code may use; `None` limits it to the features of all GPUs.
    pub vulkan_target: Option<String>,
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
        Self::ALL.into_iter().find(|device| device.name() == given).ok_or_else(|| {
            BenchError::Unknown {
                what: "device",
                given: given.to_owned(),
                known: Self::ALL.map(Self::name).join(", "),
            }
        })
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

impl Target {
    /// Creates a target with default architectures.
    pub fn of(device: Device) -> Self {
        Self {
            device,
            cuda_arch: "sm_80".to_owned(),
            rocm_target: "gfx942".to_owned(),
            target_cpu: "host".to_owned(),
            vulkan_target: None,
        }
    }

    /// Returns the back end.
    pub const fn backend(&self) -> Backend {
        self.device.backend()
    }

    /// Returns the architecture for the back end of the device.
    pub fn architecture(&self) -> Option<&str> {
        match self.backend() {
            Backend::LlvmCpu => Some(&self.target_cpu),
            Backend::VulkanSpirv => self.vulkan_target.as_deref(),
            Backend::Cuda => Some(&self.cuda_arch),
            Backend::Rocm => Some(&self.rocm_target),
        }
    }

    /// Returns back end and architecture in a form that fits file names: `llvm-cpu-host`, `cuda-sm_80`.
    pub fn name(&self) -> String {
        let backend = self.backend().name();
        self.architecture().map_or_else(|| backend.to_owned(), |it| format!("{backend}-{it}"))
    }

    /// Returns the compiler flags that select the target.
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

    /// Returns the limits of the GPU.
    pub fn limits(&self) -> &'static Limits {
        limits::of(self)
    }

    /// Returns the value of `--device` for the tools of the runtime.
    pub const fn uri(&self) -> &'static str {
        self.device.uri()
    }
}

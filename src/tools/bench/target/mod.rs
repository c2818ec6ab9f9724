//! Targets: the device that runs dispatches, and the architecture that the compiler generates code for.

mod device;
mod limits;

pub use device::{Backend, Device};
pub use limits::Limits;

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

impl Default for Target {
    fn default() -> Self {
        Self::of(Device::LocalTask)
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
        limits::of(self.backend(), self.architecture())
    }

    /// Returns the value of `--device` for the tools of the runtime.
    pub const fn uri(&self) -> &'static str {
        self.device.uri()
    }
}

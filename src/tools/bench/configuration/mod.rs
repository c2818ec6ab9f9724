//! Configurations of the compiler: tile sizes, pipeline and workgroup size, or the default of the compiler.
//!
//! Each back end has constant tables of schedules. A schedule checks whether it fits an operation, and writes the
//! `compilation_info` attribute that makes the compiler follow it.

mod cpu;
mod cuda;
mod fit;
mod gpu;
pub mod limit;
mod rocm;
mod schedule;
mod vulkan;

use crate::bench::element::Types;
use crate::bench::operation::{Kind, Operation};
use crate::bench::target::{Backend, Target};
use schedule::Schedule;

/// A way to compile an operation: a schedule, or the default of the compiler.
#[derive(Clone, Copy)]
pub struct Configuration {
    schedule: Option<&'static dyn Schedule>,
    /// The types of the operation, which some classes of instructions are named after.
    types: Types,
}

impl Configuration {
    /// The default of the compiler.
    pub const DEFAULT: Self = Self { schedule: None, types: Types::F32 };

    /// Returns every schedule of the back end for this kind of operation, whether it fits or not.
    pub fn candidates(operation: &Operation, target: &Target) -> Vec<Self> {
        let is_convolution = operation.kind() == Kind::Conv2d;
        let schedules = match (target.backend(), is_convolution) {
            (Backend::LlvmCpu, false) => rows(cpu::PRODUCTS),
            (Backend::LlvmCpu, true) => rows(cpu::CONVOLUTIONS),
            (Backend::VulkanSpirv, false) => rows(vulkan::PRODUCTS),
            (Backend::VulkanSpirv, true) => rows(vulkan::CONVOLUTIONS),
            (Backend::Cuda, false) => both(cuda::TENSOR_PRODUCTS, cuda::THREAD_PRODUCTS),
            (Backend::Cuda, true) => both(cuda::TENSOR_CONVOLUTIONS, cuda::DIRECT_CONVOLUTIONS),
            (Backend::Rocm, false) => both(rocm::MATRIX_PRODUCTS, rocm::THREAD_PRODUCTS),
            (Backend::Rocm, true) => both(rocm::PATCH_CONVOLUTIONS, rocm::DIRECT_CONVOLUTIONS),
        };
        let types = operation.types;
        schedules.into_iter().map(|schedule| Self { schedule: Some(schedule), types }).collect()
    }

    /// True if this is the default of the compiler.
    pub const fn is_default(&self) -> bool {
        self.schedule.is_none()
    }

    /// Returns the name: `tile_config_128x128_32x5_tensorcore_mmasync`.
    pub fn name(&self) -> String {
        if self.is_default() {
            return "tile_config_default".to_owned();
        }
        let (core, instructions) = self.class();
        format!("tile_config_{}_{core}_{instructions}", self.tile())
    }

    /// Returns the tile of the result, the tile of the reduction, and the number of pipeline stages: `128x128_32x5`.
    pub fn tile(&self) -> String {
        let Some(schedule) = self.schedule else { return "Default".to_owned() };
        let [rows, columns, depth, stages] = schedule.tile();
        format!("{rows}x{columns}_{depth}x{stages}")
    }

    /// Returns the class of compute units: `tensorcore`, `matrixcore`, `simt`, `cpu` or `Default`.
    pub fn core_class(&self) -> &'static str {
        self.class().0
    }

    /// Returns the class of instructions or generated code, such as `mmasync`.
    pub fn instruction_class(&self) -> String {
        self.class().1
    }

    fn class(&self) -> (&'static str, String) {
        self.schedule.map_or_else(
            || ("Default", "Default".to_owned()),
            |schedule| schedule.class(self.types),
        )
    }

    /// Checks whether an operation can be compiled with this configuration. The error is the reason why not.
    pub fn check(&self, operation: &Operation, target: &Target) -> Result<(), String> {
        operation.check()?;
        if let Some(limit) = limit::which(&self.instruction_class(), operation, target) {
            return Err(limit.to_owned());
        }
        let Some(schedule) = self.schedule else { return Ok(()) };
        fit::folded(operation, target)?;
        schedule.attribute(operation, target).map(drop)
    }

    /// Returns the `compilation_info` attribute; `None` for the default of the compiler, and if the schedule does not fit.
    pub fn attribute(&self, operation: &Operation, target: &Target) -> Option<String> {
        self.schedule?.attribute(operation, target).ok()
    }
}

impl std::fmt::Debug for Configuration {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Configuration({})", self.name())
    }
}

fn rows<S: Schedule>(table: &'static [S]) -> Vec<&'static dyn Schedule> {
    table.iter().map(|row| row as &dyn Schedule).collect()
}

fn both<S: Schedule, T: Schedule>(
    first: &'static [S],
    second: &'static [T],
) -> Vec<&'static dyn Schedule> {
    [rows(first), rows(second)].concat()
}

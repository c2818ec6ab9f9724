//! How an operation is compiled: tile sizes, pipeline and workgroup, or what the compiler chooses by itself.
//!
//! Each back end has its tables of schedules, which are data; a schedule says whether it fits an operation, and writes
//! the attribute that makes the compiler follow it.

mod cpu;
mod cuda;
mod fit;
mod gpu;
pub mod limit;
mod rocm;
mod vulkan;

use super::{Kind, Operation, Target, Types};
use crate::bench::target::Backend;

/// How an operation is compiled.
#[derive(Clone, Copy)]
pub struct Configuration {
    schedule: Option<&'static dyn Schedule>,
    /// What it is for: instructions are named by it.
    types: Types,
}

/// A row of a back end's table.
trait Schedule: Sync {
    /// The tile of the result, and that of the reduction times the stages of its pipeline: `128x128_32x5`.
    fn tile(&self) -> String;

    /// Which units compute, and by which instructions or which code.
    fn class(&self, types: Types) -> (&'static str, String);

    /// Whether an operation can be compiled so; the reason if not.
    fn check(&self, operation: &Operation, target: &Target) -> Result<(), String>;

    /// The attribute that makes the compiler do so.
    fn attribute(&self, operation: &Operation, target: &Target) -> String;
}

impl Configuration {
    /// What the compiler chooses by itself.
    pub const DEFAULT: Self = Self { schedule: None, types: Types::F32 };

    /// Those that are tried for an operation, fitting or not.
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

    /// Whether the compiler is left the choice.
    pub const fn is_default(&self) -> bool {
        self.schedule.is_none()
    }

    /// Its name: `tile_config_128x128_32x5_tensorcore_mmasync`.
    pub fn name(&self) -> String {
        if self.is_default() {
            return "tile_config_default".to_owned();
        }
        let (core, instructions) = self.class();
        format!("tile_config_{}_{core}_{instructions}", self.tile())
    }

    /// The tile of the result, and that of the reduction times the stages of its pipeline: `128x128_32x5`.
    pub fn tile(&self) -> String {
        self.schedule.map_or_else(|| "Default".to_owned(), Schedule::tile)
    }

    /// Which units compute: `tensorcore`, `simt`, `cpu`.
    pub fn core_class(&self) -> &'static str {
        self.class().0
    }

    /// By which instructions, or by which code: `mmasync`.
    pub fn instruction_class(&self) -> String {
        self.class().1
    }

    fn class(&self) -> (&'static str, String) {
        self.schedule.map_or_else(
            || ("Default", "Default".to_owned()),
            |schedule| schedule.class(self.types),
        )
    }

    /// Whether an operation can be compiled so; the reason if not.
    pub fn check(&self, operation: &Operation, target: &Target) -> Result<(), String> {
        operation.check()?;
        if let Some(limit) = limit::which(self, operation, target) {
            return Err(limit.to_owned());
        }
        let Some(schedule) = self.schedule else { return Ok(()) };
        fit::folded(operation, target)?;
        schedule.check(operation, target)
    }

    /// The attribute that makes the compiler do so; `None` leaves it the choice.
    pub fn attribute(&self, operation: &Operation, target: &Target) -> Option<String> {
        self.schedule.map(|schedule| schedule.attribute(operation, target))
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

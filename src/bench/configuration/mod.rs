//! How an operation is compiled: tile sizes, pipeline and workgroup, or what the compiler chooses by itself.

mod cpu;

use super::{Kind, Operation, Target};
use crate::bench::target::Backend;

/// How an operation is compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Configuration {
    schedule: Option<Schedule>,
}

/// A schedule of one of the back ends.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Schedule {
    Cpu(cpu::Tiles),
}

impl Configuration {
    /// What the compiler chooses by itself.
    pub const DEFAULT: Self = Self { schedule: None };

    /// Those that are tried for an operation, fitting or not.
    pub fn candidates(operation: &Operation, target: &Target) -> Vec<Self> {
        let schedules: Vec<Schedule> = match (target.backend(), operation.kind()) {
            (Backend::LlvmCpu, Kind::Matmul) => {
                cpu::MATMUL.iter().copied().map(Schedule::Cpu).collect()
            }
            _ => Vec::new(),
        };
        schedules.into_iter().map(|schedule| Self { schedule: Some(schedule) }).collect()
    }

    /// Its name: `tile_config_128x128_32x5_tensorcore_mmasync`.
    pub fn name(&self) -> String {
        match &self.schedule {
            None => "tile_config_default".to_owned(),
            Some(_) => format!(
                "tile_config_{}_{}_{}",
                self.tile(),
                self.core_class(),
                self.instruction_class()
            ),
        }
    }

    /// The tile of the result, and that of the reduction times the stages of its pipeline: `128x128_32x5`.
    pub fn tile(&self) -> String {
        match &self.schedule {
            None => "Default".to_owned(),
            Some(Schedule::Cpu(tiles)) => tiles.name(),
        }
    }

    /// Which units compute.
    pub fn core_class(&self) -> &'static str {
        match &self.schedule {
            None => "Default",
            Some(Schedule::Cpu(_)) => "cpu",
        }
    }

    /// By which instructions or which code they compute.
    pub fn instruction_class(&self) -> String {
        match &self.schedule {
            None => "Default".to_owned(),
            Some(Schedule::Cpu(tiles)) => tiles.instructions(),
        }
    }

    /// Whether an operation can be compiled so; the reason if not.
    pub fn check(&self, operation: &Operation, _target: &Target) -> Result<(), String> {
        match &self.schedule {
            None => Ok(()),
            Some(Schedule::Cpu(tiles)) => tiles.check(operation),
        }
    }

    /// The attribute that makes the compiler do so; `None` leaves it the choice.
    pub fn attribute(&self) -> Option<String> {
        self.schedule.as_ref().map(|Schedule::Cpu(tiles)| tiles.attribute())
    }
}

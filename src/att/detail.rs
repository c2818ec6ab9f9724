//! How much of a trace is decoded.

use serde::{Deserialize, Serialize};

/// How much of a trace is decoded. Each level has what those before have.
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub enum Detail {
    /// Counts, and sums by instruction.
    #[default]
    Sums,
    /// Waves, their states and the occupancy.
    Waves,
    /// Each execution of an instruction by a wave.
    Executions,
}

impl Detail {
    /// Returns this level and those before, in ascending order.
    pub(crate) fn up_to(self) -> impl Iterator<Item = Self> {
        [Self::Sums, Self::Waves, Self::Executions].into_iter().filter(move |level| *level <= self)
    }

    /// Returns the level that has the rows of a table.
    pub fn of(table: &str) -> Self {
        match table {
            "att_waves" | "att_wave_states" | "att_occupancy" => Self::Waves,
            "att_executions" => Self::Executions,
            _ => Self::Sums,
        }
    }

    /// Returns its name in the names of files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sums => "sums",
            Self::Waves => "waves",
            Self::Executions => "executions",
        }
    }
}

//! The rows of the decoded tables. Their declarations document the columns.

use serde::{Deserialize, Serialize};

/// The tables, in the order in which they are sent.
pub const TABLES: [&str; 8] = [
    "att_traces",
    "att_instructions",
    "att_waves",
    "att_wave_states",
    "att_occupancy",
    "att_info",
    "att_clocks",
    "att_executions",
];

/// Names of the categories of instructions.
pub(crate) const CATEGORIES: [&str; 13] = [
    "NONE", "SMEM", "SALU", "VMEM", "FLAT", "LDS", "VALU", "JUMP", "NEXT", "IMMED", "CONTEXT",
    "MESSAGE", "BVH",
];

/// Names of the states of waves.
pub(crate) const STATES: [&str; 5] = ["empty", "idle", "exec", "wait", "stall"];

/// Names of the kinds of information.
pub(crate) const INFOS: [&str; 4] = ["none", "data_lost", "stitch_incomplete", "wave_incomplete"];

/// The trace that a row belongs to: the first columns of every table.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub bundle: String,
    pub session_id: u64,
    pub trace_id: u64,
    /// Offset of its record in the file.
    pub byte_offset: u64,
}

/// A row of `att_traces`.
#[derive(Debug, Serialize)]
pub struct TraceRow<'a> {
    #[serde(flatten)]
    pub origin: &'a Origin,
    pub gfxip: Option<u64>,
    pub waves: Option<u64>,
    pub occupancy: Option<u64>,
    pub instruction_events: Option<u64>,
    pub unique_pcs: Option<u64>,
    pub info: Option<u64>,
    pub problem: Option<String>,
}

impl<'a> TraceRow<'a> {
    /// Returns the row of a trace that could not be decoded.
    pub const fn without(origin: &'a Origin, problem: String) -> Self {
        Self {
            origin,
            gfxip: None,
            waves: None,
            occupancy: None,
            instruction_events: None,
            unique_pcs: None,
            info: None,
            problem: Some(problem),
        }
    }
}

/// A row of `att_instructions`.
#[derive(Debug, Serialize)]
pub struct InstructionRow<'a> {
    #[serde(flatten)]
    pub origin: &'a Origin,
    pub code_object_id: u64,
    pub pc: u64,
    pub category: &'static str,
    pub hits: u64,
    pub duration: u64,
    pub stall: u64,
    pub first_time: i64,
    pub last_time: i64,
    pub instruction: Option<String>,
}

/// A row of `att_waves`.
#[derive(Debug, Serialize)]
pub struct WaveRow<'a> {
    #[serde(flatten)]
    pub origin: &'a Origin,
    pub wave: u64,
    pub cu: u32,
    pub simd: u32,
    pub slot: u32,
    pub contexts: u32,
    pub begin_time: i64,
    pub end_time: i64,
    pub instruction_events: u64,
}

/// A row of `att_wave_states`.
#[derive(Debug, Serialize)]
pub struct StateRow<'a> {
    #[serde(flatten)]
    pub origin: &'a Origin,
    pub wave: u64,
    pub position: u64,
    pub state: Option<&'static str>,
    pub state_value: i32,
    pub begin_time: i64,
    pub duration: i32,
}

/// A row of `att_occupancy`.
#[derive(Debug, Serialize)]
pub struct OccupancyRow<'a> {
    #[serde(flatten)]
    pub origin: &'a Origin,
    pub time: u64,
    pub cu: u32,
    pub simd: u32,
    pub slot: u32,
    pub is_start: bool,
    pub code_object_id: u64,
    pub pc: u64,
}

/// A row of `att_info`.
#[derive(Debug, Serialize)]
pub struct InfoRow<'a> {
    #[serde(flatten)]
    pub origin: &'a Origin,
    pub info: Option<&'static str>,
    pub info_value: u32,
    pub message: String,
}

/// A row of `att_clocks`.
#[derive(Debug, Serialize)]
pub struct ClockRow<'a> {
    #[serde(flatten)]
    pub origin: &'a Origin,
    pub time: i64,
    pub realtime: u64,
    pub realtime_frequency: Option<u64>,
}

/// A row of `att_executions`.
#[derive(Debug, Serialize)]
pub struct ExecutionRow<'a> {
    #[serde(flatten)]
    pub origin: &'a Origin,
    pub wave: u64,
    pub position: u64,
    pub code_object_id: u64,
    pub pc: u64,
    pub category: Option<&'static str>,
    pub begin_time: i64,
    pub duration: i32,
    pub stall: u32,
}

/// Returns the name of a number; `None` if it has none.
pub fn name_of(names: &[&'static str], number: impl TryInto<usize>) -> Option<&'static str> {
    number.try_into().ok().and_then(|number| names.get(number).copied())
}

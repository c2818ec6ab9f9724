//! The submissions with dispatches, in the order in which the host made them, and what each piece of evidence says of the
//! place before them.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::place::Place;

/// A map with keys that a program counts up, not chosen by an adversary; a file with forced collisions is only slow to read.
pub type Map<K, V> = HashMap<K, V, FixedState>;

/// Stands for no call, no exported function, no operation.
pub const NONE: u32 = u32::MAX;

/// Narrows a number. A file with more submissions, of at least 100 bytes each, does not fit into memory.
pub fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(NONE)
}

/// A submission with dispatches.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Its number among the submissions of the bundle.
    pub submission: u32,
    /// Equal for submissions of the same functions on the same device and, if these are executed again and again, of the
    /// same command buffer.
    pub content: u32,
    /// Equal for submissions of the same module, if executables tell.
    pub module: Option<u32>,
    pub device: u32,
    pub place: Place,
    /// How often its functions had been loaded before.
    pub load: u32,
    pub wait: Wait,
    pub host: Host,
    /// Whether an allocation was made before the place and released after it.
    pub(crate) is_joined: bool,
    /// Whether the host could read a value back that was made since the step before.
    pub(crate) is_read_back: bool,
}

impl Step {
    /// Whether a call can begin with it by the waits: it waits for nothing, and is not within a lifetime.
    pub(crate) fn is_start(&self) -> bool {
        self.wait == Wait::Start && !self.is_joined
    }
}

/// What waits say of the place before a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Its operations were not recorded.
    Unknown,
    /// Its first operation waits for nothing.
    Start,
    Chained,
}

/// What the host did before a step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Host {
    /// Whether it went on while the step before still ran; `None` if unknown.
    pub(crate) is_ahead: Option<bool>,
    /// Whether it did something else since, such as to read something back.
    pub(crate) has_worked: bool,
    /// The time since its last operation, for the step before.
    pub(crate) gap_ns: Option<u32>,
}

/// The steps of a bundle, in order.
#[derive(Debug, Default)]
pub struct Steps {
    pub all: Vec<Step>,
    /// The time that the host takes between operations that belong together; `None` if too few are known.
    pub(crate) inner_gap_ns: Option<u32>,
    /// Whether the host reads a value back before the first step, but none after the last one: so do functions, not loops.
    pub(crate) reads_first: bool,
    /// How often the program was loaded, one load after the other.
    pub(crate) loads: u32,
    /// Whether records after the last step are missing.
    pub is_cut: bool,
}

/// The functions of a submission and their times, as the order of steps needs them.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    pub content: u32,
    pub module: Option<u32>,
    pub device: u32,
    pub place: Place,
    pub load: u32,
    pub session_id: u64,
    /// First start and last end, on a clock of all submissions; `None` if no dispatch is valid.
    pub span: Option<[i64; 2]>,
    /// Whether that clock is the host's, so that it can be compared with the times of operations.
    pub(crate) is_host_time: bool,
    /// What the span may be off on the host's clock, in nanoseconds.
    pub(crate) residual_ns: i64,
}

/// An operation that the host put into a queue.
#[derive(Debug, Clone, Copy)]
pub struct Operation {
    pub time: i64,
    /// The number of the submission, or of the step once these are in order; [`NONE`] if it has no dispatches.
    pub of: u32,
    pub kind: u8,
    pub waits: bool,
    /// Session and id of what it allocates or releases; 0 if neither.
    pub allocation: u64,
    /// The bytes that it allocates or moves.
    pub length: u64,
}

impl Operation {
    const BARRIER: u8 = 1;
    const ALLOCA: u8 = 9;
    const DEALLOCA: u8 = 10;

    /// Whether it allocates memory.
    pub(crate) const fn is_allocation(&self) -> bool {
        self.kind == Self::ALLOCA
    }

    /// Whether it releases memory.
    pub(crate) const fn is_release(&self) -> bool {
        self.kind == Self::DEALLOCA
    }

    /// Whether it ends something: it releases memory, or only waits and signals.
    pub(crate) const fn is_end(&self) -> bool {
        matches!(self.kind, Self::BARRIER | Self::DEALLOCA)
    }

    /// Whether it does more than to manage memory.
    pub(crate) const fn is_work(&self) -> bool {
        !self.is_end() && !self.is_allocation()
    }
}

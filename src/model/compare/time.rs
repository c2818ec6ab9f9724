//! The times of functions in the iterations of runs, as they were measured.

use std::collections::BTreeMap;

/// The time of a function in an iteration of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    pub run: String,
    /// `None` for dispatches outside of any invocation.
    pub iteration: Option<u64>,
    pub function: String,
    /// Content hash of its code, if it was recorded.
    pub hash: Option<String>,
    pub calls: u64,
    /// The time of all its calls; `None` if none of them has valid times.
    pub ns: Option<f64>,
    /// Mean number of workgroups of a call, if it was recorded.
    pub workgroups: Option<f64>,
    pub operands: Option<Operands>,
}

/// The numbers of buffers and constants that a call of a function passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Operands {
    pub bindings: u64,
    pub constants: u64,
}

/// Times in nanoseconds: for each run of a side, by iteration. A run without any is empty.
pub type Times = Vec<BTreeMap<Option<u64>, f64>>;

//! Calls the libraries of ROCm that decode traces and disassemble instructions, which needs `unsafe` code.
//!
//! It runs only in the process that [`super::child`] is: whatever the libraries do, including a crash, ends that process
//! alone. Structures have the layouts of `librocprofiler-sdk` and `libamd_comgr`.

mod comgr;
mod decoder;
mod library;

pub use comgr::Comgr;
pub use decoder::{Clock, Decoder, Instruction, Occupancy, Pc, Records, Wave};

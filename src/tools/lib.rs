//! Runs IREE's tools: captures, generated dispatches and compilations, with their time limits, outputs and refusals.
//!
//! It knows processes, folders and the bundles that tools write. It knows no queries, flags, or how anything is printed.

pub mod bench;
pub mod capture;
pub mod compiler;

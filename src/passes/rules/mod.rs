//! Rules: conclusions from the counts of passes.
//!
//! A pass (`src/passes/fold`) counts; a rule judges. A rule has its condition, severity, message and evidence in one place:
//! `doctor` has findings about a capture, `modes` the state of each mode, `answers` the questions that a capture can
//! answer, `bottlenecks` and `hints` the conclusions of `explain`. `capture` and `explain` return them as relations.
//!
//! Invariant: this layer reads no records and plans no queries.

mod answers;
mod bottlenecks;
mod capture;
mod commands;
mod contradictions;
mod doctor;
mod explain;
mod hints;
mod modes;
mod shortcomings;

pub use commands::answering;

use crate::fold::Pass;

/// The passes that apply rules.
pub static PASSES: &[&Pass] = &[&capture::PASS, &contradictions::PASS, &explain::PASS];

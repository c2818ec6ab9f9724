//! Rules: what is concluded from what passes count.
//!
//! A pass (`src/fold`) counts; a rule judges. A rule has its condition, severity, words and evidence in one place:
//! `doctor` for findings about a capture, `modes` for what became of each mode, `answers` for what a capture can answer,
//! `bottlenecks` and `hints` for what `explain` says. `capture` and `explain` give their conclusions as relations.
//!
//! Invariant: this layer reads no records and plans no queries.

mod answers;
mod bottlenecks;
mod capture;
mod commands;
mod doctor;
mod explain;
mod hints;
mod modes;

use crate::fold::Pass;

/// The passes whose counts are judged.
pub static PASSES: &[&Pass] = &[&capture::PASS, &explain::PASS];

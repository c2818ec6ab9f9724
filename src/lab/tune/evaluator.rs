//! What a search needs: the times of candidates, and whether their results are right.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::budget::Costs;
use super::error::TuneError;

/// A point of each target's space: what one module is compiled with.
pub type Points = Vec<usize>;

/// The part of a run of `tune` that needs the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    #[default]
    Search,
    Final,
    Verify,
    Proof,
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    #[default]
    Measured,
    /// Its code is that of an earlier candidate, so it was not run.
    SameCode,
    /// It was compiled for a device that is elsewhere.
    Compiled,
    /// It was compiled, but the compiler applied another configuration.
    NotApplied,
    /// The compiler refused it, or took too long.
    NotCompiled,
    /// It crashed, hung or was refused by the device.
    NotRun,
    /// Its results are those of the untuned module.
    Right,
    Wrong,
}

/// The times of a run in nanoseconds: medians over its iterations, without warm-up.
#[derive(Debug, Clone, PartialEq)]
pub struct Times {
    /// One for each target; `None` if it has none in the profile.
    pub targets: Vec<Option<f64>>,
    pub total: f64,
}

/// What was found out about the times of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub enum Evaluation {
    Times(Times),
    /// Its code is that of these points, which were measured before.
    SameCode(Points),
    /// It did not compile or run.
    Refused(Refusal),
}

/// Why a candidate has no times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// Whether it compiled, but did not run.
    pub is_compiled: bool,
    /// What the compiler, or who ran it, says.
    pub words: String,
}

/// Compiles and runs candidates.
pub trait Evaluator {
    /// Measures candidates of a round, each alone, in their order. Equal code is only told in a search; the other stages
    /// measure it again.
    fn run(
        &mut self,
        stage: Stage,
        round: u32,
        candidates: &[Points],
    ) -> Result<Vec<Evaluation>, TuneError>;

    /// Returns how the results of a candidate differ from those of the untuned module, or why it has none; `None` if they
    /// are the same.
    fn difference(&mut self, points: &Points) -> Result<Option<String>, TuneError>;

    /// Returns the time that the command took so far, in this process or an earlier one.
    fn spent(&self) -> Duration;

    /// Returns what its parts take.
    fn costs(&self) -> Costs;
}

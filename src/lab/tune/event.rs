//! What a listener is told while a model is tuned.

use std::time::Duration;

use super::budget::Costs;
use super::compile_only::CompileCount;
use super::plan::Plan;
use super::proof::ProofEvent;
use super::search::SearchProgress;
use super::targets::Target;

/// What happens while a model is tuned.
pub enum TuneEvent<'a> {
    /// The dispatches to tune are chosen.
    Planned(&'a Plan),
    /// The budget is divided: the search has so long, and the proof has the rest, at most `proof`.
    Divided { costs: Costs, budget: Duration, search: Duration, proof: Duration },
    /// A round of candidates was compiled for a device that is elsewhere. So many were until now.
    Compiled(&'a CompileCount),
    /// A round of the search has ended.
    Searched { targets: &'a [Target], progress: &'a SearchProgress<'a> },
    /// Results of a configuration differ from those of the compiler's own choice.
    WrongResults { target: &'a Target, configuration: String, difference: &'a str },
    /// The proof goes on.
    Proof { targets: &'a [Target], event: &'a ProofEvent<'a> },
}

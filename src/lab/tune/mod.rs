//! Finds configurations of a model's dispatches that are faster, and proves that they are.
//!
//! [`run`] is what programs use. `targets` chooses the dispatches by their times, `search` tries configurations of all of them
//! at once, `finals` verifies the best and measures them again, `proof` races the winners against the untuned model, and drops
//! what does not pay. These decide; `lab` compiles and measures for them, and keeps all of it in the `store`.
//!
//! Invariant: nothing here prints or names a flag. How far it is goes to a listener, as [`TuneEvent`]s.

mod baseline;
mod budget;
mod builder;
mod clock;
mod compile_only;
mod earlier;
mod error;
mod evaluator;
mod event;
mod files;
mod finals;
mod lab;
mod options;
mod plan;
mod proof;
mod report;
mod request;
mod roofline;
mod rows;
mod run;
mod run_times;
mod runner;
mod search;
mod store;
mod targets;
#[cfg(test)]
mod tests;
mod tried;
mod user_spaces;

pub use budget::Costs;
pub use compile_only::CompileCount;
pub use error::TuneError;
pub use event::TuneEvent;
pub use options::TuneOptions;
pub use plan::Plan;
pub use proof::{Proof, ProofEvent};
pub use report::speedup;
pub use request::TuneRequest;
pub use rows::DispatchRow;
pub use run::{Faster, TuneOutcome, run};
pub use run_times::RunTimes;
pub use search::SearchProgress;
pub use targets::{Skipped, Target};
pub use tried::{Reason, Tried};

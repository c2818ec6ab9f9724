//! Compiles, verifies and profiles dispatches, and stores the results.
//!
//! Invariants: a failing tool does not end the sweep, and every dispatch gets a row; device times, host times and wall
//! times are never mixed; nothing is printed, progress is reported as [`Event`]s.

mod cache;
mod compile;
mod dry;
mod event;
pub mod folders;
mod known;
mod modules;
mod plan;
mod profile;
mod rank;
mod rounds;
pub mod row;
mod settings;
pub mod statistics;
pub mod store;
mod sweep;
mod tool_run;
pub mod tools;
mod verify;

pub use event::{Event, ReadTimes, Timed};
pub use folders::{Folders, Mode};
pub use plan::{BenchRequest, Plan, PlanNotice, Tell, plan};
pub use row::{DispatchRun, Outcome, Stage, Verification};
pub use settings::Settings;
pub use statistics::PROCESSES as INTERVAL_PROCESSES;
pub use sweep::{SweepResult, generate, sweep};
pub use tools::Tools;

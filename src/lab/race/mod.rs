//! Races: runs two commands in turns until it is decided which is faster.
//!
//! [`run`] captures the runs into one set and reports its progress as [`RaceEvent`]s. [`workspace::comparison`] compares such a
//! set again.
//!
//! Invariant: nothing here prints or names a flag.

mod clocks;
mod course;
mod earlier;
mod error;
mod event;
mod request;
mod whole;

pub use clocks::Clocks;
pub use course::run;
pub use earlier::is_unfinished;
pub use error::{RaceError, RunError};
pub use event::{End, Race, RaceEvent};
pub use request::{DEFAULT_RUNS, DEFAULT_SEED, RaceRequest};
pub use whole::whole;

//! Contradictions: what the families of a bundle say of the same work, held against each other.
//!
//! In: dispatches, queue operations, clock correlations and recorded operations, each read once in file order. Out: for
//! each kind of contradiction, how many records show it and by how much. Only what cannot be true is one: each check has a
//! tolerance that follows from ticks, clock readings and rounding. What the families do not decide is none.
//!
//! Memory does not grow with the bundle: a submission is forgotten when so many others have begun that none of its records
//! can follow ([`window`]).

mod clocks;
mod due;
mod found;
mod ids;
mod order;
mod pass;
mod queue;
mod recorded;
mod side;
mod tiles;
mod window;

pub use found::{Amount, Contradiction, Kind};
pub use pass::{CrossChecks, find};
pub(crate) use tiles::{SEVERAL, alone};

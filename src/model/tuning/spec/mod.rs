//! Tuning specs: modules of the transform dialect that match operations and set their configurations.
//!
//! [`Spec`] reads and writes one, and [`set_knobs`] makes one. `verify` judges from dumps which of its matchers were applied, `merge` joins several,
//! and `diff` compares two.

mod diff;
mod difference;
mod matcher;
mod merge;
mod operands;
mod pattern;
mod read;
mod set;
mod source;
mod verify;
mod write;

pub use diff::{Change, diff};
pub use difference::Difference;
pub use matcher::{Entry, Sequence, Spec};
pub use merge::{Conflict, Merged, merge};
pub use pattern::Pattern;
pub use read::SpecError;
pub use set::{SetError, set_knobs};
pub use verify::{Nearest, Verdict, verify};
pub use write::{Unwritable, write};

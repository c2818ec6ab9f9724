//! Opens the sides of a comparison, and compares them.
//!
//! [`compare`] does all of it. Its parts are there for callers that have sides from elsewhere, such as a history or a race.
//!
//! Invariant: nothing here prints or names a flag. The results are data, which [`report::comparison`] draws.

mod error;
mod request;
mod rows;
mod sides;
mod source;

pub use error::CompareError;
pub use request::{CompareOptions, CompareRequest, Selection};
pub use rows::batch;
pub use sides::{Sides, compare};
pub use source::SideSource;
pub(crate) use source::read_runs;

//! Files to records: opens a bundle and lists what stands where in it.
//!
//! Invariant: this layer knows file records, sessions and content types as strings; it does not know what a dispatch
//! is. Every byte is read through [`cursor`], every cap stands in [`limits`], and the only `unsafe` is in [`map`].

pub mod cursor;
pub mod digest;
pub mod directory;
mod error;
mod flaw;
mod header;
mod ireeperf;
pub mod limits;
mod map;
mod of_set;
mod open;
mod problem;
pub mod set;
pub mod sources;
mod temporary;
mod told;

pub use directory::{Directory, Entry, RecordType, Session};
pub use error::{BundleError, Fault};
pub use header::{FileHeader, RecordHeader};
pub use of_set::StandIn;
pub use open::{Bundle, open};
pub use problem::{Problem, Severity};
pub use sources::BundleSource;
pub use temporary::temporary;

//! Opens bundles and indexes their file records.
//!
//! Invariant: this layer knows file records, sessions and content types as strings; it does not know what a dispatch
//! is. Bytes are read through [`cursor`], limits are in [`limits`], and its only `unsafe` code is in [`map`].

mod ahead;
mod below;
mod chain;
pub mod cursor;
pub mod directory;
mod error;
mod files;
mod header;
mod ireeperf;
pub mod limits;
mod map;
mod of_set;
mod open;
mod problem;
pub mod set;
mod source;
pub mod sources;
mod told;
mod walk;

pub use ahead::load_ahead;
pub use below::is_bundle_name;
pub use directory::{Directory, Entry, RecordType, Session};
pub use error::{BundleError, Fault};
pub use files::Files;
pub use header::{FileHeader, RecordHeader};
pub use map::{MappedFile, guard_maps};
pub use open::{Access, Bundle, OpenOptions, open, open_all};
pub use problem::{Problem, Severity};
pub use source::{BundleSource, LOST, StandIn};

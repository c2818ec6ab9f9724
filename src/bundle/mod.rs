//! Opens bundles and indexes their file records.
//!
//! Invariant: this layer knows file records, sessions and content types as strings; it does not know what a dispatch
//! is. Bytes are read through [`cursor`], limits are in [`limits`], and the only `unsafe` code is in [`map`].

mod ahead;
mod below;
mod chain;
pub mod cursor;
mod different;
pub mod digest;
pub mod directory;
pub mod equal;
mod error;
mod files;
mod folder;
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
mod temporary;
mod threads;
mod told;
mod walk;

pub use ahead::load_ahead;
pub use below::is_bundle_name;
pub use different::different;
pub use directory::{Directory, Entry, RecordType, Session};
pub use error::{BundleError, Fault};
pub use files::Files;
pub use folder::with_extension;
pub use header::{FileHeader, RecordHeader};
pub use map::{MappedFile, guard_maps};
pub use open::{Access, Bundle, OpenOptions, open, open_all};
pub use problem::{Problem, Severity};
pub use source::{BundleSource, LOST, StandIn};
pub use temporary::{
    Staging, exchange, folder_of, is_device, is_temporary, remove_all, replace, replacing, staging,
    temporary,
};
pub use threads::{in_order, processors, try_in_order};

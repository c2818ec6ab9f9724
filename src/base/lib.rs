//! What several crates need and no other owns: files that are replaced whole, digests, threads, name patterns, and words for people.
//!
//! It knows no profiles, Arrow or SQL. Of the workspace it uses `schemas` alone, for the escapes of patterns.

mod different;
pub mod digest;
pub mod equal;
mod folder;
mod near;
mod panics;
mod pattern;
mod printed;
mod temporary;
mod threads;
pub mod words;

pub use different::different;
pub use folder::with_extension;
pub use near::{is_near, nearest};
pub use panics::said;
pub use pattern::Pattern;
pub use printed::{grouped, printable};
pub use temporary::{
    Staging, exchange, folder_of, is_device, is_temporary, remove_all, replace, replacing, staging,
    temporary,
};
pub use threads::{in_order, processors, try_in_order};

//! The tables of an `.ireeprof` bundle, declared once.
//!
//! One file under [`tables`] declares one table and nothing else. From the declaration come the Arrow schema
//! ([`mod@arrow`]), the column decoders of `read`, the reference page ([`docs`]) and the contract tests.
//!
//! It knows names, types, byte offsets and meanings. It knows no files: it reads no bytes and runs no queries.

pub mod arrow;
mod clock;
pub mod docs;
pub mod drivers;
pub mod enums;
pub mod escape;
pub mod fields;
pub mod flags;
pub mod ireeperf;
pub mod peaks;
pub mod place;
pub mod questions;
pub mod spec;
pub mod tables;

pub use clock::Clock;
pub use spec::{Column, Field, Kind, Read, Source, Table, Unit};

/// Returns every table, in the order of the reference page.
pub fn all() -> &'static [&'static Table] {
    tables::ALL
}

/// Returns the table called `name`, or `None`.
pub fn find(name: &str) -> Option<&'static Table> {
    all().iter().copied().find(|table| table.name == name)
}

/// The prefix of a chunk's content type, before the suffix of the family.
pub const CONTENT_TYPE_PREFIX: &str = "application/vnd.iree.hal.profile.";

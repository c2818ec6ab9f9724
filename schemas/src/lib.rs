//! The tables of an `.ireeprof` bundle, declared once.
//!
//! One file under [`tables`] declares one table and nothing else. From the declaration come the Arrow schema
//! ([`mod@arrow`]), the column decoders of the main crate, the reference page ([`docs`]) and the contract tests.
//!
//! Invariant: this crate knows names, types, byte offsets and meanings; it reads no bytes and runs no queries.

pub mod arrow;
pub mod bottlenecks;
pub mod docs;
pub mod drivers;
pub mod enums;
pub mod escape;
pub mod fields;
pub mod findings;
pub mod flags;
pub mod ireeperf;
pub mod place;
pub mod questions;
pub mod spec;
pub mod tables;

pub use spec::{Column, Field, Kind, Read, Source, Table, Unit};

/// Every table, in the order in which the reference page lists them.
pub fn all() -> &'static [&'static Table] {
    tables::ALL
}

/// The table called `name`, if there is one.
pub fn find(name: &str) -> Option<&'static Table> {
    all().iter().copied().find(|table| table.name == name)
}

/// What a chunk's content type is called in front of the family's suffix.
pub const CONTENT_TYPE_PREFIX: &str = "application/vnd.iree.hal.profile.";

//! `ireescope`: IREE device profiles as tables.
//!
//! Bytes become records, columns, tables, views and reports, in that order, each in a module that knows nothing of
//! the later ones; see docs/architecture.md.

pub mod bench;
pub mod bundle;
pub mod capture;
pub mod cli;
pub mod engine;
pub mod fold;
pub mod record;
pub mod report;
pub mod rules;
pub mod table;

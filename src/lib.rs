//! `ireescope` opens IREE device profiles as tables.
//!
//! The data passes through layers: bytes, records, columns, tables, views, reports. No layer depends on a later one.
//! See docs/architecture.md.

pub mod att;
pub mod bench;
pub mod bundle;
pub mod capture;
pub mod cli;
pub mod compare;
mod dialect;
pub mod engine;
pub mod fold;
mod functions;
pub mod history;
pub mod operation;
pub mod record;
pub mod report;
pub mod rules;
pub mod statistics;
pub mod table;
pub mod tuning;
pub mod workspace;

//! Reads what analysts have: bundles as records and Arrow columns, the rows that commands keep, histories, and all of these in object stores.
//!
//! It knows files, bytes and the declarations of `schemas`. It knows no passes, no queries and no tools.

pub mod bundle;
pub mod history;
pub mod record;
pub mod remote;
pub mod store;
pub mod table;

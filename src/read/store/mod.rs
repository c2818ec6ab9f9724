//! Rows in Parquet files: what history, bench and tune keep between commands.
//!
//! A row is a struct that serde converts; the declaration of its table names and types its columns. NULL is `None`. Columns
//! that an older file lacks are NULL. Numbers come back to the last bit, as none is written as text on the way.
//!
//! Invariant: this layer knows files and rows; it runs no queries, and what the rows mean is not its concern.

#[cfg(test)]
#[path = "../../../tests/support/doubles.rs"]
pub mod doubles;
mod error;
mod guard;
mod read;
mod row;
mod schema;
#[cfg(test)]
mod tests;
mod write;

pub use error::StoreError;
pub use guard::guarded;
pub use read::{Batches, Only, batches, read};
pub use row::{RowError, rows};
pub use schema::{schema, with_schema};
pub use write::{batch, replace};

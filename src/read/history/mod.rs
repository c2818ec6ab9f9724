//! A history: a folder of Parquet files that keeps the results of runs for years.
//!
//! ```text
//! history.json                                  says that the folder is a history; the lock of the folder
//! month=2026-11/<piece>/history_runs.parquet    rows of one addition, or after compaction of all of the month
//! month=2026-11/<piece>/history_functions.parquet, history_samples.parquet, history_accepted.parquet
//! month=2026-11/<piece>/<table>.parquet         raw tables, if they are kept
//! ```
//!
//! A piece is written to a temporary folder and renamed, so that it is there whole or not at all. Who reads or adds holds
//! a shared lock; compaction holds an exclusive one, and lets the folder of a month change places with its successor. In an
//! object store, `history.json` lists the pieces, and is written on the condition that nobody else wrote it meanwhile.
//!
//! Invariant: this layer knows the files and their rows; it runs no queries and judges nothing.

mod compact;
mod error;
mod files;
mod folder;
mod list;
mod merge;
mod piece;
mod read;
mod remote;
mod row;
mod stored;

pub use compact::{compact, compact_if_many};
pub use error::HistoryError;
pub use files::write;
pub use folder::History;
pub use list::Kept;
pub use merge::Compacted;
pub use piece::Piece;
pub use read::{ReadOptions, batches, read, rows};
pub use row::{Accepted, FunctionRow, RunRow, Sample};
pub use stored::{next_addition, stored};

pub use crate::store::{batch, schema, with_schema};

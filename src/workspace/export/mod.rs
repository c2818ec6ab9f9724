//! Writes what bundles contain for other tools: streams of records, tables, and folders of Parquet files.
//!
//! Invariant: nothing here prints, handles signals, or names a flag. The caller gives the output, and its listener gets the
//! progress.

mod dataset;
mod encode;
mod error;
mod ireeperf;
pub mod lines;
mod table;

pub use dataset::{DatasetPlan, DatasetRequest, ExportedDataset, StagedDataset};
pub use encode::encode;
pub use error::ExportError;
pub use ireeperf::write_ireeperf;
pub use table::{TableRequest, write_table};

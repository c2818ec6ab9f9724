//! The query engine: builds the DataFusion sessions over open bundles, and plans and runs SQL.
//!
//! Invariant: this layer knows no file offsets. Tables come from [`crate::table`], views and reports from the `sql`
//! crate, and our SQL functions from [`functions`].

pub mod comparison;
mod context;
pub mod dataset;
mod declared;
mod decoded;
mod dialect;
mod documented;
mod error;
mod explained;
mod feed_scan;
mod files;
mod filter;
mod folds;
mod functions;
mod grouping;
mod kept;
mod knobs;
mod memory;
mod namespace;
mod near;
mod parameters;
mod peaks;
mod planned;
mod prepared;
mod provider;
mod session;
mod statement;
mod walk;
mod yielding;

pub use error::EngineError;
pub use functions::docs as function_docs;
pub use memory::{Memory, default_limit};
pub use namespace::Beside;
pub use near::nearest;
pub use parameters::Parameters;
pub use prepared::{Answer, Head, Prepared};
pub use session::{Engine, Options, processors};
pub use statement::{Statement, definitions, parse};

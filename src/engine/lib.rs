//! The query engine: builds the DataFusion sessions over open bundles, and plans and runs SQL.
//!
//! It knows no file offsets, flags or output formats. Tables come from [`read::table`], views and reports from the `sql`
//! crate, our SQL functions from [`functions`], and users' statements from [`dialect`].

mod builtin;
mod compacting;
pub mod comparison;
mod context;
pub mod dataset;
mod declared;
mod decoded;
mod documented;
mod error;
mod explained;
mod feed_scan;
mod files;
mod filter;
mod functional_dependencies;
pub mod functions;
mod grouping;
mod kept;
mod knobs;
mod memory;
mod namespace;
mod near;
mod null_extended;
mod offered;
mod parameters;
mod peaks;
mod planned;
mod prepared;
mod provider;
mod ready;
mod runs;
mod session;
mod sort_merge_joins;
mod statement;
mod typed;
mod yielding;

pub use compacting::Compact;
pub use context::{Planning, bare_session, spills_early, without_own_tables};
pub use documented::documented_columns;
pub use error::{Damage, Elsewhere, EngineError};
pub use memory::{Memory, default_limit};
pub use namespace::ExtraTables;
pub use parameters::{Parameters, Warmup};
pub use prepared::{Answer, Head, Prepared};
pub use ready::Ready;
pub use session::{Engine, Options, STACK};
pub use statement::{Statement, definitions, parse};
pub use typed::Types;

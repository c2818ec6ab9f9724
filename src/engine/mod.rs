//! Tables to answers: the one place that builds a `DataFusion` session over open bundles.
//!
//! Invariant: this layer knows no file offsets. Tables come from [`crate::table`], views from the `sql` crate, and each
//! function of ours is one file under [`functions`].

pub mod dataset;
mod declared;
mod documented;
mod error;
mod feed_scan;
mod filter;
mod fixed;
mod folds;
mod functions;
mod grouping;
mod namespace;
mod parameters;
mod planner;
mod prepared;
mod provider;
mod pruning;
mod session;
mod statement;
mod whole;
mod yielding;

pub use error::EngineError;
pub use functions::DOCS as FUNCTION_DOCS;
pub use parameters::Parameters;
pub use prepared::{Answer, Head, Prepared, STACK as PLANNING_STACK, processors, side_by_side};
pub use session::{Engine, Options};
pub use statement::{Statement, parse};
pub use whole::Whole;

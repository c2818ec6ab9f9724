//! Benchmarks of single dispatches: operations, the configurations that compile them, and reference results.
//!
//! An *operation* is a computation, a *configuration* is a way to compile it, and a *dispatch* is an operation with one
//! configuration. Invariants: a configuration never changes a result; every unsupported combination is reported with a
//! reason; names are unique within a request. This module knows no flags or SQL, and only [`run`] knows the
//! tools and the table of results. [`plan`] makes a plan of a request; `lab::sweep` runs it.

pub mod configuration;
pub mod element;
mod error;
pub mod operation;
pub mod peaks;
pub mod reference;
pub mod report;
pub mod request;
pub mod run;
pub mod source;
pub mod target;

pub use configuration::Configuration;
pub use element::{Element, Types};
pub use error::{BenchError, NoDispatch};
pub use operation::{Epilogue, Kind, Operation, Tensor};
pub use request::{Collection, Request, RequestText, collections};
pub use run::{BenchRequest, Plan, PlanNotice, SweepResult, plan};
pub use source::source;
pub use target::{Backend, Device, Target};

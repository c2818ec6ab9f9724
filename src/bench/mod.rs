//! Dispatch runs: which operations there are, how they can be compiled, and what their results must be.
//!
//! An *operation* is what is computed, a *configuration* is how, and a *dispatch* is one operation with one configuration.
//! Invariants: a configuration never changes a result; what cannot be done is data with its reason, never a panic or
//! silence; every name is unique within a request; nothing here knows of flags, printing or SQL. How they are run is [`run`],
//! which alone knows of tools and of the table of results.

pub mod configuration;
pub mod element;
mod error;
pub mod operation;
pub mod reference;
pub mod request;
pub mod run;
pub mod source;
pub mod target;

pub use configuration::Configuration;
pub use element::{Element, Types};
pub use error::BenchError;
pub use operation::{Epilogue, Kind, Operation, Tensor};
pub use request::{Collection, Request, collections};
pub use source::source;
pub use target::{Backend, Device, Target};

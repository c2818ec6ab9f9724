//! Operations: what a function computes, and how many arithmetic operations and bytes that takes.
//!
//! What the name of a function tells is read by `name` and `cost`, what the compiler's dumped sources tell by `mlir`.
//! [`ExternalFacts`] answers for a function from the best of them.
//!
//! Invariant: this layer knows neither records nor queries, and a number is either what its source says or absent.

mod cost;
mod element;
mod facts;
mod knob;
mod known;
pub(crate) mod mlir;
mod name;
pub(crate) mod named;
mod peaks;

pub use facts::Facts;
pub use knob::Knob;
pub use known::ExternalFacts;
pub use name::Name;
pub use peaks::{Peak, peaks, remember};

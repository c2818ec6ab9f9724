//! The invocations of a program: one call of the model is one or several submissions, and calls repeat.
//!
//! In: dispatch events and host spans. Out: the invocations, and for each submission the one that it belongs to.

mod chains;
pub mod detect;
pub mod invocation;
pub mod left_out;
pub mod occurrences;
pub mod pass;
mod repeats;
mod submissions;
mod warmup;

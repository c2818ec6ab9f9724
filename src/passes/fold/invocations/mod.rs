//! The invocations of a program: calls of exported functions, each of which is one or several submissions.
//!
//! In: dispatch events, host spans and queue events. Out: the invocations, and for each submission the one that it belongs
//! to.

pub(crate) mod detect;
mod evidence;
mod functions;
pub mod invocation;
mod lanes;
pub mod left_out;
pub mod occurrences;
mod operations;
mod order;
mod outline;
pub mod pass;
mod place;
mod reading;
mod readings;
mod repeats;
mod step;
mod submissions;
mod warmup;
mod weigh;

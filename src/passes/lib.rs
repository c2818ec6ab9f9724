//! Passes over raw records, for what depends on their order, and the rules that judge what passes count.
//!
//! It knows records and Arrow. It knows no sessions, plans no SQL and runs no tools; what rules advise are texts.

pub mod fold;
pub mod rules;

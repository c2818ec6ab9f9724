//! Passes over raw records, for what depends on their order, and the rules that judge what passes count.
//!
//! It knows records and Arrow. It knows no SQL, sessions or tools.

pub mod fold;
pub mod rules;

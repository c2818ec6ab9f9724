//! Judges numbers: what functions compute, statistics of repeated measurements, comparisons of two sides, and tuning specs.
//!
//! It knows texts and numbers that it is given, and the files of the compiler's dumps and of peaks. It knows no bundles, Arrow, SQL or tools.

pub mod compare;
pub mod operation;
pub mod statistics;
pub mod tuning;

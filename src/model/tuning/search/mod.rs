//! Search: which points of a space to measure next.
//!
//! The start is stratified: points of all kinds of tiles and intrinsics ([`features`]). Then rounds follow. Each measures
//! again the best so far, twice as often for half as many (successive halving), and for the rest of its budget new
//! points that a model of what was seen, a forest of random trees ([`forest`]), says to be fast or unknown.
//!
//! It is deterministic: the same seed and costs give the same points.

mod features;
mod forest;
mod next;

pub use next::{Search, Seen};

#[cfg(test)]
mod costs;
#[cfg(test)]
mod tests;

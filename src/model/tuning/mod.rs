//! Tuning: the configurations that the compiler chooses for dispatches, and the specs that change them.
//!
//! [`attribute`] reads and writes the attributes of MLIR that hold a configuration, [`configuration`] reads the dispatches
//! that the compiler dumps with theirs, and [`spec`] reads, writes and judges the tuning specs that change them.
//! [`constraints`] finds the configurations that the compiler says are possible, and [`space`] those worth trying.
//!
//! Invariant: text goes in and values come out; [`dumps`] alone reads files. This layer runs no tools and knows neither tables nor flags.

pub mod attribute;
pub mod configuration;
pub mod constraints;
pub mod dumps;
pub mod search;
pub mod space;
pub mod spec;

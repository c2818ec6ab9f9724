//! Reports: relations of the schema `report`, laid out as text for people.
//!
//! Invariant: what a report says comes from its SQL file; this layer only draws it. It knows neither files nor flags.

pub mod doctor;
pub mod gaps;
pub mod health;
pub mod layouts;
mod rows;
pub mod section;
pub mod text;
pub mod top;

pub use rows::{Row, Rows};

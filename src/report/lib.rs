//! Formats reports, the relations of the schema `report`, as text.
//!
//! The SQL file of a report defines its contents, and this crate only formats them. It knows no files, no bundles, and flags
//! only as words of suggested commands.

pub mod absence;
pub mod att;
pub mod comparison;
pub mod doctor;
pub mod doubt;
pub mod fit;
pub mod gaps;
pub mod health;
pub mod layouts;
pub mod names;
pub mod next;
pub mod relations;
mod rows;
pub mod section;
pub mod text;
pub mod top;
pub mod warmup;

pub use rows::{Row, rows};

//! Capture sets: folders of bundles with a manifest that says how each was recorded.

mod alike;
mod capture_set;
mod flaw;
mod manifest;

pub use capture_set::{Absence, CaptureSet, Shortfall};
pub use flaw::Flaw;
pub use manifest::*;

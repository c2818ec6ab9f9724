//! Draws comparisons, and what a gate says of them.

mod gate;
pub mod junit;
pub mod markdown;
mod terms;
pub mod text;

pub use gate::{broken, passed, unjudged};
pub use terms::Terms;
pub use text::{change, signed};

//! Draws comparisons, and what a gate says of them.

mod figures;
mod gate;
pub mod junit;
pub mod markdown;
mod remarks;
mod terms;
pub mod text;

pub use figures::{change, float, signed};
pub use gate::{broken, passed, unjudged};
pub use remarks::remarks;
pub use terms::Terms;

//! Requests, and their expansion into operations and configurations.

mod collection;
mod matching;
mod selection;
mod shapes;
mod sweep;
#[cfg(test)]
mod tests;
mod text;
mod wanted;

pub use collection::{Collection, collections};
pub use selection::Selection;
pub use sweep::sweep;
pub use text::RequestText;
pub use wanted::{ConvolutionSweeps, Request};

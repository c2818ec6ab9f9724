//! Reports as files: panels laid out as one HTML page that needs nothing else, or as Markdown.

mod contents;
mod html;
mod make;
mod markdown;

pub use contents::Page;
pub use html::html;
pub use make::{PageError, of_captures, of_comparison, of_history, one};
pub use markdown::markdown;

//! Pictures and pages: charts as data, panels with their queries and words, and HTML or Markdown of them.
//!
//! It knows a workspace and its answers. It knows no flags, files of profiles, or how SQL is planned.

pub mod page;
pub mod panel;
pub mod plot;

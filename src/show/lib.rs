//! Pictures and pages: charts as data, panels with their queries and words, and HTML or Markdown of them.
//!
//! It knows a workspace and its answers. It knows no files of profiles, not how SQL is planned, and flags only as
//! words of suggested commands.

pub mod page;
pub mod panel;
pub mod plot;

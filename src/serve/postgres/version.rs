//! The version of PostgreSQL that clients are told.

/// The version of PostgreSQL whose catalogue and behaviour clients may expect.
pub const VERSION: &str = "16.6";

//! Turns on the features of dependencies that any build of the workspace needs, so that all builds share what they compile.
//!
//! A build with servers, one with clusters, that of the tests and that of the wheel turn on features of crates that others use, too.
//! Where they differ, everything above is compiled again. So the union stands in the `Cargo.toml` beside this file, and
//! `dependencies::builds_share_what_they_compile` proves that it is complete. It knows no code.

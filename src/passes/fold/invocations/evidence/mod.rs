//! What tells where calls begin: a file for each piece of evidence, with its idea and its limits. `mark` notes it on the
//! steps, `weight` says how well a reading agrees with it: 1 if it expects what was recorded, less if it must be explained.

pub mod host;
pub mod lifetimes;
pub mod modules;
pub mod names;
pub(super) mod readback;
pub(super) mod reloads;
pub mod repetition;
pub mod told;
pub mod waits;

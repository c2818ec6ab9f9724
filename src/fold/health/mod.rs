//! Whether a bundle is whole: chunks, dispatches that can be timed, and what records refer to.
//!
//! In: every record header and the groups of records. Out: counts, from which `src/rules` concludes.

pub mod chunks;
pub mod dispatches;
pub mod missing;

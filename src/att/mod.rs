//! Instruction traces of AMD GPUs (ATT) and the code objects that they refer to.
//!
//! Invariant: this layer knows no SQL and no flags.

mod stored;

pub use stored::{code_object, trace};

//! Constraints: the space of configurations as the compiler states it, with `--iree-codegen-emit-pipeline-constraints
//! --compile-to=executable-configurations`, in operations `iree_codegen.smt.constraints`.
//!
//! Each of them names a pipeline and a configuration with knobs in it, and asserts what the knobs must fulfill.
//! [`Constraints::solutions`] finds all values that do, without a solver: the knobs have few values each, and what is
//! asserted narrows them quickly.

mod enumerate;
mod fill;
mod narrow;
mod parse;
mod range;
mod system;

pub use enumerate::{Solutions, Unbounded};
pub use parse::{Malformed, constraints};
pub use system::{Choice, Constraints};

#[cfg(test)]
mod tests;

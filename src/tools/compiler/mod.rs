//! Compiles models with `iree-compile`, tries tuning specs, and compares the results of modules.
//!
//! Invariant: this layer prints nothing and runs no queries.

mod check;
mod compile;
mod error;
mod executables;
mod outcome;
mod results;
mod spec_file;
mod tensor;
mod trial;

pub use check::ResultCheck;
pub use compile::{Compiler, CompilerOptions, Configured, SpecFlag, temporary_folder};
pub use error::CompilerError;
pub use executables::{Changed, Refused};
pub use outcome::VerdictRow;
pub use results::{ResultComparison, RunOptions, longest_reduction, run_flags};
pub use spec_file::read_spec;
pub use trial::{Judged, Trial, try_spec};

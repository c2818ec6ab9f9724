//! The command line, in the process of Python.

use std::ffi::OsString;
use std::path::PathBuf;

use pyo3::prelude::*;

/// Runs a command line, whose first word names the program, and returns its exit code. `program` is a file that runs the same
/// with other arguments.
#[pyfunction]
pub fn main(py: Python<'_>, arguments: Vec<OsString>, program: Option<PathBuf>) -> u8 {
    py.detach(|| ireescope::cli::run(arguments, program))
}

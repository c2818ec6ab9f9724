//! The native module of the Python package. It converts requests and answers between Python and the library, and nothing
//! else: what people call, and its documentation, is Python, in `ireescope/`.

mod benching;
mod capturing;
mod charts;
mod command;
mod comparing;
mod database;
mod exporting;
mod failure;
mod foreign;
mod pages;
mod parameters;
mod peaks;
mod racing;
mod rows;
mod runs;
mod saving;
mod specs;
mod tables;
mod tracking;
mod trials;
mod tuning;
mod values;
mod waiting;

use pyo3::prelude::*;

/// As in the program with servers.
#[cfg(all(unix, feature = "servers"))]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

#[pymodule]
mod _native {
    /// The version of the package.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");

    #[pymodule_export]
    use super::benching::module as benching;
    #[pymodule_export]
    use super::capturing::module as capturing;
    #[pymodule_export]
    use super::command::main;
    #[pymodule_export]
    use super::comparing::module as comparing;
    #[pymodule_export]
    use super::database::Database;
    #[pymodule_export]
    use super::exporting::module as exporting;
    #[pymodule_export]
    use super::pages::module as pages;
    #[pymodule_export]
    use super::peaks::module as peaks;
    #[pymodule_export]
    use super::racing::module as racing;
    #[pymodule_export]
    use super::rows::Rows;
    #[pymodule_export]
    use super::specs::module as specs;
    #[pymodule_export]
    use super::tracking::module as tracking;
    #[pymodule_export]
    use super::tuning::module as tuning;

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::waiting::remember_main_thread(module.py())
    }
}

//! What other libraries in the process take and give: tables for DataFusion's Python package, and the process itself, which
//! may be a copy of the one that opened bundles.
#![expect(unsafe_code, reason = "a capsule of another library is read")]

use std::ffi::CStr;
use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion_ffi::proto::logical_extension_codec::FFI_LogicalExtensionCodec;
use datafusion_ffi::table_provider::FFI_TableProvider;
use ireescope::bundle::guard_maps;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use tokio::runtime::Handle;

use crate::failure::Failure;

const CODEC: &CStr = c"datafusion_logical_extension_codec";
const PROVIDER: &CStr = c"datafusion_table_provider";

/// Fails in a process that was forked from another one, as threads do not live on in it. Makes sure that maps are guarded, as
/// other modules may have installed handlers of signals meanwhile.
pub fn check_process(opened_by: u32) -> Result<(), Failure> {
    if std::process::id() == opened_by {
        return guard_maps()
            .map_err(|error| Failure::Resource(format!("cannot handle SIGBUS: {error}")));
    }
    Err(Failure::Usage(
        "this was opened in the process that this one was forked from, and its threads are not here; open it again, or \
         start processes with multiprocessing's method `spawn` or `forkserver`"
            .into(),
    ))
}

/// Returns a table for a session of DataFusion's Python package, whose functions its filters may use.
pub fn provider<'py>(
    session: &Bound<'py, PyAny>,
    table: Arc<dyn TableProvider>,
    threads: Handle,
) -> PyResult<Bound<'py, PyCapsule>> {
    let py = session.py();
    let codec = session.call_method0("__datafusion_logical_extension_codec__")?;
    let codec = codec
        .cast::<PyCapsule>()
        .map_err(|_| PyTypeError::new_err("session is none of datafusion 55"))?;
    let pointer = codec.pointer_checked(Some(CODEC))?.cast::<FFI_LogicalExtensionCodec>();
    // SAFETY: by its name, the capsule holds such a structure, which lives as long as the capsule.
    let codec = unsafe { pointer.as_ref() }.clone();
    let table = FFI_TableProvider::new_with_ffi_codec(table, true, Some(threads), codec);
    PyCapsule::new_with_value(py, table, PROVIDER)
}

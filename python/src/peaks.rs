//! Measures the peaks of devices.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, Schema};
use ireescope::base::words::counted;
use ireescope::capture::Stop;
use ireescope::operation::{Peak, remember};
use ireescope::sweep::{self, PeakError, PeakRequest};
use ireescope::workspace::peaks_file;
use ireescope::{WorkspaceOptions, bench, store};
use pyo3::prelude::*;

use crate::benching::{Aim, Compiling, tell};
use crate::failure::{Done, Failure, whole};
use crate::parameters::{spelled, stop_urgently, within};
use crate::rows::Rows;
use crate::waiting::{Stopping, wait};

impl From<PeakError> for Failure {
    fn from(error: PeakError) -> Self {
        match error {
            PeakError::Bench(error) => spelled(error.into()),
            PeakError::Open(error) => error.into(),
            PeakError::Engine(error) => error.into(),
            PeakError::Folder(_)
            | PeakError::Interrupted
            | PeakError::Failed(_)
            | PeakError::NothingRecorded => spelled(Self::Resource(whole(&error))),
        }
    }
}

/// The columns of peaks, as in `device_peaks`: name, type, unit and meaning.
const PEAKS: [(&str, DataType, &str, &str); 10] = [
    ("device", DataType::Utf8, "", "Model of the device."),
    ("driver", DataType::Utf8, "", "Driver of the measurement, as sessions are named."),
    ("physical_device_uuid", DataType::Utf8, "", "UUID of the measured device in profiles."),
    ("cpu", DataType::Utf8, "", "Model of the processor of the machine that measured."),
    ("dtype", DataType::Utf8, "", "Element type of the operands."),
    ("flops_per_s", DataType::Float64, "", "Arithmetic operations per second."),
    (
        "bytes_per_s",
        DataType::Float64,
        "bytes",
        "Bytes per second of the device's memory, reads and writes together.",
    ),
    ("launch_ns", DataType::Float64, "ns", "Duration of a dispatch that does next to nothing."),
    ("measured", DataType::Utf8, "", "Time of the measurement (RFC 3339)."),
    ("source", DataType::Utf8, "", "Dispatches that were measured and versions of the tools."),
];

fn peak_rows(peaks: &[Peak]) -> Done<Rows> {
    let field = |(name, kind, unit, doc): (&str, DataType, &str, &str)| {
        Field::new(name, kind, true).with_metadata(schemas::arrow::metadata(doc, unit))
    };
    let schema = Arc::new(Schema::new(PEAKS.map(field).to_vec()));
    let batch = store::batch(&schema, peaks);
    let batch = batch.map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(Rows::of_batches(schema, vec![batch]))
}

/// Functions that measure devices.
#[pymodule(submodule, name = "peaks")]
pub mod module {
    #[pymodule_export]
    use super::peaks;
}

/// Measures the peaks of a device, and stores them for `device_peaks`.
#[pyfunction]
#[pyo3(signature = (*, aim, compiling, size, name, folder, tool_folder, progress))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
fn peaks(
    py: Python<'_>,
    aim: Aim,
    compiling: Compiling,
    size: Option<i64>,
    name: Option<String>,
    folder: Option<PathBuf>,
    tool_folder: Option<PathBuf>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Rows> {
    let nowhere = "there is no folder for the peaks: neither XDG_CACHE_HOME nor HOME is set";
    let path = peaks_file().ok_or_else(|| Failure::Resource(nowhere.into()))?;
    if name.as_deref() == Some("") {
        return Err(Failure::Usage("the name of a device is not empty".into()).into());
    }
    let size = size.map(|size| within("size", size, 16..=16384)).transpose()?;
    let request = PeakRequest {
        target: aim.target()?,
        size: size.map(u64::from),
        name,
        folder,
        tools: tool_folder,
        settings: compiling.settings(bench::peaks::settings())?,
        options: WorkspaceOptions::default(),
    };
    let stop = Arc::new(Stop::default());
    let ask = || stop_urgently(&stop);
    let own = Arc::clone(&stop);
    wait(py, &Stopping::By(&ask), progress.map(Bound::as_unbound), move |teller| {
        let peaks = sweep::peaks(request, &own, &|event| tell(teller, event))?;
        remember(&path, &peaks).map_err(|error| {
            Failure::Resource(format!("cannot write {}: {error}", path.display()))
        })?;
        teller.tell(format!("stored {}", counted(peaks.len() as u64, "peak")), None);
        peak_rows(&peaks)
    })
}

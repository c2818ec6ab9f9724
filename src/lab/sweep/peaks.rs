//! Measures the peaks of a device.

use std::io;
use std::path::{Path, PathBuf};

use base::staging;
use engine::{EngineError, Parameters};
use model::operation::Peak;
use serde::Deserialize;
use tools::bench::peaks::{Peaks, dispatches, measured, settings, size};
use tools::bench::run::{Folders, Settings, Tell, Tools};
use tools::bench::{BenchError, Plan, Target};
use tools::capture::{Stop, now};
use workspace::{OpenError, Workspace, WorkspaceOptions};

use super::run::run;

/// A request to measure peaks.
#[derive(Debug)]
pub struct PeakRequest {
    pub target: Target,
    /// Rows, columns and depth of the products; `None` for a default by target.
    pub size: Option<u64>,
    /// Name of the device; `None` for its model.
    pub name: Option<String>,
    /// The folder that keeps modules and profiles; `None` for a temporary one.
    pub folder: Option<PathBuf>,
    /// The folder of IREE's tools, if they are not in the environment.
    pub tools: Option<PathBuf>,
    pub settings: Settings,
    /// How the profiles are opened.
    pub options: WorkspaceOptions,
}

impl Default for PeakRequest {
    fn default() -> Self {
        Self {
            target: Target::default(),
            size: None,
            name: None,
            folder: None,
            tools: None,
            settings: settings(),
            options: WorkspaceOptions::default(),
        }
    }
}

/// Why peaks were not measured.
#[derive(Debug, thiserror::Error)]
pub enum PeakError {
    /// The folder of modules and profiles cannot be created.
    #[error("cannot create a temporary folder")]
    Folder(#[source] io::Error),
    /// The dispatches cannot be generated or run.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// The profiles cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// They cannot be read.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The caller stopped it.
    #[error("interrupted")]
    Interrupted,
    /// Dispatches failed, the first for this reason.
    #[error("the peaks could not be measured: {0}")]
    Failed(String),
    /// No profile tells the device.
    #[error("nothing was recorded")]
    NothingRecorded,
}

/// Measures the peaks of a device: one for each element type. Store them with [`model::operation::remember`].
pub fn peaks(request: PeakRequest, stop: &Stop, tell: Tell<'_>) -> Result<Vec<Peak>, PeakError> {
    let PeakRequest { target, size: given, name, folder, tools, settings, options } = request;
    let temporary = staging(&std::env::temp_dir()).map_err(PeakError::Folder)?;
    // Not the temporary folder itself, as the sweep locks its folder, too.
    let folder = folder.unwrap_or_else(|| temporary.path().join("peaks"));
    let plan = Plan {
        collections: dispatches(given.unwrap_or_else(|| size(&target)), &target)?,
        target,
        folders: Folders::new(&folder),
        settings,
        tools: Tools::find(tools.as_deref()),
    };
    let result = run(&plan, stop, tell)?;
    if result.is_interrupted {
        return Err(PeakError::Interrupted);
    }
    let Some(peaks) = measured(&result.rows) else {
        let failed = result.rows.iter().find_map(|row| row.message.clone());
        return Err(PeakError::Failed(failed.unwrap_or_default()));
    };
    Ok(described(&peaks, &device(&folder, name, &options)?, &plan.tools))
}

/// Returns the device that ran a sweep: its model, driver and UUID.
fn device(
    folder: &Path,
    name: Option<String>,
    options: &WorkspaceOptions,
) -> Result<Peak, PeakError> {
    #[derive(Deserialize)]
    struct Row {
        driver: Option<String>,
        physical_device_uuid: Option<String>,
        cpu: Option<String>,
    }
    let workspace = Workspace::open_any(&[folder.to_string_lossy().into_owned()], options)?;
    let rows: Vec<Row> = workspace.rows("measured_device", &Parameters::default())?;
    let row = rows.into_iter().next().ok_or(PeakError::NothingRecorded)?;
    let Row { driver, physical_device_uuid, cpu } = row;
    let driver = driver.unwrap_or_default();
    let model = match (&cpu, &physical_device_uuid) {
        (Some(cpu), _) if driver.starts_with("local-") => cpu.clone(),
        (_, None) => driver.clone(),
        (_, Some(uuid)) => format!("{driver} {uuid}"),
    };
    let device = name.unwrap_or(model);
    Ok(Peak { device, driver, physical_device_uuid, cpu, ..Peak::default() })
}

fn described(peaks: &Peaks, device: &Peak, tools: &Tools) -> Vec<Peak> {
    let version = |version: Option<&String>| version.map_or("unknown", String::as_str).to_owned();
    let compiler = version(tools.compile.as_ref().ok().and_then(|it| it.version.as_ref()));
    let runtime = version(tools.runtime().and_then(|it| it.version.as_ref()));
    let measured = now();
    let each = peaks.flops_per_s.iter().map(|(dtype, (flops_per_s, dispatch))| Peak {
        dtype: dtype.clone(),
        flops_per_s: *flops_per_s,
        bytes_per_s: peaks.bytes_per_s,
        launch_ns: peaks.launch_ns,
        measured: measured.clone(),
        source: format!("{dispatch}, compiler {compiler}, runtime {runtime}"),
        ..device.clone()
    });
    each.collect()
}

//! `bench peaks`: measures the peaks of a device, and stores them for `device_peaks`.

use std::path::Path;

use super::args::Measure;
use super::lines::Lines;
use super::results::Results;
use crate::bench::peaks::{Peaks, dispatches, measured, size};
use crate::bench::run::{Folders, Plan, Settings, Tools};
use crate::bundle::processors;
use crate::bundle::staging;
use crate::capture::now;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::signals::interrupted;
use crate::engine::Parameters;
use crate::operation::{Peak, remember};
use crate::report::rows;
use crate::report::text::duration;
use crate::workspace::{Workspace, peaks_file};

/// Runs `bench peaks`.
pub fn run(args: &Measure) -> Result<(), CliError> {
    let temporary = staging(&std::env::temp_dir())
        .map_err(|source| CliError::System { action: "create a temporary folder", source })?;
    // Not the temporary folder itself, as the sweep locks its folder, too.
    let own = temporary.folder.path().join("peaks");
    let folder = args.generated_dir.as_deref().unwrap_or(&own);
    let path = peaks_file().ok_or_else(|| {
        CliError::Lacking(
            "there is no folder for the peaks: neither XDG_CACHE_HOME nor HOME is set".into(),
        )
    })?;
    let plan = plan(args, folder)?;
    let done = Lines::new(args.verbose, false, false, Results::Nowhere).perform(&plan)?;
    if done.is_interrupted {
        return Err(interrupted("interrupted; no peaks are stored"));
    }
    let Some(peaks) = measured(&done.rows) else {
        let failed = done.rows.iter().find_map(|row| row.message.as_deref()).unwrap_or_default();
        return Err(CliError::Lacking(format!("the peaks could not be measured: {failed}")));
    };
    let all = described(&peaks, &device(folder, args.name.as_deref())?, &plan.tools);
    remember(&path, &all).map_err(CliError::writing(&path))?;
    super::super::output::print(&text(&all))?;
    eprintln!("ireescope: stored in {}; device_peaks and report.roofline use them", path.display());
    Ok(())
}

fn plan(args: &Measure, folder: &Path) -> Result<Plan, CliError> {
    let target = args.aim.target();
    let collections = dispatches(args.size.unwrap_or_else(|| size(&target)), &target)?;
    let settings = Settings {
        jobs: args.compiling.jobs.map_or_else(processors, usize::from),
        force_compile: args.compiling.force_compile,
        force: true,
        compile_limit: args.compiling.compile_timeout,
        run_limit: args.run_timeout,
        verify: false,
        profile: true,
        processes: 1,
        repetitions: 3,
        warmup: 1,
        batch_size: 4,
        save_commands: false,
        tags: Vec::new(),
        compiler_flags: args.compiling.compiler_flag.clone(),
        // No inputs are generated.
        seed: 0,
    };
    let tools = Tools::find(args.iree_bin_dir.as_deref());
    Ok(Plan { target, collections, folders: Folders::new(folder), settings, tools })
}

/// The device that ran a sweep: its model, driver and UUID.
fn device(folder: &Path, name: Option<&str>) -> Result<Peak, CliError> {
    let folder = folder.to_string_lossy().into_owned();
    let Workspace { engine, runtime } = Opening::default().open_any(&[folder])?;
    let answer = runtime.block_on(engine.report("measured_device", &Parameters::default()))?;
    let found = rows(&answer.batches);
    let row = found.first().ok_or_else(|| CliError::Lacking("nothing was recorded".into()))?;
    let (driver, uuid, cpu) =
        (row.text("driver"), row.text("physical_device_uuid"), row.text("cpu"));
    let model = match (driver.starts_with("local-"), uuid.is_empty()) {
        (true, _) if !cpu.is_empty() => cpu.clone(),
        (_, true) => driver.clone(),
        (_, false) => format!("{driver} {uuid}"),
    };
    let known = |text: String| Some(text).filter(|text| !text.is_empty());
    Ok(Peak {
        device: name.map_or(model, str::to_owned),
        driver,
        physical_device_uuid: known(uuid),
        cpu: known(cpu),
        ..Peak::default()
    })
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

fn text(all: &[Peak]) -> String {
    let Some(first) = all.first() else { return String::new() };
    let giga = |rate: f64| format!("{:.1}", rate / 1e9);
    let mut text = format!(
        "{}, {}: {} GB/s, {} per dispatch\n",
        first.device,
        first.driver,
        giga(first.bytes_per_s),
        duration(first.launch_ns)
    );
    for peak in all {
        let dispatch = peak.source.split(',').next().unwrap_or_default();
        text.push_str(&format!(
            "{:>6} {:>10} GFLOP/s  {dispatch}\n",
            peak.dtype,
            giga(peak.flops_per_s)
        ));
    }
    text
}

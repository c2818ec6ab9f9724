//! `bench peaks`: measures the peaks of a device, and stores them for `device_peaks`.

use super::args::Measure;
use super::lines::Lines;
use crate::bench::peaks::settings;
use crate::bench::run::Settings;
use crate::cli::error::CliError;
use crate::cli::open::Opening;
use crate::cli::output;
use crate::cli::signals::{interrupted, listen};
use crate::operation::{Peak, remember};
use crate::report::text::duration;
use crate::sweep::{PeakError, PeakRequest, peaks};
use crate::workspace::peaks_file;

/// Runs `bench peaks`.
pub fn run(args: &Measure) -> Result<(), CliError> {
    let path = peaks_file().ok_or_else(|| {
        CliError::Lacking(
            "there is no folder for the peaks: neither XDG_CACHE_HOME nor HOME is set".into(),
        )
    })?;
    let request = PeakRequest {
        target: args.aim.target(),
        size: args.size,
        name: args.name.clone(),
        folder: args.generated_dir.clone(),
        tools: args.iree_bin_dir.clone(),
        settings: Settings { run_limit: args.run_timeout, ..args.compiling.settings(settings()) },
        options: Opening::default().options(),
    };
    let lines = Lines::new(args.verbose, false, false, None);
    let measured = peaks(request, &*listen()?, &|event| lines.take(event));
    lines.finish()?;
    let all = measured.map_err(|error| match error {
        PeakError::Folder(source) => {
            CliError::System { action: "create a temporary folder", source }
        }
        PeakError::Bench(error) => error.into(),
        PeakError::Open(error) => error.into(),
        PeakError::Engine(error) => error.into(),
        PeakError::Interrupted => interrupted("interrupted; no peaks are stored"),
        PeakError::Failed(_) | PeakError::NothingRecorded => CliError::Lacking(error.to_string()),
    })?;
    remember(&path, &all).map_err(CliError::writing(&path))?;
    output::print(&text(&all))?;
    eprintln!("ireescope: stored in {}; device_peaks and report.roofline use them", path.display());
    Ok(())
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

//! `capture` and `fill`: runs of IREE's tools, and what is said about them.

pub mod args;
mod before;
mod dry;
pub mod fill;
mod progress;
mod summary;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use self::args::{Capture, Running};
use super::error::CliError;
use crate::capture::plan::{Known, Wanted};
use crate::capture::{CaptureError, Filters, REPLAYER, Report, Settings, Start, Stop, Tool};

/// What is to be captured, and where.
#[derive(Debug)]
struct Order {
    wanted: Wanted,
    /// What is known before anything runs.
    known: Known,
    tool: String,
    arguments: Vec<String>,
    /// Variables for the tool, beside those that it has anyway.
    environment: BTreeMap<String, String>,
    directory: PathBuf,
    folder: PathBuf,
    given: Option<PathBuf>,
    settings: Settings,
}

/// Runs `capture`.
pub fn run(args: &Capture) -> Result<(), CliError> {
    let is_explicit = !(args.questions.is_empty() && args.modes.is_empty());
    let questions = if is_explicit { args::questions(&args.questions) } else { args::harmless() };
    let wanted = args::wanted(questions, &args.modes, &args.running.counters);
    let (tool, arguments) = command(&args.tool)?;
    let is_replayer = Path::new(&tool).file_name().is_some_and(|name| name == REPLAYER);
    if args.running.replay && is_replayer {
        let what = format!(
            "--replay records what another tool does; {REPLAYER} replays already: leave --replay out"
        );
        return Err(CliError::Usage(what));
    }
    let folder = args.output.clone().unwrap_or_else(|| free_folder(&arguments, &tool));
    let directory = here()?;
    let order = Order {
        wanted,
        known: Known::default(),
        tool,
        arguments,
        environment: BTreeMap::new(),
        directory,
        folder,
        given: None,
        settings: settings(&args.running),
    };
    if args.running.dry_run {
        return dry::print(&order, &args.running);
    }
    let report = perform(&order, &args.running)?;
    summary::print(&report, &order)?;
    finish(report, &order.wanted, is_explicit)
}

/// Captures what is ordered, and says on standard error how it goes.
fn perform(order: &Order, running: &Running) -> Result<Report, CliError> {
    let start = Start {
        wanted: order.wanted.clone(),
        tool: Tool::find(&order.tool, running.iree_bin_dir.as_deref())?,
        arguments: order.arguments.clone(),
        environment: order.environment.clone(),
        directory: order.directory.clone(),
        folder: order.folder.clone(),
        settings: order.settings.clone(),
        known: order.known.clone(),
        given: order.given.clone(),
    };
    let stop = Arc::new(Stop::default());
    listen(&stop)?;
    let mut progress = progress::Lines::default();
    let report = crate::capture::capture(start, &stop, &mut |event| progress.take(event))?;
    Ok(report)
}

/// How the command ends, once all is said.
fn finish(mut report: Report, wanted: &Wanted, is_explicit: bool) -> Result<(), CliError> {
    if let Some(failure) = report.failure.take() {
        return Err(CliError::Capture(failure));
    }
    if report.is_interrupted {
        return Err(CliError::No("interrupted; what was written is kept".into()));
    }
    let missing = summary::missing(&report, wanted);
    let is_enough = !is_explicit && report.runs.iter().any(|run| run.bundle.is_some());
    if missing.is_empty() || is_enough {
        return Ok(());
    }
    Err(CliError::No(format!("not to be had: {}", missing.join(", "))))
}

fn settings(running: &Running) -> Settings {
    Settings {
        filters: Filters {
            function: running.filter_function.clone(),
            command_buffer: running.filter_command_buffer,
            command_index: running.filter_command_index,
            physical_device: running.filter_physical_device,
            queue: running.filter_queue,
        },
        flush_interval_ms: running.flush_interval_ms,
        repeat: running.repeat,
        time_limit: running.time_limit,
        replay: running.replay,
        statistics: running.print_device_statistics,
    }
}

/// The tool and its arguments, without flags that are ours to give.
fn command(words: &[String]) -> Result<(String, Vec<String>), CliError> {
    let Some((tool, arguments)) = words.split_first() else {
        return Err(CliError::Usage(
            "give the tool and its arguments after --, as in: -- iree-run-module --module=m.vmfb"
                .into(),
        ));
    };
    let ours = arguments.iter().find(|word| {
        word.starts_with("--device_profiling_") || word.starts_with("--device_replay_output")
    });
    if let Some(flag) = ours {
        let flag = flag.split('=').next().unwrap_or_default();
        return Err(CliError::Usage(format!(
            "leave {flag} to this command: --for, --mode, --counter, --filter-…, --flush-interval-ms and --replay stand before --"
        )));
    }
    Ok((tool.clone(), arguments.to_vec()))
}

/// A folder that is not there yet, called after what runs.
fn free_folder(arguments: &[String], tool: &str) -> PathBuf {
    let module = arguments.iter().rev().find_map(|word| word.strip_prefix("--module="));
    let replay = arguments.iter().rev().find(|word| word.ends_with(".ireereplay"));
    let subject = module.or(replay.map(String::as_str)).unwrap_or(tool);
    let stem = Path::new(subject).file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let numbered = (2..=u32::MAX).map(|number| format!("{stem}.capture-{number}"));
    let names = std::iter::once(format!("{stem}.capture")).chain(numbered);
    names.map(PathBuf::from).find(|path| !path.exists()).unwrap_or_default()
}

fn here() -> Result<PathBuf, CliError> {
    std::env::current_dir()
        .map_err(|source| CliError::System { action: "find the working directory", source })
}

/// Ctrl-C and requests to end stop the tool first; once more, they end it at once, and what was written is kept. Once more,
/// or when all is captured, they end the program.
pub fn listen(stop: &Arc<Stop>) -> Result<(), CliError> {
    let failed = |source| CliError::System { action: "listen for signals", source };
    let runtime =
        tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let stop = Arc::downgrade(stop);
    std::thread::Builder::new()
        .name("signals".into())
        .spawn(move || {
            while runtime.block_on(signalled()).is_ok() {
                let Some(stop) = stop.upgrade() else { std::process::exit(130) };
                if stop.ask() > 2 {
                    stop.kill();
                    std::process::exit(130);
                }
            }
        })
        .map_err(failed)?;
    Ok(())
}

#[cfg(unix)]
async fn signalled() -> std::io::Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut end = signal(SignalKind::terminate())?;
    let mut hangup = signal(SignalKind::hangup())?;
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = end.recv() => {}
        _ = hangup.recv() => {}
    }
    Ok(())
}

#[cfg(not(unix))]
async fn signalled() -> std::io::Result<()> {
    tokio::signal::ctrl_c().await
}

/// Whether an error only says that the tool is not there.
const fn is_no_tool(error: &CaptureError) -> bool {
    matches!(error, CaptureError::NoTool { .. })
}

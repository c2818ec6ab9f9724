//! Profiles a dispatch in a process: captures a benchmark of it and reads the duration of each run.
//!
//! The benchmark calls the function once per repetition, and the module runs the dispatch `batch_size` times per call.
//! The number of runs is therefore known in advance, and the runs of the first repetitions are discarded as warm-up.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use model::statistics::median;
use read::bundle::set;

use super::event::{Event, Timed};
use super::folders::{Mode, bundle_label};
use super::plan::Plan;
use super::row::{DispatchRun, Failure};
use super::settings::Settings;
use super::statistics::Statistics;
use super::sweep::Running;
use super::tool_run::{interrupted, missing, timed_out};
use crate::bench::operation::Operation;
use crate::bench::target::Target;
use crate::capture::benchmark::repetitions;
use crate::capture::plan::Wanted;
use crate::capture::process::text;
use crate::capture::{self, Start, Tool, chain};

/// A recorded bundle, and the output of its run.
struct Captured {
    bundle: PathBuf,
    stdout: PathBuf,
}

/// What a process measured after its warm-up, in nanoseconds.
#[derive(Debug)]
pub struct Process {
    bundle: PathBuf,
    /// The clock of the times: `device` or `host`.
    source: String,
    /// Number of dispatches per run.
    dispatches: usize,
    /// The time of each run.
    times: Vec<f64>,
    /// The wall time per run of each repetition.
    wall: Vec<f64>,
}

/// Returns the arguments of `iree-benchmark-module`.
pub fn arguments(
    module: &Path,
    dispatch: &str,
    target: &Target,
    operation: &Operation,
    settings: &Settings,
) -> Vec<String> {
    let mut words = vec![
        format!("--module={}", module.display()),
        format!("--function={dispatch}"),
        format!("--device={}", target.uri()),
        format!("--batch_size={}", settings.batch_size),
        format!("--benchmark_repetitions={}", settings.repetitions + settings.warmup),
        // The tool counts each call as `batch_size` iterations, so this makes one call per repetition.
        format!("--benchmark_min_time={}x", settings.batch_size),
        "--benchmark_format=json".to_owned(),
    ];
    // The values do not matter for the time, as long as they are ordinary numbers.
    words.extend(operation.inputs().iter().map(|input| format!("--input={}=1", input.spec())));
    words
}

impl Running<'_> {
    /// Profiles a dispatch in a process.
    pub fn profile(
        &mut self,
        row: &DispatchRun,
        operation: &Operation,
    ) -> Result<Process, Failure> {
        let Plan { target, folders, settings, tools, .. } = self.plan;
        let tool = tools.benchmark.as_ref().map_err(|message| missing(message))?;
        let module = folders.module(operation, target, Mode::Profile);
        let folder = folders.captures(&row.dispatch, target);
        let words = arguments(&module, &row.dispatch, target, operation, settings);
        let program = tool.facts.path.to_string_lossy();
        let line = std::iter::once(program.as_ref()).chain(words.iter().map(String::as_str));
        (self.tell)(&Event::Command { what: "Profiling", line: set::shell_words(line) });
        let Captured { bundle, stdout } = self.capture(tool, words, &folder)?;
        let recorded = (self.read)(&bundle).map_err(Failure::said)?;
        let runs = index(settings.batch_size) * index(settings.repetitions + settings.warmup);
        let (source, times, dispatches) = run_times(&recorded, runs).map_err(Failure::said)?;
        let times = after(&times, index(settings.batch_size) * index(settings.warmup));
        if times.is_empty() {
            return Err(Failure::said("there are no runs after the warm-up".to_owned()));
        }
        let wall = after(&wall_times(&text(&stdout))?, index(settings.warmup));
        Ok(Process { bundle, source, dispatches, times, wall })
    }

    fn capture(
        &mut self,
        tool: &Tool,
        arguments: Vec<String>,
        folder: &Path,
    ) -> Result<Captured, Failure> {
        let limit = self.plan.settings.run_limit;
        let question = schemas::questions::question("kernel-time");
        let start = Start {
            wanted: Wanted { questions: question.into_iter().collect(), ..Wanted::default() },
            tool: tool.clone(),
            arguments,
            environment: BTreeMap::new(),
            directory: std::env::current_dir().unwrap_or_default(),
            folder: folder.to_owned(),
            settings: capture::Settings {
                time_limit: Some(limit),
                options: self.plan.settings.options,
                ..capture::Settings::default()
            },
            side: None,
            given: None,
            known: self.device.clone(),
        };
        let report = capture::capture(start, self.stop, &mut |_| {})
            .map_err(|error| Failure::said(chain(&error)))?;
        if report.is_interrupted {
            return Err(interrupted());
        }
        if let Some(failure) = &report.failure {
            return Err(Failure::said(chain(failure)));
        }
        if report.runs.iter().any(|run| run.outcome == set::Outcome::TimeLimit) {
            return Err(timed_out(&tool.facts, limit, "run_timeout"));
        }
        let captured = last_bundle(&report, folder).ok_or_else(|| {
            let refused: Vec<&str> = report.known.refused.values().map(String::as_str).collect();
            Failure::said(format!("nothing was recorded: {}", refused.join("; ")))
        })?;
        self.device.refused = report.known.refused;
        Ok(captured)
    }
}

/// Returns the last run of a capture that recorded a bundle.
fn last_bundle(report: &capture::Report, folder: &Path) -> Option<Captured> {
    let run = report.runs.iter().rfind(|run| run.bundle.is_some())?;
    let bundle = folder.join(run.bundle.as_ref()?);
    Some(Captured { bundle, stdout: folder.join(&run.process.as_ref()?.stdout) })
}

/// Stores the statistics of the processes in a row, with the bundle of the process whose median is the middle one.
/// Fails if they were timed by different clocks.
pub(crate) fn take_processes(
    row: &mut DispatchRun,
    processes: &[Process],
    plan: &Plan,
) -> Result<(), Failure> {
    let times: Vec<Vec<f64>> = processes.iter().map(|process| process.times.clone()).collect();
    let Some(statistics) = Statistics::of(&times) else { return Ok(()) };
    let medians = statistics.process_medians.iter();
    let mut ordered: Vec<(&f64, &Process)> = medians.zip(processes).collect();
    ordered.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let Some((_, middle)) = ordered.get((ordered.len() - 1) / 2) else { return Ok(()) };
    if let Some(other) = processes.iter().find(|process| process.source != middle.source) {
        return Err(Failure::said(format!(
            "some processes were timed by the {} clock and others by the {} clock",
            middle.source, other.source
        )));
    }
    row.timing_source = Some(middle.source.clone());
    row.dispatch_count = Some(middle.dispatches as u64);
    row.warmup_count = Some((index(plan.settings.batch_size) * index(plan.settings.warmup)) as u64);
    row.take(&statistics);
    let walls = || processes.iter().filter(|process| !process.wall.is_empty());
    let wall_medians: Vec<f64> = walls().map(|process| median(&process.wall)).collect();
    row.wall_median_ns = (!wall_medians.is_empty()).then(|| median(&wall_medians));
    row.wall_min_ns = walls().flat_map(|process| &process.wall).copied().reduce(f64::min);
    let inside = middle.bundle.strip_prefix(plan.folders.root());
    row.capture = inside.ok().map(|path| path.to_string_lossy().into_owned());
    let run = middle.bundle.file_stem().unwrap_or_default().to_string_lossy();
    row.bundle = Some(format!("{}/{run}", bundle_label(&row.dispatch, &plan.target)));
    Ok(())
}

fn after(values: &[f64], skipped: usize) -> Vec<f64> {
    values.get(skipped..).unwrap_or_default().to_vec()
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Returns the clock, the time of each run in order, and the number of dispatches per run. If a run consists of several
/// dispatches, of one function or of several, its time is their sum. Prefers the device clock.
fn run_times(captured: &[Timed], runs: usize) -> Result<(String, Vec<f64>, usize), String> {
    let has_device = captured.iter().any(|it| it.source == "device");
    let source = if has_device { "device" } else { "host" };
    let mut functions: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for it in captured.iter().filter(|it| it.source == source) {
        functions.entry(&it.function).or_default().push(it.duration_ns);
    }
    if functions.is_empty() {
        return Err("the capture has no timed dispatch".to_owned());
    }
    let mut times = vec![0.0; runs];
    let mut dispatches = 0;
    for (function, durations) in functions {
        let each = durations.len() / runs.max(1);
        if each == 0 || durations.len() % runs != 0 {
            return Err(format!(
                "{function} was timed {} times in {runs} runs of the dispatch, which is not a multiple of the runs",
                durations.len()
            ));
        }
        dispatches += each;
        for (time, parts) in times.iter_mut().zip(durations.chunks(each)) {
            *time += parts.iter().sum::<f64>();
        }
    }
    Ok((source.to_owned(), times, dispatches))
}

/// Parses the output of `--benchmark_format=json`. Returns the wall time per run in nanoseconds for each repetition.
fn wall_times(printed: &str) -> Result<Vec<f64>, Failure> {
    let start = printed.find('{').unwrap_or_default();
    let repetitions = repetitions(printed.get(start..).unwrap_or_default());
    Ok(repetitions.map_err(Failure::said)?.iter().map(|it| it.wall_ns).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timed(function: &str, source: &str, duration_ns: f64) -> Timed {
        Timed { function: function.to_owned(), source: source.to_owned(), duration_ns }
    }

    #[test]
    fn the_parts_of_a_run_add_up() {
        let parts: Vec<Timed> = [1.0, 2.0, 3.0, 4.0]
            .into_iter()
            .map(|time| timed("partial", "host", time))
            .chain([10.0, 20.0].map(|time| timed("sum", "host", time)))
            .collect();
        let (source, times, dispatches) = run_times(&parts, 2).expect("they fit");
        assert_eq!((source.as_str(), dispatches), ("host", 3));
        assert_eq!(times, [13.0, 27.0]);
        let error = run_times(&parts, 4).expect_err("two of four have no sum");
        assert!(error.starts_with("sum was timed 2 times in 4 runs"), "{error}");
    }

    #[test]
    fn clocks_are_not_mixed() {
        let both = [timed("f", "host", 9.0), timed("f", "device", 5.0)];
        let (source, times, _) = run_times(&both, 1).expect("they fit");
        assert_eq!((source.as_str(), times.as_slice()), ("device", [5.0].as_slice()));
        assert!(run_times(&[], 1).is_err());
    }

    #[test]
    fn wall_times_follow_other_output() {
        let printed = r#"noise
{"benchmarks": [{"run_type": "iteration", "real_time": 2.5, "time_unit": "us"}]}"#;
        assert_eq!(wall_times(printed).expect("it is JSON"), [2500.0]);
        assert!(wall_times("").is_err());
    }
}

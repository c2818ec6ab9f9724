//! Measures dispatches, and the peaks of devices.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ireescope::bench::report::Report;
use ireescope::bench::run::{DispatchRun, Event, Settings, generate};
use ireescope::bench::{
    BenchError, BenchRequest, Device, NoDispatch, Plan, PlanNotice, RequestText, SweepResult,
    Target, plan,
};
use ireescope::capture::Stop;
use ireescope::{store, sweep};
use pyo3::prelude::*;

use crate::database::named;
use crate::failure::{Done, Failure};
use crate::parameters::{PARAMETERS, seconds, spelled, stop_urgently, within};
use crate::rows::Rows;
use crate::waiting::{Stopping, Teller, wait};

/// The device that runs dispatches, and the target of the compilation.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Aim {
    device: String,
    cuda_arch: String,
    rocm_target: String,
    target_cpu: String,
    vulkan_target: Option<String>,
}

impl Aim {
    /// Returns the target.
    pub fn target(self) -> Done<Target> {
        Ok(Target {
            device: named("device", &Device::ALL, Device::name, &self.device)?,
            cuda_arch: self.cuda_arch,
            rocm_target: self.rocm_target,
            target_cpu: self.target_cpu,
            vulkan_target: self.vulkan_target,
        })
    }
}

/// How modules are compiled.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
pub struct Compiling {
    jobs: Option<i64>,
    force_compile: bool,
    compile_limit: f64,
    compiler_flags: Vec<String>,
    run_limit: f64,
}

impl Compiling {
    /// Sets how modules are compiled.
    pub fn settings(self, settings: Settings) -> Done<Settings> {
        let jobs = self.jobs.map(|jobs| within("jobs", jobs, 1..=u16::MAX.into())).transpose()?;
        Ok(Settings {
            jobs: jobs.map_or(settings.jobs, |jobs| jobs as usize),
            force_compile: self.force_compile,
            compile_limit: seconds("compile_limit", self.compile_limit)?,
            compiler_flags: self.compiler_flags,
            run_limit: seconds("run_limit", self.run_limit)?,
            options: PARAMETERS,
            ..settings
        })
    }
}

/// How dispatches are verified and measured, and where results go.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
#[expect(clippy::struct_excessive_bools, reason = "each is an independent parameter")]
struct Measuring {
    verification_enabled: bool,
    profiling_enabled: bool,
    processes: i64,
    benchmark_repetitions: i64,
    warmup_repetitions: i64,
    batch_size: i64,
    force: bool,
    save_cmds: bool,
    tags: Vec<(String, String)>,
    report: Option<PathBuf>,
    append: bool,
}

impl Measuring {
    fn settings(&self, settings: Settings) -> Done<Settings> {
        Ok(Settings {
            force: self.force,
            verify: self.verification_enabled,
            profile: self.profiling_enabled,
            processes: within("processes", self.processes, 1..=1000)?,
            repetitions: within(
                "benchmark_repetitions",
                self.benchmark_repetitions,
                1..=1_000_000,
            )?,
            warmup: within("warmup_repetitions", self.warmup_repetitions, 0..=1_000_000)?,
            batch_size: within("batch_size", self.batch_size, 1..=100_000)?,
            save_commands: self.save_cmds,
            tags: self.tags.clone(),
            ..settings
        })
    }
}

/// The operations.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
struct Shapes {
    operation_kind: Vec<String>,
    types: Vec<String>,
    epilogue: Vec<String>,
    default_config: bool,
    /// The sweeps of extents, by their names.
    extents: HashMap<String, String>,
}

impl Shapes {
    fn operations(mut self) -> Done<RequestText> {
        let mut extent = |name: &str| self.extents.remove(name);
        let text = RequestText {
            problem_m: extent("problem_m"),
            problem_n: extent("problem_n"),
            problem_k: extent("problem_k"),
            batch_count: extent("batch_count"),
            split_k_slices: extent("split_k_slices"),
            conv_n: extent("conv_n"),
            conv_h: extent("conv_h"),
            conv_w: extent("conv_w"),
            conv_c: extent("conv_c"),
            conv_f: extent("conv_f"),
            filter_h: extent("filter_h"),
            filter_w: extent("filter_w"),
            stride: extent("stride"),
            operation_kind: self.operation_kind,
            types: self.types,
            epilogue: self.epilogue,
            default_config: self.default_config,
        };
        // Names that are not known are an error before anything else is.
        text.request(&[])?;
        match self.extents.keys().next() {
            Some(name) => Err(Failure::Usage(format!("there is no extent `{name}`"))),
            None => Ok(text),
        }
    }
}

/// What was done.
#[derive(Default, IntoPyObject)]
struct Benched {
    /// The rows of `dispatch_runs`; none if nothing was compiled.
    rows: Option<Rows>,
    /// The number of all dispatches.
    dispatches: usize,
    wrong: usize,
    failed: usize,
    known: usize,
    /// The commands of a dry run.
    commands: Vec<String>,
    /// Configurations that do not fit their operation: the dispatch, and why.
    skipped: Vec<(String, String)>,
    /// The generated files.
    sources: Vec<PathBuf>,
    warnings: Vec<String>,
}

/// Says why there is no dispatch to run, and what helps.
fn advised(why: &NoDispatch) -> String {
    let text = match why {
        NoDispatch::Unmatched(_) => return why.to_string(),
        other => PARAMETERS.spell(&other.to_string()),
    };
    format!("{text}; default_config=True adds the compiler's default")
}

/// Plans, and does the work of the plan.
fn done(
    request: BenchRequest,
    measuring: &Measuring,
    stop: &Stop,
    teller: &Teller,
) -> Done<Benched> {
    let (is_new, is_dry) = (request.is_new, request.is_dry);
    let mut warnings = Vec::new();
    let planned = plan(request, &mut |notice| {
        warnings.push(match notice {
            PlanNotice::Predefined => "no shapes are given; using the predefined list".to_owned(),
            PlanNotice::Skipped(operation, why) => {
                format!("{} is skipped: {}", operation.name(), advised(&why))
            }
        });
    });
    let plan = planned.map_err(|error| match error {
        BenchError::NoDispatch(why) => Failure::Usage(advised(&why)),
        other => spelled(other.into()),
    })?;
    let skipped = plan.collections.iter().flat_map(|collection| {
        let each = collection.skipped.iter();
        each.map(|(it, why)| (collection.dispatch(it), PARAMETERS.spell(why)))
    });
    let mut benched = Benched {
        dispatches: plan.dispatches(),
        skipped: skipped.collect(),
        warnings,
        ..Benched::default()
    };
    let sources = plan.collections.iter().map(|it| plan.folders.source(&it.operation));
    if is_dry {
        benched.commands = plan.lines(!is_new);
        return Ok(benched);
    }
    benched.sources = sources.collect();
    if is_new {
        generate(&plan, &|_| {}).map_err(|error| spelled(error.into()))?;
        return Ok(benched);
    }
    let result = swept(&plan, measuring, stop, teller)?;
    if let Some(message) = result.missing_tool() {
        let failed = result.failed();
        let text = format!("{failed} of {} dispatches failed: {message}", plan.dispatches());
        return Err(Failure::Resource(text));
    }
    (benched.wrong, benched.failed) = (result.wrong(), result.failed());
    benched.known = result.known;
    let schema = store::schema("dispatch_runs");
    let batch = store::batch(&schema, &result.rows);
    let batch = batch.map_err(|error| Failure::Internal(error.to_string()))?;
    benched.rows = Some(Rows::of_batches(schema, vec![batch]));
    Ok(benched)
}

/// Does the work of a plan, and writes the file of results.
fn swept(plan: &Plan, measuring: &Measuring, stop: &Stop, teller: &Teller) -> Done<SweepResult> {
    let open =
        |path: &Path| Report::open(path, measuring.append, &measuring.tags, &plan.collections);
    let report = measuring.report.as_deref().map(open).transpose()?;
    let state: Mutex<(Option<Report>, Option<BenchError>)> = Mutex::new((report, None));
    let take = |event: &Event<'_>| {
        tell(teller, event);
        if let Event::Ended { row, .. } = event {
            let mut state = state.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(Err(error)) = state.0.as_mut().map(|report| report.put(row)) {
                state.1.get_or_insert(error);
            }
        }
    };
    let result = sweep::run(plan, stop, &take).map_err(|error| spelled(error.into()))?;
    match state.into_inner().unwrap_or_else(PoisonError::into_inner) {
        (_, Some(error)) => return Err(error.into()),
        (Some(report), None) if !result.is_interrupted => report.commit()?,
        _ => {}
    }
    Ok(result)
}

/// Says how far a sweep is.
pub fn tell(teller: &Teller, event: &Event<'_>) {
    let at = |done: usize, total: usize| Some((done as u64, total as u64));
    match event {
        Event::Compiled { done, total, operation, .. } => {
            teller.tell(format!("compiled {operation}"), at(*done, *total));
        }
        Event::Begins { done, total, dispatch } => {
            teller.tell(format!("measuring {dispatch}"), at(*done, *total));
        }
        Event::Ended { row, .. } if row.message.is_some() => teller.tell(failed(row), None),
        Event::Generated { .. } | Event::Command { .. } | Event::Ended { .. } => {}
    }
}

fn failed(row: &DispatchRun) -> String {
    format!("{}: {}: {}", row.dispatch, row.stage.name(), row.reason())
}

/// Functions that measure dispatches.
#[pymodule(submodule, name = "benching")]
pub mod module {
    #[pymodule_export]
    use super::run;
}

/// Generates, compiles, verifies and measures dispatches.
#[pyfunction]
#[pyo3(signature = (folder, *, shapes, dispatches, aim, compiling, measuring, tool_folder, is_generating, dry_run, progress))]
#[expect(clippy::too_many_arguments, reason = "Python names them")]
fn run(
    py: Python<'_>,
    folder: PathBuf,
    shapes: Shapes,
    dispatches: Vec<String>,
    aim: Aim,
    compiling: Compiling,
    measuring: Measuring,
    tool_folder: Option<PathBuf>,
    is_generating: bool,
    dry_run: bool,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Benched> {
    let request = BenchRequest {
        operations: shapes.operations()?,
        dispatches,
        target: aim.target()?,
        folder,
        tools: tool_folder,
        settings: compiling.settings(measuring.settings(Settings::default())?)?,
        is_new: is_generating,
        is_dry: dry_run,
    };
    let stop = Arc::new(Stop::default());
    let ask = || stop_urgently(&stop);
    let own = Arc::clone(&stop);
    wait(py, &Stopping::By(&ask), progress.map(Bound::as_unbound), move |teller| {
        done(request, &measuring, &own, teller)
    })
}

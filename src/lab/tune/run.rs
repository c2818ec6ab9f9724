//! Tunes a model: chooses what to tune, searches, proves, and writes the results.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use ::report::text::counted;
use base::Pattern;
use base::{digest, replace};
use model::tuning::configuration::Dispatch;
use model::tuning::space::Space;
use model::tuning::spec::write;
use read::bundle::set::shell_words;
use tools::capture::{self, Stop};
use tools::compiler::{
    Compiler, CompilerOptions, ResultComparison, RunOptions, SpecFlag, run_flags,
};

use super::baseline::Baseline;
use super::budget::Costs;
use super::builder::{Builder, spec_of};
use super::clock::Clock;
use super::compile_only::{self, CompileCount};
use super::earlier::EarlierResults;
use super::error::TuneError;
use super::evaluator::Evaluator;
use super::event::TuneEvent;
use super::files::write_text;
use super::lab::{Lab, Tools};
use super::plan::Plan;
use super::proof::{self, Proof, ProofEvent};
use super::request::TuneRequest;
use super::rows::{DispatchRow, RunRow};
use super::runner::Runner;
use super::search::{JointSearch, Limits};
use super::store::{COMPILED, Store};
use super::targets::{Target, own_points};
use super::tried::Tried;
use super::{finals, report, user_spaces};

/// How tuning ended.
pub enum TuneOutcome {
    /// There is nothing to tune.
    NothingToTune(Plan),
    /// This would be tuned.
    Planned(Plan),
    /// Candidates are compiled for a device that is elsewhere.
    Compiled(CompileCount),
    /// Nothing is proven to be faster.
    NotFaster {
        /// Whether there was time to decide.
        is_in_time: bool,
        /// The dispatches of the model, with what became of their configurations.
        dispatches: Vec<DispatchRow>,
        /// The text of the report.
        report: String,
    },
    /// No candidate compiled and ran, so nothing is known of their times.
    NotMeasured {
        /// The dispatches of the model, with what became of their configurations.
        dispatches: Vec<DispatchRow>,
        /// The text of the report.
        report: String,
    },
    /// The tuned model is faster.
    Faster(Box<Faster>),
}

/// A tuned model that is faster than the untuned one.
pub struct Faster {
    /// The dispatches of the model, with what was gained.
    pub dispatches: Vec<DispatchRow>,
    pub proof: Proof,
    /// The tuning spec.
    pub spec: PathBuf,
    /// The flag with which the compiler reads the spec.
    pub flag: SpecFlag,
    /// The compiled module.
    pub module: PathBuf,
    /// The text of the report.
    pub report: String,
}

/// The files in the folder that a faster model leaves.
const SPEC: &str = "tuned.mlir";
const MODULE: &str = "tuned.vmfb";

/// Tunes a model. What the folder knows from earlier runs is not measured again.
pub fn run(
    request: &TuneRequest,
    stop: &Arc<Stop>,
    listener: &mut dyn FnMut(TuneEvent<'_>),
) -> Result<TuneOutcome, TuneError> {
    let begun = Instant::now();
    let (folder, options) = (&request.folder, &request.options);
    let compiler = Compiler::new(
        CompilerOptions {
            tools: request.tools.clone(),
            flags: request.compiler_flags.clone(),
            time_limit: options.compile_timeout(),
        },
        Arc::clone(stop),
    )?;
    let work = folder.join("work");
    std::fs::create_dir_all(&work).map_err(TuneError::writing(&work))?;
    let user_spaces =
        options.space.as_deref().map(user_spaces::read).transpose()?.unwrap_or_default();
    let row = run_row(request, &compiler)?;
    let lock = capture::lock(folder)?;
    let _held = stop.hold(lock.as_ref());
    let is_run = !request.compile_only;
    let mut runner = is_run.then(|| Runner::new(request, stop)).transpose()?;
    let mut builder = Builder::new(compiler, request, &work)?;
    check_patterns("dispatch", options.dispatches.iter(), &builder.dispatches)?;
    check_patterns("space", user_spaces.iter().map(|it| &it.text), &builder.dispatches)?;
    let mut store = Store::open(folder, row, options.compile_timeout())?;
    let Baseline { times, costs } = Baseline::of(request, &builder, &store, runner.as_mut())?;
    let plan = Plan::choose(request, &user_spaces, &mut builder, times)?;
    // In a dry run, what is known stays as it is.
    if !request.dry_run || store.dispatches().next().is_none() {
        store.set_dispatches(plan.rows())?;
    }
    listener(TuneEvent::Planned(&plan));
    if plan.targets.is_empty() {
        return Ok(TuneOutcome::NothingToTune(plan));
    }
    if request.dry_run {
        return Ok(TuneOutcome::Planned(plan));
    }
    let Some(runner) = runner else {
        let (limits, targets) = (options.limits(), &plan.targets);
        let mut listener = |count: &CompileCount| listener(TuneEvent::Compiled(count));
        let count = compile_only::run(&builder, targets, &mut store, &limits, &mut listener)?;
        return Ok(TuneOutcome::Compiled(count));
    };
    let run_options = RunOptions {
        tools: request.tools.as_deref(),
        folder: &work,
        time_limit: options.run_timeout(),
        style: request.style,
        stop,
        seed: options.seed(),
    };
    let results = ResultComparison::new(&run_flags(runner.arguments()), run_options)?;
    let (store, clock) = (&mut store, Clock::new(begun, costs));
    tune(request, &plan, Tools { builder: &builder, runner, results, store, clock }, listener)
}

/// Searches, proves, and writes the results.
fn tune(
    request: &TuneRequest,
    plan: &Plan,
    tools: Tools<'_>,
    listener: &mut dyn FnMut(TuneEvent<'_>),
) -> Result<TuneOutcome, TuneError> {
    let builder = tools.builder;
    let limits = request.options.limits();
    let earlier = EarlierResults::of(tools.store, &plan.targets);
    let mut lab = Lab::new(tools, &plan.targets);
    divide_time(limits, &lab, listener)?;
    let found = search(limits, &plan.targets, earlier, &mut lab, listener)?;
    let [spec, module] = [SPEC, MODULE].map(|name| request.folder.join(name));
    let Found { proof, tried, is_in_time } = &found;
    let Some(proof) = proof else {
        lab.clean()?;
        // What an earlier search wrote is not the answer of this one.
        for path in [spec, module] {
            if path.exists() {
                std::fs::remove_file(&path).map_err(TuneError::writing(&path))?;
            }
        }
        let dispatches = store_end(lab.store, &plan.targets, &found)?;
        let is_in_time = *is_in_time;
        let report = report::of_nothing(&plan.targets, tried, is_in_time);
        write_report(request, &report)?;
        return Ok(if found.is_measured() {
            TuneOutcome::NotFaster { is_in_time, dispatches, report }
        } else {
            TuneOutcome::NotMeasured { dispatches, report }
        });
    };
    let compiled = lab.module(&proof.points)?;
    write_spec(&spec, request, builder, &plan.targets, proof)?;
    let mut from = std::fs::File::open(&compiled).map_err(TuneError::reading(&compiled))?;
    replace(&module, |file| std::io::copy(&mut from, file).map(|_| ()))
        .map_err(TuneError::writing(&module))?;
    lab.clean()?;
    let dispatches = store_end(lab.store, &plan.targets, &found)?;
    let flag = builder.flag;
    let report = report::of_gain(plan, proof, tried, &flag.arguments(&spec));
    write_report(request, &report)?;
    let proof = proof.clone();
    Ok(TuneOutcome::Faster(Box::new(Faster { dispatches, proof, spec, flag, module, report })))
}

/// Returns what the run is known by.
fn run_row(request: &TuneRequest, compiler: &Compiler) -> Result<RunRow, TuneError> {
    let model = &request.model;
    let (_, model_sha256) = digest::of_file(model).map_err(TuneError::reading(model))?;
    // The files of a device that is elsewhere may be there, too.
    let files_sha256 = if request.compile_only { None } else { request.files_sha256()? };
    let options = serde_json::to_string(&request.options).unwrap_or_default();
    Ok(RunRow {
        model: model.display().to_string(),
        model_sha256,
        compiler: compiler.version().to_owned(),
        compiler_flags: shell_words(compiler.flags().iter().map(String::as_str)),
        machine: machine(),
        command: shell_words(request.command.iter().map(String::as_str)),
        seed: request.options.seed(),
        options,
        files_sha256,
        state: if request.compile_only { COMPILED } else { "searching" }.to_owned(),
        ..RunRow::default()
    })
}

/// Returns the processor of the machine, and the number of its threads.
fn machine() -> String {
    let host = capture::host();
    let cpu = host.cpu.unwrap_or(host.arch);
    format!("{cpu}, {}", counted(host.cores, "thread"))
}

/// Refuses a pattern of an option that matches no dispatch, before anything is run or kept.
fn check_patterns<'a>(
    option: &'static str,
    mut patterns: impl Iterator<Item = &'a String>,
    dispatches: &[Dispatch],
) -> Result<(), TuneError> {
    let names = || dispatches.iter().map(|it| it.name.as_str());
    let is_unmatched = |it: &&String| !names().any(|name| Pattern::new(it).matches(name));
    let Some(pattern) = patterns.find(is_unmatched).cloned() else { return Ok(()) };
    let dispatches = names().map(str::to_owned).collect();
    Err(TuneError::NoMatch { option, pattern, dispatches })
}

/// Divides the time between search and proof. Refuses a budget in which nothing can be proven, before it is spent.
fn divide_time(
    limits: Limits,
    lab: &Lab<'_>,
    listener: &mut dyn FnMut(TuneEvent<'_>),
) -> Result<(), TuneError> {
    let (costs, budget) = (lab.costs(), limits.budget);
    if costs == Costs::default() {
        return Ok(());
    }
    if let Some(needed) = costs.lacks(limits.left(lab)) {
        let needed = needed + lab.spent();
        return Err(TuneError::ShortBudget { budget, run: costs.run, needed });
    }
    let (search, proof) = (limits.left_to_search(lab), costs.reserve(budget));
    listener(TuneEvent::Divided { costs, budget, search, proof });
    Ok(())
}

/// What a search found.
struct Found {
    /// The winners, if they are proven.
    proof: Option<Proof>,
    /// What became of the configurations of each target.
    tried: Vec<Tried>,
    /// Whether there was time to decide.
    is_in_time: bool,
}

impl Found {
    /// Whether any candidate was measured.
    fn is_measured(&self) -> bool {
        self.tried.iter().any(|it| it.measured > 0)
    }
}

/// Searches, verifies and proves.
fn search(
    limits: Limits,
    targets: &[Target],
    earlier: EarlierResults,
    lab: &mut Lab<'_>,
    listener: &mut dyn FnMut(TuneEvent<'_>),
) -> Result<Found, TuneError> {
    let spaces: Vec<Space> = targets.iter().map(|it| it.space.clone()).collect();
    let mut search = JointSearch::new(&spaces, &earlier.costs, earlier.waiting, limits);
    let best =
        search.run(lab, &mut |progress| listener(TuneEvent::Searched { targets, progress }))?;
    let tried = search.tried();
    let has_time = lab.costs().finalists(limits.left(lab)) > 0;
    let mut is_in_time = has_time || best.iter().all(Vec::is_empty);
    if !is_in_time {
        listener(TuneEvent::Proof { targets, event: &ProofEvent::NoTime });
    }
    let (points, wrong) = finals::run(&spaces, best, limits, lab)?;
    for it in &wrong {
        let Some(target) = targets.get(it.target) else { continue };
        let (configuration, difference) = (target.text(it.point), it.difference.as_str());
        listener(TuneEvent::WrongResults { target, configuration, difference });
    }
    let proof = proof::run(&spaces, points, limits, lab, &mut |event| {
        is_in_time &= !matches!(event, ProofEvent::OutOfTime(_) | ProofEvent::NoTime);
        listener(TuneEvent::Proof { targets, event: &event });
    })?;
    Ok(Found { proof, tried, is_in_time })
}

/// Checks that the compiler applies all of the spec, and writes it.
fn write_spec(
    path: &Path,
    request: &TuneRequest,
    builder: &Builder<'_>,
    targets: &[Target],
    proof: &Proof,
) -> Result<(), TuneError> {
    let spec = spec_of(targets, &proof.points);
    let are_applied = builder.applied(&spec)?;
    if let Some((entry, _)) =
        spec.entries.iter().zip(are_applied).find(|(_, is_applied)| !is_applied)
    {
        return Err(TuneError::NotApplied(entry.matcher.clone()));
    }
    let comment = format!("Written by ireescope tune for {}.", request.model.display());
    write_text(path, &write(&spec, &comment))
}

/// Writes the report into the folder, with a title.
fn write_report(request: &TuneRequest, text: &str) -> Result<(), TuneError> {
    let text = format!("# {}\n\n{text}", request.model.display());
    write_text(&request.folder.join("report.md"), &text)
}

/// Stores how the run ended. Returns the dispatches of the model with that.
fn store_end(
    store: &mut Store,
    targets: &[Target],
    found: &Found,
) -> Result<Vec<DispatchRow>, TuneError> {
    let proof = found.proof.as_ref();
    let own = own_points(targets);
    let points = proof.map_or(&own, |it| &it.points);
    let mut rows: Vec<DispatchRow> = store.dispatches().cloned().collect();
    for (nth, (target, point)) in targets.iter().zip(points).enumerate() {
        let interval = proof.and_then(|it| it.targets.get(nth)?.interval);
        let is_changed = *point != target.space.own;
        for row in rows.iter_mut().filter(|row| target.functions.contains(&row.dispatch)) {
            if let Some(tried) = found.tried.get(nth) {
                row.add_tried(tried);
            }
            row.best_configuration = is_changed.then(|| target.text(*point));
            let interval = interval.filter(|_| is_changed);
            row.time_ratio = interval.map(|it| it.ratio);
            row.time_ratio_low = interval.map(|it| it.low);
            row.time_ratio_high = interval.map(|it| it.high);
        }
    }
    store.set_dispatches(rows.clone())?;
    let interval = proof.and_then(|it| it.total.interval);
    let state = match proof {
        Some(_) => "faster",
        None if found.is_measured() => "not_faster",
        None => "not_measured",
    };
    store.set_run(RunRow {
        state: state.to_owned(),
        untuned_ns: proof.map(|it| it.ns[0]),
        tuned_ns: proof.map(|it| it.ns[1]),
        time_ratio: interval.map(|it| it.ratio),
        time_ratio_low: interval.map(|it| it.low),
        time_ratio_high: interval.map(|it| it.high),
        ..store.run.clone()
    })?;
    Ok(rows)
}

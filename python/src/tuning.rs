//! Tunes models.

use std::path::PathBuf;
use std::sync::Arc;

use arrow::datatypes::Schema;
use ireescope::capture::Stop;
use ireescope::race::RunError;
use ireescope::report::absence::unmatched;
use ireescope::report::text::{change, counted, time};
use ireescope::store;
use ireescope::tune::{
    CompileCount, DispatchRow, Faster, Plan, ProofEvent, SearchProgress, Target, TuneError,
    TuneEvent, TuneOptions, TuneOutcome, TuneRequest, run, speedup,
};
use ireescope::workspace::Unmatched;
use pyo3::prelude::*;

use crate::database::Opening;
use crate::failure::{Done, Failure, whole};
use crate::parameters::{PARAMETERS, seconds, spelled, stop_urgently, within};
use crate::rows::Rows;
use crate::waiting::{Stopping, Teller, wait};

impl From<TuneError> for Failure {
    fn from(error: TuneError) -> Self {
        match error {
            TuneError::Compiler(error) => error.into(),
            TuneError::Open(error) => error.into(),
            TuneError::Engine(error) => error.into(),
            TuneError::Compare(error) => error.into(),
            TuneError::Capture(error) | TuneError::Run(RunError::Capture(error)) => error.into(),
            TuneError::Run(RunError::Interrupted) | TuneError::Interrupted => {
                Self::Resource("interrupted; the same call goes on".into())
            }
            TuneError::Run(error) => Self::Verdict(error.explained()),
            TuneError::NoClock(words) => Self::Verdict(words),
            TuneError::Read { ref path, .. } => Self::input(Some(path), whole(&error)),
            TuneError::Write { .. } => Self::Resource(whole(&error)),
            TuneError::NothingToResume(_) | TuneError::NamesModule(_) => {
                Self::Usage(error.to_string())
            }
            TuneError::NoMatch { pattern, dispatches, .. } => {
                Self::Usage(none_matches(&pattern, &dispatches))
            }
            TuneError::ShortBudget { budget, run, needed } => Self::Usage(format!(
                "budget={} is too short to try and prove anything, as a run of the model takes {}; give at least {} s",
                budget.as_secs_f64(),
                time(run),
                needed.as_secs_f64().ceil()
            )),
            TuneError::UntunedFails(_) | TuneError::Refused(_) | TuneError::NotApplied(_) => {
                spelled(Self::Resource(error.to_string()))
            }
        }
    }
}

fn none_matches(pattern: &str, dispatches: &[String]) -> String {
    let names = dispatches.iter().map(String::as_str);
    match Unmatched::among("dispatch", pattern, names) {
        Some(Unmatched { noun, known, similar }) => {
            unmatched(&noun, &[format!("dispatches={pattern}")], &known, &similar)
        }
        None => "the model has no dispatches to tune".to_owned(),
    }
}

/// The options of tuning; `None` is the default, or what an earlier run had.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
struct Options {
    profile: Vec<String>,
    cover: Option<f64>,
    top: Option<i64>,
    dispatches: Vec<String>,
    budget: Option<f64>,
    candidates: Option<i64>,
    patience: Option<i64>,
    noise_floor: Option<f64>,
    seed: Option<u64>,
    compile_limit: Option<f64>,
    run_limit: Option<f64>,
    space: Option<PathBuf>,
}

impl Options {
    fn options(self) -> Done<TuneOptions> {
        let number = |name: &str, given: Option<i64>, least: u32| {
            given.map(|given| within(name, given, least..=u32::MAX)).transpose()
        };
        let limit =
            |name: &str, given: Option<f64>| given.map(|given| seconds(name, given)).transpose();
        Ok(TuneOptions {
            profile: self.profile,
            cover: share("cover", self.cover)?,
            top: number("top", self.top, 1)?,
            dispatches: self.dispatches,
            budget: limit("budget", self.budget)?,
            candidates: number("candidates", self.candidates, 0)?,
            patience: number("patience", self.patience, 1)?,
            noise_floor: share("noise_floor", self.noise_floor)?,
            seed: self.seed,
            compile_timeout: limit("compile_limit", self.compile_limit)?,
            run_timeout: limit("run_limit", self.run_limit)?,
            space: self.space,
        })
    }
}

/// Checks a share of one.
fn share(parameter: &str, given: Option<f64>) -> Done<Option<f64>> {
    match given {
        Some(share) if !(0.0..1e4).contains(&share) => {
            Err(Failure::Usage(format!("{parameter} is a share of 1, not {share}")))
        }
        given => Ok(given),
    }
}

/// What is tuned, and how.
#[derive(Debug, FromPyObject)]
#[pyo3(from_item_all)]
struct Request {
    model: Option<PathBuf>,
    command: Vec<String>,
    compiler_flags: Vec<String>,
    /// The folder; `None` for one beside the model.
    output: Option<PathBuf>,
    resume: bool,
    device: Option<String>,
    tool_folder: Option<PathBuf>,
    compile_only: bool,
    dry_run: bool,
}

impl Request {
    /// Returns the request of the library, but for how bundles are opened.
    fn request(self, options: TuneOptions) -> Done<TuneRequest> {
        let usage = |text: &str| Failure::Usage(text.into());
        let mut request = match (self.resume, self.model) {
            (false, None) => return Err(usage("name a model, or resume=True and output")),
            (false, Some(model)) => TuneRequest {
                compiler_flags: self.compiler_flags,
                options,
                ..TuneRequest::new(model)
            },
            (true, model) => {
                if !self.compiler_flags.is_empty() {
                    return Err(usage(
                        "resume=True goes on with the flags of the compiler that the folder has",
                    ));
                }
                let folder = self.output.as_deref();
                let folder = folder.ok_or_else(|| usage("resume=True needs output"))?;
                let earlier = TuneRequest::resume(folder)?;
                let options = options.over(&earlier.options).map_err(|error| {
                    Failure::input(Some(folder), format!("the options are malformed: {error}"))
                })?;
                let model = model.unwrap_or_else(|| earlier.model.clone());
                TuneRequest { model, options, ..earlier }
            }
        };
        if let Some(folder) = self.output {
            request.folder = folder;
        }
        if !self.command.is_empty() {
            request.command = self.command;
        }
        if let Some(device) = self.device.filter(|_| !request.command.is_empty()) {
            request.command.retain(|word| !word.starts_with("--device="));
            request.command.push(format!("--device={device}"));
        }
        if request.command.is_empty() && !self.compile_only {
            return Err(usage(
                "command is the command that runs the model, such as [\"iree-benchmark-module\", \"--function=main\"]",
            ));
        }
        Ok(TuneRequest {
            tools: self.tool_folder,
            compile_only: self.compile_only,
            dry_run: self.dry_run,
            style: PARAMETERS,
            ..request
        })
    }
}

/// How tuning ended.
#[derive(Default, IntoPyObject)]
struct Tuned {
    folder: PathBuf,
    outcome: &'static str,
    dispatches: Option<Rows>,
    report: Option<String>,
    is_in_time: bool,
    /// Candidates that were compiled and applied, not applied, and not compiled.
    counts: Option<(u32, u32, u32)>,
    spec: Option<PathBuf>,
    module: Option<PathBuf>,
    flags: Vec<String>,
    /// Times of the untuned and the tuned model.
    ns: Option<[f64; 2]>,
    /// The ratio of these times with its interval.
    ratio: Option<[f64; 3]>,
}

/// Tunes a model. Wrong parameters leave no folder.
fn tuned(request: &TuneRequest, stop: &Arc<Stop>, teller: &Teller) -> Done<Tuned> {
    let is_new = !request.folder.exists();
    let most = request.options.candidates.unwrap_or(400);
    let mut rows = Vec::new();
    let ended = run(request, stop, &mut |event| {
        if let TuneEvent::Planned(plan) = &event {
            rows = plan.rows();
        }
        tell(teller, &event, most);
    });
    let ended = ended.map_err(Failure::from);
    if is_new && matches!(ended, Err(Failure::Usage(_))) {
        // What is left if this fails harms nothing.
        let _ = std::fs::remove_dir_all(&request.folder);
    }
    let tuned = Tuned { folder: request.folder.clone(), is_in_time: true, ..Tuned::default() };
    let tuned = match ended? {
        TuneOutcome::NothingToTune(_) => Tuned { outcome: "nothing_to_tune", ..tuned },
        TuneOutcome::Planned(_) => Tuned { outcome: "planned", ..tuned },
        TuneOutcome::Compiled(of) => {
            let counts = Some((of.compiled, of.not_applied, of.not_compiled));
            Tuned { outcome: "compiled", counts, ..tuned }
        }
        TuneOutcome::NotFaster { is_in_time, dispatches, report } => {
            rows = dispatches;
            Tuned { outcome: "not_faster", is_in_time, report: Some(report), ..tuned }
        }
        TuneOutcome::NotMeasured { dispatches, report } => {
            rows = dispatches;
            Tuned { outcome: "not_measured", report: Some(report), ..tuned }
        }
        TuneOutcome::Faster(it) => {
            let Faster { dispatches, proof, spec, flag, module, report } = *it;
            rows = dispatches;
            Tuned {
                outcome: "faster",
                flags: flag.arguments(&spec).into(),
                spec: Some(spec),
                module: Some(module),
                report: Some(report),
                ns: Some(proof.ns),
                ratio: proof.total.interval.map(|it| [it.ratio, it.low, it.high]),
                ..tuned
            }
        }
    };
    Ok(Tuned { dispatches: Some(dispatch_rows(&rows)?), ..tuned })
}

/// Returns the rows with the columns of `tune_dispatches`, but for those that tell runs apart.
fn dispatch_rows(rows: &[DispatchRow]) -> Done<Rows> {
    let all = store::schema("tune_dispatches");
    let of_run = all.fields().iter().filter(|it| !matches!(it.name().as_str(), "bundle" | "run"));
    let schema = Arc::new(Schema::new(of_run.cloned().collect::<Vec<_>>()));
    let batch = store::batch(&schema, rows);
    let batch = batch.map_err(|error| Failure::Internal(error.to_string()))?;
    Ok(Rows::of_batches(schema, vec![batch]))
}

/// Says how far tuning is.
fn tell(teller: &Teller, event: &TuneEvent<'_>, most: u32) {
    let at = |candidates: u32| Some((candidates.into(), most.max(candidates).into()));
    match event {
        TuneEvent::Planned(plan) => teller.tell(planned(plan), None),
        TuneEvent::Divided { costs, search, proof, .. } => {
            let [run, compile, search, proof] =
                [costs.run, costs.compile, *search, *proof].map(time);
            let text = format!(
                "a run takes {run}, a compilation {compile}; the search has {search}, and the proof at most {proof}"
            );
            teller.tell(text, None);
        }
        TuneEvent::Compiled(count) => teller.tell(compiled(count), at(count.all())),
        TuneEvent::Searched { targets, progress } => {
            teller.tell(searched(targets, progress), at(progress.candidates));
        }
        TuneEvent::WrongResults { target, configuration, difference } => {
            let name = target.name();
            teller
                .tell(format!("wrong results of {name} with {configuration}: {difference}"), None);
        }
        TuneEvent::Proof { targets, event } => teller.tell(proven(targets, event), None),
    }
}

fn planned(plan: &Plan) -> String {
    let targets = counted(plan.targets.len() as u64, "dispatch");
    format!("tuning {targets}, leaving {}", plan.skipped.len())
}

fn compiled(count: &CompileCount) -> String {
    format!("compiled {}", counted(count.all().into(), "candidate"))
}

fn searched(targets: &[Target], progress: &SearchProgress<'_>) -> String {
    let best = targets.iter().zip(progress.best).zip(progress.tried);
    let best = best.map(|((target, (ratio, _)), tried)| match (tried.measured, tried.refused()) {
        (0, Some(refused)) => format!("{}: {refused}", target.name()),
        _ => format!("{} {}", target.name(), change(*ratio)),
    });
    let best = best.collect::<Vec<_>>().join("; ");
    format!("round {}, {} left to search: {best}", progress.round, time(progress.left))
}

fn proven(targets: &[Target], event: &ProofEvent<'_>) -> String {
    match event {
        ProofEvent::Right => "its results are right; racing it against the untuned model".into(),
        ProofEvent::Block { number, standing } => format!("block {number}: {}", speedup(standing)),
        ProofEvent::Dropped { target, why } => {
            let name = targets.get(*target).map_or("", Target::name);
            format!("{name} stays as it was: {why}")
        }
        ProofEvent::OutOfTime(block) => {
            format!("the budget ended after block {block}, before it was decided")
        }
        ProofEvent::NoTime => "the budget is too short to prove what was found".into(),
    }
}

/// Functions that tune models.
#[pymodule(submodule, name = "tuning")]
pub mod module {
    #[pymodule_export]
    use super::tune;
}

/// Tunes a model.
#[pyfunction(name = "run")]
#[expect(clippy::needless_pass_by_value, reason = "Python passes values")]
fn tune(
    py: Python<'_>,
    request: Request,
    options: Options,
    opening: Opening,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Tuned> {
    let (workspace, warnings) = opening.options();
    let request = request.request(options.options()?)?;
    let request = TuneRequest { workspace, ..request };
    let stop = Arc::new(Stop::default());
    let ask = || stop_urgently(&stop);
    let own = Arc::clone(&stop);
    let tuned = wait(py, &Stopping::By(&ask), progress.map(Bound::as_unbound), move |teller| {
        tuned(&request, &own, teller)
    })?;
    warnings.issue(py)?;
    Ok(tuned)
}

//! Runs a sweep: compiles all operations in parallel, then verifies and profiles the dispatches of one operation after
//! the other, one process at a time, because nothing else may run during a measurement.

use std::fs;
use std::path::Path;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use read::bundle::set::shell_words;

use super::compile;
use super::event::{Event, ReadTimes};
use super::folders::Mode;
use super::known::Known;
use super::modules::compile_all;
use super::plan::{Plan, Tell};
use super::row::{DispatchRun, Outcome, Stage, Verification};
use super::store::{self, Store};
use crate::bench::configuration::Configuration;
use crate::bench::error::BenchError;
use crate::bench::source::source;
use crate::capture::{Stop, lock, now, plan};

/// Seed of the orders of rounds.
const ORDER_SEED: u64 = 0x1ee5_c09e;

/// The result of a sweep.
#[derive(Debug, Default)]
pub struct SweepResult {
    /// One row per dispatch, in order. Rows that an earlier command measured are as recorded.
    pub rows: Vec<DispatchRun>,
    /// Number of rows that an earlier command measured.
    pub known: usize,
    pub is_interrupted: bool,
}

impl SweepResult {
    /// Returns the number of dispatches that returned wrong results.
    pub fn wrong(&self) -> usize {
        self.rows.iter().filter(|row| row.verification == Verification::Failed).count()
    }

    /// Returns the number of dispatches that failed.
    pub fn failed(&self) -> usize {
        self.rows.iter().filter(|row| row.outcome != Outcome::Passed).count()
    }

    /// Returns why a tool was not found, if a dispatch needed it.
    pub fn missing_tool(&self) -> Option<&str> {
        self.rows.iter().find(|row| row.outcome == Outcome::NoTool)?.message.as_deref()
    }
}

/// Writes the sources that are missing or outdated.
pub fn generate(plan: &Plan, tell: Tell<'_>) -> Result<(), BenchError> {
    for collection in &plan.collections {
        let path = plan.folders.source(&collection.operation);
        let text = source(collection, &plan.target);
        write(&path, &text).map_err(BenchError::file("write", &path))?;
        let skipped = collection.skipped.iter().map(|(it, why)| (it.name(), why.clone()));
        tell(&Event::Generated {
            path: &path,
            configurations: collection.configurations.iter().map(Configuration::name).collect(),
            skipped: skipped.collect(),
        });
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    if fs::read(path).is_ok_and(|known| known == text.as_bytes()) {
        return Ok(());
    }
    fs::create_dir_all(path.parent().unwrap_or(Path::new(".")))?;
    fs::write(path, text)
}

impl Plan {
    /// Returns the modes to compile: those that will run, or both if none will.
    pub fn modes(&self) -> Vec<Mode> {
        match (self.settings.verify, self.settings.profile) {
            (true, false) => vec![Mode::Verify],
            (false, true) => vec![Mode::Profile],
            _ => vec![Mode::Verify, Mode::Profile],
        }
    }

    /// Returns the number of dispatches.
    pub fn dispatches(&self) -> usize {
        self.collections.iter().map(|collection| collection.configurations.len()).sum()
    }

    /// Returns the number of steps of a dispatch for progress: its processes, or one if it is not profiled.
    pub fn steps(&self) -> usize {
        let processes = usize::try_from(self.settings.processes).unwrap_or(usize::MAX);
        if self.settings.profile { processes } else { 1 }
    }
}

/// Compiles all operations, then verifies and profiles the dispatches as requested. Stores the rows of an operation as
/// soon as it is done. Locks the folder; stops early on request.
pub fn sweep<'a>(
    plan: &'a Plan,
    stop: &'a Stop,
    tell: Tell<'a>,
    read: &'a mut ReadTimes<'a>,
) -> Result<SweepResult, BenchError> {
    let started = now();
    // The names of modules and output files are fixed, so two sweeps must not share a folder.
    let folder = plan.folders.root();
    let _lock = lock(folder).map_err(|_| BenchError::Busy(folder.to_owned()))?;
    let known = Known::new(store::rows(folder)?);
    let compiled = compile_all(plan, stop, tell);
    let store = Store::new(&plan.folders, &started);
    let device = plan::Known::default();
    let random = ChaCha8Rng::seed_from_u64(ORDER_SEED);
    let (steps, done) = (0, SweepResult::default());
    let mut running = Running { plan, stop, tell, read, device, known, store, random, steps, done };
    for (collection, modules) in plan.collections.iter().zip(&compiled) {
        if !stop.is_asked() {
            running.operation(collection, modules)?;
        }
    }
    running.done.is_interrupted = stop.is_asked();
    Ok(running.done)
}

/// The state of a running sweep.
pub struct Running<'a> {
    pub plan: &'a Plan,
    pub stop: &'a Stop,
    pub tell: Tell<'a>,
    pub read: &'a mut ReadTimes<'a>,
    /// What captures have learned about the device.
    pub device: plan::Known,
    known: Known,
    pub store: Store,
    /// Draws the order of each round.
    pub random: ChaCha8Rng,
    /// Number of steps that are done, of those of [`Plan::steps`].
    pub steps: usize,
    pub done: SweepResult,
}

impl Running<'_> {
    /// Copies the results of earlier commands into a row. Returns the remaining stages.
    pub fn recall(&self, row: &mut DispatchRun) -> Vec<Stage> {
        let settings = &self.plan.settings;
        let known = Some(&self.known).filter(|_| !settings.force);
        if !settings.verify && !settings.profile {
            let compiled = known.and_then(|known| known.compiled(row));
            let Some(compiled) = compiled else { return vec![Stage::Compile] };
            row.started.clone_from(&compiled.started);
            return Vec::new();
        }
        let mut left = Vec::new();
        let tags = row.tags.clone();
        let verified = known.and_then(|known| known.verified(row)).filter(|_| settings.verify);
        let modules = row.verified_module_sha256.clone();
        let profiled = known.and_then(|known| known.profiled(row)).filter(|_| settings.profile);
        if let Some(times) = profiled {
            *row = DispatchRun { tags, verified_module_sha256: modules, ..times.clone() };
            row.verification = Verification::NotVerified;
        } else if settings.profile {
            left.push(Stage::Profile);
        }
        if let Some(known) = verified {
            row.verification = Verification::Success;
            if profiled.is_none() {
                row.stage = Stage::Verify;
                row.started.clone_from(&known.started);
            }
        } else if settings.verify {
            left.insert(0, Stage::Verify);
        }
        left
    }
}

/// Fills in the columns of a row that are known before it runs.
pub fn describe(row: &mut DispatchRun, plan: &Plan) {
    let settings = &plan.settings;
    let compiler = plan.tools.compile.as_ref().ok();
    row.compiler_version = compiler.and_then(|tool| tool.version.clone());
    row.compiler_revision = compiler.and_then(|tool| tool.revision.clone());
    let runtime = plan.tools.runtime();
    row.runtime_version = runtime.and_then(|tool| tool.version.clone());
    row.runtime_revision = runtime.and_then(|tool| tool.revision.clone());
    let mode = if settings.profile { Mode::Profile } else { Mode::Verify };
    let flags = compile::flags(plan, mode);
    row.compile_flags = shell_words(flags.iter().map(String::as_str));
    row.repetitions = Some(settings.repetitions.into());
    row.batch_size = Some(settings.batch_size.into());
    row.settings = format!(
        "{} x {}+{} x {} on {}",
        settings.processes,
        settings.repetitions,
        settings.warmup,
        settings.batch_size,
        row.runtime_version.as_deref().unwrap_or("unknown")
    );
    let tags: Vec<String> =
        settings.tags.iter().map(|(key, value)| format!("{key}:{value}")).collect();
    row.tags = (!tags.is_empty()).then(|| tags.join(","));
    row.started = now();
}

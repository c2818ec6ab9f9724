//! Runs a sweep: compiles all operations in parallel, then verifies and profiles the dispatches one at a time, because
//! nothing else may run during a measurement.

use std::fs;
use std::path::Path;
use std::time::Instant;

use super::compile;
use super::event::{Event, ReadTimes};
use super::folders::Mode;
use super::known::Known;
use super::modules::{Modules, compile_all, take_modules};
use super::plan::{Plan, Tell};
use super::row::{DispatchRun, Outcome, Stage, Verification};
use super::store::{self, Store};
use crate::bench::configuration::Configuration;
use crate::bench::error::BenchError;
use crate::bench::operation::Operation;
use crate::bench::request::Collection;
use crate::bench::source::source;
use crate::bundle::set::shell_words;
use crate::capture::{Stop, lock, now, plan};

/// The result of a sweep.
#[derive(Debug, Default)]
pub struct Done {
    /// One row per dispatch, in order. Rows that an earlier command measured are as recorded.
    pub rows: Vec<DispatchRun>,
    /// Number of rows that an earlier command measured.
    pub known: usize,
    pub is_interrupted: bool,
}

/// Writes the sources that are missing or outdated.
pub fn generate(plan: &Plan, tell: Tell<'_>) -> Result<(), BenchError> {
    for collection in &plan.collections {
        let path = plan.folders.source(&collection.operation);
        let text = source(collection, &plan.target);
        write(&path, &text).map_err(|source| BenchError::File {
            action: "write",
            path: path.clone(),
            source,
        })?;
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
}

/// Compiles all operations, then verifies and profiles the dispatches as requested. Stores each row immediately. Locks
/// the folder; stops early on request.
pub fn sweep<'a>(
    plan: &'a Plan,
    stop: &'a Stop,
    tell: Tell<'a>,
    read: &'a mut ReadTimes<'a>,
) -> Result<Done, BenchError> {
    let started = now();
    // The names of modules and output files are fixed, so two sweeps must not share a folder.
    let folder = plan.folders.root();
    let _lock = lock(folder).map_err(|_| BenchError::Busy(folder.to_owned()))?;
    let known = Known::new(store::rows(folder)?);
    let compiled = compile_all(plan, stop, tell);
    let store = Store::new(&plan.folders, &started);
    let (device, done) = (plan::Known::default(), Done::default());
    let mut running = Running { plan, stop, tell, read, device, known, store, done };
    for (collection, modules) in plan.collections.iter().zip(&compiled) {
        for configuration in &collection.configurations {
            if !stop.is_asked() {
                running.dispatch(collection, configuration, modules)?;
            }
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
    store: Store,
    done: Done,
}

impl Running<'_> {
    fn dispatch(
        &mut self,
        collection: &Collection,
        configuration: &Configuration,
        modules: &Modules,
    ) -> Result<(), BenchError> {
        let plan = self.plan;
        let mut row = DispatchRun::of(collection, configuration, &plan.target);
        let (done, total) = (self.done.rows.len(), plan.dispatches());
        (self.tell)(&Event::Begins { done, total, dispatch: &row.dispatch });
        describe(&mut row, plan);
        take_modules(&mut row, modules);
        let left = self.recall(&mut row);
        let is_known = left.is_empty();
        if is_known {
            self.done.known += 1;
        } else {
            let clock = Instant::now();
            self.run(&mut row, &collection.operation, &left);
            row.duration_ns = u64::try_from(clock.elapsed().as_nanos()).unwrap_or(u64::MAX);
            self.store.put(row.clone())?;
        }
        (self.tell)(&Event::Ended { row: &row, is_known });
        self.done.rows.push(row);
        Ok(())
    }

    /// Copies the results of earlier commands into a row. Returns the remaining stages.
    fn recall(&self, row: &mut DispatchRun) -> Vec<Stage> {
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

    fn run(&mut self, row: &mut DispatchRun, operation: &Operation, left: &[Stage]) {
        if row.outcome != Outcome::Passed {
            return;
        }
        if left.contains(&Stage::Verify) {
            row.reach(Stage::Verify);
            if let Err(failure) = self.verify(row, operation) {
                // A dispatch that exceeds the timeout in verification would exceed it in profiling, too.
                let is_over = failure.outcome == Outcome::TimeLimit;
                row.fail(Stage::Verify, failure);
                if is_over {
                    return;
                }
            }
        }
        if left.contains(&Stage::Profile) && !self.stop.is_asked() {
            row.reach(Stage::Profile);
            if let Err(failure) = self.profile(row, operation) {
                row.fail(Stage::Profile, failure);
            }
        }
    }
}

/// Fills in the columns of a row that are known before it runs.
fn describe(row: &mut DispatchRun, plan: &Plan) {
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
        "{}+{} x {} on {}",
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

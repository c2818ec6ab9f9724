//! Compiles the modules of all operations in parallel.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};

use base::in_order;

use super::cache::Entry;
use super::compile::Compiler;
use super::event::Event;
use super::folders::Mode;
use super::plan::{Plan, Tell};
use super::row::{DispatchRun, Failure, Stage};
use super::tool_run::{interrupted, missing};
use crate::bench::request::Collection;
use crate::capture::Stop;

/// The modules of an operation, by mode.
pub type Modules = BTreeMap<&'static str, Result<Entry, Failure>>;

/// Compiles all operations on several threads. Returns the modules in the order of the operations.
pub(crate) fn compile_all(plan: &Plan, stop: &Stop, tell: Tell<'_>) -> Vec<Modules> {
    let total = plan.collections.len();
    let done = AtomicUsize::new(0);
    in_order(&plan.collections, plan.settings.jobs, |collection| {
        let modules = compile_one(plan, collection, stop, tell);
        let is_cached = modules.values().all(|it| it.as_ref().is_ok_and(|it| it.is_cached));
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        let operation = collection.operation.name();
        tell(&Event::Compiled { done, total, operation: &operation, is_cached });
        modules
    })
}

fn compile_one(plan: &Plan, collection: &Collection, stop: &Stop, tell: Tell<'_>) -> Modules {
    let mut modules = Modules::new();
    for mode in plan.modes() {
        let rejected = modules.values().flatten().flat_map(|it| it.rejected.clone()).collect();
        let module = match &plan.tools.compile {
            _ if stop.is_asked() => Err(interrupted()),
            Err(message) => Err(missing(message)),
            Ok(tool) => Compiler { plan, tool, mode, stop, tell }.module(collection, rejected),
        };
        modules.insert(mode.name(), module);
    }
    modules
}

/// Copies the outcome of compilation into a row.
pub(crate) fn take_modules(row: &mut DispatchRun, modules: &Modules) {
    for (mode, module) in modules {
        match module {
            Err(failure) => row.fail(Stage::Compile, failure.clone()),
            Ok(module) => {
                let slot = if *mode == Mode::Verify.name() {
                    &mut row.verified_module_sha256
                } else {
                    &mut row.module_sha256
                };
                slot.clone_from(&module.module_sha256);
                if let Some(rejected) = module.rejected.get(&row.dispatch) {
                    row.fail(Stage::Compile, rejected.failure());
                }
            }
        }
    }
}

//! `--dry-run`: prints the commands that would run.

use crate::bench::reference::Reference;
use crate::bench::run::{Mode, Plan, compile_line, profile_arguments, verify_arguments};
use crate::bundle::set::shell_words;
use crate::cli::error::CliError;
use crate::cli::output;
use crate::report::text::counted;

/// Prints the commands of a plan.
pub fn print(plan: &Plan, is_compiling: bool) -> Result<(), CliError> {
    let mut text = String::new();
    for collection in &plan.collections {
        let operation = &collection.operation;
        text.push_str(&format!("[Generating]: {}\n", plan.folders.source(operation).display()));
        if is_compiling {
            for mode in plan.modes() {
                text.push_str(&format!(
                    "[Compiling ({})] {}\n",
                    mode.name(),
                    compile(plan, collection, mode)
                ));
            }
        }
        for configuration in &collection.configurations {
            let dispatch = collection.dispatch(configuration);
            text.push_str(&format!("[Dry run] : {dispatch}\n"));
            if plan.settings.verify {
                let module = plan.folders.module(operation, &plan.target, Mode::Verify);
                let reference = Reference::of(
                    operation,
                    plan.settings.seed,
                    &plan.folders.reference(operation),
                );
                let words = verify_arguments(&module, &dispatch, &plan.target, &reference);
                let program = program(plan.tools.run.as_ref().ok(), "iree-run-module");
                text.push_str(&format!("[Verification] {}\n", line(&program, &words)));
            }
            if plan.settings.profile {
                let module = plan.folders.module(operation, &plan.target, Mode::Profile);
                let words =
                    profile_arguments(&module, &dispatch, &plan.target, operation, &plan.settings);
                let facts = plan.tools.benchmark.as_ref().ok().map(|tool| &tool.facts);
                let program = program(facts, "iree-benchmark-module");
                let processes = counted(plan.settings.processes.into(), "process");
                text.push_str(&format!("[Profiling in {processes}] {}\n", line(&program, &words)));
            }
        }
    }
    output::print(&text)
}

fn compile(plan: &Plan, collection: &crate::bench::Collection, mode: Mode) -> String {
    let program = program(plan.tools.compile.as_ref().ok(), "iree-compile");
    compile_line(&program, collection, plan, mode)
}

fn program(facts: Option<&crate::bundle::set::ToolFacts>, name: &str) -> String {
    facts.map_or_else(|| name.to_owned(), |facts| facts.path.to_string_lossy().into_owned())
}

fn line(program: &str, words: &[String]) -> String {
    shell_words(std::iter::once(program).chain(words.iter().map(String::as_str)))
}

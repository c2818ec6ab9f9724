//! The commands of a plan, for people who want to see them without running anything.

use base::words::counted;
use read::bundle::set::{ToolFacts, shell_words};

use super::compile::command_line;
use super::folders::Mode;
use super::plan::Plan;
use super::{profile, verify};
use crate::bench::reference::Reference;
use crate::bench::request::Collection;

impl Plan {
    /// Returns a line for each source, command and dispatch of the plan, in order. Without compiling, as little else is done.
    pub fn lines(&self, is_compiling: bool) -> Vec<String> {
        let mut lines = Vec::new();
        for collection in &self.collections {
            let operation = &collection.operation;
            lines.push(format!("[Generating]: {}", self.folders.source(operation).display()));
            for mode in self.modes().into_iter().filter(|_| is_compiling) {
                let program = program(self.tools.compile.as_ref().ok(), "iree-compile");
                let command = command_line(&program, collection, self, mode);
                lines.push(format!("[Compiling ({})] {command}", mode.name()));
            }
            for configuration in &collection.configurations {
                self.add_runs(&mut lines, collection, &collection.dispatch(configuration));
            }
        }
        lines
    }

    /// Adds the lines of a dispatch.
    fn add_runs(&self, lines: &mut Vec<String>, collection: &Collection, dispatch: &str) {
        let operation = &collection.operation;
        lines.push(format!("[Dry run] : {dispatch}"));
        if self.settings.verify {
            let module = self.folders.module(operation, &self.target, Mode::Verify);
            let folder = self.folders.reference(operation);
            let reference = Reference::of(operation, self.settings.seed, &folder);
            let words = verify::arguments(&module, dispatch, &self.target, &reference);
            let program = program(self.tools.run.as_ref().ok(), "iree-run-module");
            lines.push(format!("[Verification] {}", line(&program, &words)));
        }
        if self.settings.profile {
            let module = self.folders.module(operation, &self.target, Mode::Profile);
            let words =
                profile::arguments(&module, dispatch, &self.target, operation, &self.settings);
            let facts = self.tools.benchmark.as_ref().ok().map(|tool| &tool.facts);
            let program = program(facts, "iree-benchmark-module");
            let processes = counted(self.settings.processes.into(), "process");
            lines.push(format!("[Profiling in {processes}] {}", line(&program, &words)));
        }
    }
}

fn program(facts: Option<&ToolFacts>, name: &str) -> String {
    facts.map_or_else(|| name.to_owned(), |facts| facts.path.to_string_lossy().into_owned())
}

fn line(program: &str, words: &[String]) -> String {
    shell_words(std::iter::once(program).chain(words.iter().map(String::as_str)))
}

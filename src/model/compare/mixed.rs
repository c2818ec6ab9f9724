//! Runs that do not belong on one side: those that were recorded for something else, and those of other builds or inputs.

use std::collections::BTreeMap;

use super::measured::{Run, Runs};

impl Runs {
    /// Leaves out the runs without times whose commands asked for none of these modes, unless no run has times.
    #[must_use]
    pub fn without_others(mut self, modes: &[&str]) -> Self {
        let is_timed =
            |run: &Run| self.device.iter().chain(&self.host).any(|row| row.run == run.name);
        let is_other = |run: &Run| {
            let asked = run.asked.as_ref();
            let is_asked = asked.is_none_or(|all| all.iter().any(|it| modes.contains(&&**it)));
            !is_asked && !is_timed(run)
        };
        let (others, runs): (Vec<Run>, Vec<Run>) = self.runs.iter().cloned().partition(is_other);
        if !runs.is_empty() {
            self.runs = runs;
            self.others = others;
        }
        self
    }

    /// Says which runs were left out, and that its runs are of several builds or have several inputs.
    pub fn mixed(&self) -> Vec<String> {
        let mut said = Vec::new();
        for run in &self.others {
            let asked = run.asked.as_deref().unwrap_or_default().join(", ");
            said.push(format!(
                "{} was recorded for something else ({asked}) and does not count.",
                run.name
            ));
        }
        let builds = self.by(|run| run.build.as_deref());
        if builds.len() > 1 {
            let runs: Vec<&str> = builds.values().map(|run| run.name.as_str()).collect();
            said.push(format!(
                "{} has runs of {} builds, whose modules have other digests: {}.",
                self.name,
                builds.len(),
                runs.join(", ")
            ));
        }
        let inputs = self.by(|run| run.inputs.as_deref());
        if inputs.len() > 1 {
            let runs: Vec<String> =
                inputs.iter().map(|(inputs, run)| format!("{} with {inputs}", run.name)).collect();
            said.push(format!("{} has runs with other inputs: {}.", self.name, runs.join(", ")));
        }
        said
    }

    /// Returns the first run of each value that is known.
    fn by(&self, of: fn(&Run) -> Option<&str>) -> BTreeMap<&str, &Run> {
        let mut first = BTreeMap::new();
        for (value, run) in self.runs.iter().filter_map(|run| Some((of(run)?, run))) {
            first.entry(value).or_insert(run);
        }
        first
    }
}

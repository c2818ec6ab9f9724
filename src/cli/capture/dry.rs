//! `--dry-run`: prints the plan, and the fallbacks if the device refuses a part of it.

use std::path::{Path, PathBuf};

use crate::bundle::set::{self, Manifest};
use crate::capture::plan::{Known, Planned, UNNAMED_COUNTER, plan};
use crate::capture::{Start, command_line, passes, recording, replayed, replayer};
use crate::cli::error::CliError;
use crate::cli::output;
use schemas::questions::{Clock, Question, Way};

/// The text of the plan under construction.
struct Dry<'a> {
    start: &'a Start,
    tool: String,
    arguments: Vec<String>,
    manifest: Manifest,
    text: String,
}

/// Prints the plan.
pub fn print(start: &Start) -> Result<(), CliError> {
    let is_there = set::is_one(&start.folder);
    let manifest = if is_there { Manifest::read(&start.folder)? } else { Manifest::default() };
    let tool = start.tool.facts.path.to_string_lossy().into_owned();
    let mut dry = Dry { start, tool, arguments: Vec::new(), manifest, text: String::new() };
    dry.passes();
    dry.planned();
    if dry.text.is_empty() {
        dry.text.push_str("There is nothing left to capture.\n");
    }
    for (reason, modes) in start.known.unavailable(&start.wanted) {
        dry.text.push_str(&format!("not asked: {} ({reason})\n", modes.join(", ")));
    }
    for question in &start.wanted.questions {
        dry.text.push_str(&otherwise(question, &start.known));
    }
    output::print(&dry.text)
}

impl Dry<'_> {
    /// Reserves the name of the next run.
    fn next(&mut self) -> String {
        let name = self.manifest.free_name(&self.start.folder);
        self.manifest.runs.push(set::Run::named(name.clone()));
        name
    }

    /// Returns a command line, quoted for a shell.
    fn line(&self, flags: &[String]) -> String {
        let words = std::iter::once(&self.tool).chain(&self.arguments).chain(flags);
        set::shell_words(words.map(String::as_str))
    }

    fn pass(&mut self, what: &str, flags: &[String]) {
        let (name, line) = (self.next(), self.line(flags));
        self.text.push_str(&format!("{name}: {what}\n  {line}\n"));
    }

    /// Adds the runs that record no profile: device statistics, external capture, and recording for a replay.
    fn passes(&mut self) {
        let settings = &self.start.settings;
        let passes = passes(&self.start.arguments, settings.statistics);
        self.arguments = passes.arguments;
        if !passes.statistics.is_empty() {
            self.pass("device statistics", &passes.statistics);
        }
        if !passes.external.is_empty() {
            self.pass("an external capture", &passes.external);
        }
        if settings.replay {
            let name = self.manifest.free_name(&self.start.folder);
            let replay: PathBuf = self.start.folder.join(format!("{name}.ireereplay"));
            self.pass("a recording for replays", &[recording(&replay)]);
            self.tool = replayer(Path::new(&self.tool));
            self.arguments = replayed(&self.arguments, &replay);
        }
    }

    /// Adds the runs that record profiles.
    fn planned(&mut self) {
        let known = Known { before: self.start.known.captured.len(), ..self.start.known.clone() };
        let times = self.start.settings.repeat.max(1);
        for planned in plan(&self.start.wanted, &known) {
            let name = self.next();
            let last = (1..times).map(|_| self.next()).last();
            let last = last.map_or_else(String::new, |last| format!(" to {last}"));
            self.text.push_str(&format!("{name}{last}: {}", planned.modes.join(", ")));
            if !planned.questions.is_empty() {
                self.text.push_str(&format!("  (for {})", planned.questions.join(", ")));
            }
            let is_unnamed = planned.counters.iter().any(|name| name == UNNAMED_COUNTER);
            let line = self.line(&self.flags(planned, &name));
            self.text.push_str(&format!("\n  {line}\n"));
            if is_unnamed {
                self.text.push_str(
                    "  No counter is named: a first run asks the driver for its list of counters.\n",
                );
            }
        }
    }

    fn flags(&self, mut planned: Planned, name: &str) -> Vec<String> {
        for counter in planned.counters.iter_mut().filter(|name| *name == UNNAMED_COUNTER) {
            "NAME".clone_into(counter);
        }
        let bundle = self.start.folder.join(format!("{name}.ireeprof"));
        let settings = &self.start.settings;
        let every = self.start.flush_interval_ms();
        command_line(&planned, &bundle, &settings.filters, every, &self.start.tool.spelling)
    }
}

/// Describes the fallbacks that answer a question if modes of the best way that may be available are refused.
fn otherwise(question: &Question, known: &Known) -> String {
    let may = |way: &&Way| way.needs.iter().all(|mode| !known.refused.contains_key(mode));
    let mut ways = question.ways.iter().filter(may);
    let Some(best) = ways.next() else { return String::new() };
    ways.map(|way| {
        let lost: Vec<&str> =
            best.needs.iter().copied().filter(|mode| !way.needs.contains(mode)).collect();
        let clock = match way.clock {
            Clock::Host => ", on the host's clock",
            Clock::Device | Clock::None => "",
        };
        let (name, lost, needs) = (question.name, lost.join(" or "), way.needs.join(" and "));
        format!("If {lost} is refused, {name} is answered by {needs}{clock}.\n")
    })
    .collect()
}

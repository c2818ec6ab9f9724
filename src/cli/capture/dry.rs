//! `--dry-run`: prints the plan, and the fallbacks if the device refuses a part of it.

use std::path::{Path, PathBuf};

use super::args::Running;
use super::order::{Order, is_no_tool};
use crate::bundle::set::{self, Manifest};
use crate::capture::plan::{Known, Planned, UNNAMED_COUNTER, plan};
use crate::capture::{Spelling, Tool, command_line, passes, recording, replayed, replayer};
use crate::cli::error::CliError;
use crate::cli::output;
use schemas::questions::{Clock, Question};

/// The text of the plan under construction.
struct Dry<'a> {
    order: &'a Order,
    spelling: Spelling,
    tool: String,
    arguments: Vec<String>,
    manifest: Manifest,
    text: String,
}

/// Prints the plan.
pub fn print(order: &Order, running: &Running) -> Result<(), CliError> {
    let (tool, spelling) = match Tool::find(&order.tool, running.iree_bin_dir.as_deref()) {
        Ok(tool) => (tool.facts.path.to_string_lossy().into_owned(), tool.spelling),
        Err(error) if is_no_tool(&error) => {
            eprintln!("ireescope: warning: {error}");
            (order.tool.clone(), Spelling::NEWEST)
        }
        Err(error) => return Err(error.into()),
    };
    let is_there = set::is_one(&order.folder);
    let manifest = if is_there { Manifest::read(&order.folder)? } else { Manifest::default() };
    let arguments = Vec::new();
    let mut dry = Dry { order, spelling, tool, arguments, manifest, text: String::new() };
    dry.passes();
    dry.planned();
    if dry.text.is_empty() {
        dry.text.push_str("There is nothing left to capture.\n");
    }
    for question in &order.wanted.questions {
        dry.text.push_str(&otherwise(question));
    }
    output::print(&dry.text)
}

impl Dry<'_> {
    /// Reserves the name of the next run.
    fn next(&mut self) -> String {
        let name = self.manifest.free_name(&self.order.folder);
        self.manifest.runs.push(set::Run::named(name.clone()));
        name
    }

    /// Returns a command line, quoted for a shell.
    fn line(&self, flags: &[String]) -> String {
        let words = std::iter::once(&self.tool).chain(&self.arguments).chain(flags);
        set::shell_words(words.map(String::as_str))
    }

    fn pass(&mut self, what: &str, flags: &[String]) -> String {
        let name = self.next();
        let line = self.line(flags);
        self.text.push_str(&format!("{name}: {what}\n  {line}\n"));
        name
    }

    /// Adds the runs that record no profile: device statistics, external capture, and recording for a replay.
    fn passes(&mut self) {
        let settings = &self.order.settings;
        let passes = passes(&self.order.arguments, settings.statistics);
        self.arguments = passes.arguments;
        if !passes.statistics.is_empty() {
            self.pass("device statistics", &passes.statistics);
        }
        if !passes.external.is_empty() {
            self.pass("an external capture", &passes.external);
        }
        if settings.replay {
            let name = self.manifest.free_name(&self.order.folder);
            let replay: PathBuf = self.order.folder.join(format!("{name}.ireereplay"));
            self.pass("a recording for replays", &[recording(&replay)]);
            self.tool = replayer(Path::new(&self.tool));
            self.arguments = replayed(&self.arguments, &replay);
        }
    }

    /// Adds the runs that record profiles.
    fn planned(&mut self) {
        let known = Known { before: self.order.known.captured.len(), ..self.order.known.clone() };
        let times = self.order.settings.repeat.max(1);
        for planned in plan(&self.order.wanted, &known) {
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
        let bundle = self.order.folder.join(format!("{name}.ireeprof"));
        let settings = &self.order.settings;
        let every = settings.flush_interval_ms;
        command_line(&planned, &bundle, &settings.filters, every, &self.spelling)
    }
}

/// Describes the fallbacks that answer a question if modes of the best way are refused.
fn otherwise(question: &Question) -> String {
    let Some((best, others)) = question.ways.split_first() else { return String::new() };
    others
        .iter()
        .map(|way| {
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

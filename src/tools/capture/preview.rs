//! The runs that a capture would do, without doing them.

use std::path::{Path, PathBuf};

use read::bundle::set::{self, Manifest};
use schemas::questions::{Question, Way};

use super::passing::{passes, recording, replayed, replayer};
use super::plan::{Known, Planned, UNNAMED_COUNTER, plan};
use super::start::Start;
use super::tool::command_line;
use crate::capture::error::CaptureError;

/// A run that a capture would do, unless the device refuses a part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreviewedRun {
    pub name: String,
    /// The name of its last repetition; `None` if it is done once.
    pub last: Option<String>,
    /// The modes that it records, or what it does instead.
    pub what: String,
    /// The questions that it answers.
    pub questions: Vec<&'static str>,
    /// The tool and its arguments.
    pub command: Vec<String>,
    /// Whether no counter is known, so that a first run asks the driver for its list.
    pub lists_counters: bool,
}

/// Another way of answering a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fallback {
    /// The modes of the best way that it does without.
    pub without: Vec<&'static str>,
    pub way: &'static Way,
}

/// Returns the runs that a capture would do.
pub fn preview(start: &Start) -> Result<Vec<PreviewedRun>, CaptureError> {
    let is_there = set::is_one(&start.folder);
    let manifest = if is_there { Manifest::read(&start.folder)? } else { Manifest::default() };
    let tool = start.tool.facts.path.to_string_lossy().into_owned();
    let mut preview = Preview { start, tool, arguments: Vec::new(), manifest, runs: Vec::new() };
    preview.passes();
    preview.planned();
    Ok(preview.runs)
}

/// A preview under construction.
struct Preview<'a> {
    start: &'a Start,
    tool: String,
    arguments: Vec<String>,
    manifest: Manifest,
    runs: Vec<PreviewedRun>,
}

impl Preview<'_> {
    /// Reserves the name of the next run.
    fn next(&mut self) -> String {
        let name = self.manifest.free_name(&self.start.folder);
        self.manifest.runs.push(set::Run::named(name.clone()));
        name
    }

    /// Returns the tool and its arguments.
    fn command(&self, flags: Vec<String>) -> Vec<String> {
        std::iter::once(&self.tool).chain(&self.arguments).cloned().chain(flags).collect()
    }

    fn pass(&mut self, what: &str, flags: Vec<String>) {
        let run = PreviewedRun {
            name: self.next(),
            last: None,
            what: what.to_owned(),
            questions: Vec::new(),
            command: self.command(flags),
            lists_counters: false,
        };
        self.runs.push(run);
    }

    /// Adds the runs that record no profile: device statistics, external capture, and recording for a replay.
    fn passes(&mut self) {
        let settings = &self.start.settings;
        let passes = passes(&self.start.arguments, settings.statistics);
        self.arguments = passes.arguments;
        if !passes.statistics.is_empty() {
            self.pass("device statistics", passes.statistics);
        }
        if !passes.external.is_empty() {
            self.pass("an external capture", passes.external);
        }
        if settings.replay {
            let name = self.manifest.free_name(&self.start.folder);
            let replay: PathBuf = self.start.folder.join(format!("{name}.ireereplay"));
            self.pass("a recording for replays", vec![recording(&replay)]);
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
            let run = PreviewedRun {
                last,
                what: planned.modes.join(", "),
                questions: planned.questions.clone(),
                lists_counters: planned.counters.iter().any(|name| name == UNNAMED_COUNTER),
                command: self.command(self.flags(planned, &name)),
                name,
            };
            self.runs.push(run);
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

/// Returns the fallbacks that answer a question if modes of the best way that may be available are refused.
pub fn fallbacks(question: &Question, known: &Known) -> Vec<Fallback> {
    let may = |way: &&'static Way| way.needs.iter().all(|mode| !known.refused.contains_key(mode));
    let mut ways = question.ways.iter().filter(may);
    let Some(best) = ways.next() else { return Vec::new() };
    let fallback = |way: &'static Way| {
        let without = best.needs.iter().copied().filter(|mode| !way.needs.contains(mode));
        Fallback { without: without.collect(), way }
    };
    ways.map(fallback).collect()
}

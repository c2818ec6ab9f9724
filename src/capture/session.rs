//! The loop: plan, run, learn, plan again, until nothing is left that can be had.

use std::path::{Path, PathBuf};

use super::attempt::{Attempt, Attempted};
use super::learn::Pending;
use super::plan::{Held, Known, Planned, UNNAMED_COUNTER, Wanted, plan};
use super::{CaptureError, Event, Settings, Stop, Tool, look};
use crate::bundle::set::{self, MANIFEST, Manifest, Outcome, Process, Run};

/// The name of what is only tried.
pub const PROBE: &str = "probe";

/// Where a capture starts from.
#[derive(Debug)]
pub struct Start {
    pub wanted: Wanted,
    pub tool: Tool,
    /// What the user gives the tool.
    pub arguments: Vec<String>,
    /// Where the tool runs.
    pub directory: PathBuf,
    /// The capture set, which may be there.
    pub folder: PathBuf,
    pub settings: Settings,
    /// What the set holds need not be captured again.
    pub is_filling: bool,
    /// A bundle that was captured elsewhere and is to be of the set.
    pub given: Option<PathBuf>,
    /// What is known of the device already.
    pub known: Known,
}

/// What came of it.
#[derive(Debug)]
pub struct Report {
    pub known: Known,
    /// Runs that were done now.
    pub runs: Vec<Run>,
    /// Why it ended early.
    pub failure: Option<CaptureError>,
    /// Somebody asked to stop.
    pub is_interrupted: bool,
    /// The set as it now is.
    pub manifest: Manifest,
}

impl Report {
    /// The bundle of a run.
    pub fn path(&self, folder: &Path, run: &str) -> PathBuf {
        let found = self.manifest.runs.iter().find(|known| known.name == run);
        found.and_then(|run| run.bundle.as_ref()).map_or_else(PathBuf::new, |it| folder.join(it))
    }
}

/// A capture under way.
pub struct Session<'a> {
    pub start: Start,
    pub known: Known,
    pub manifest: Manifest,
    pub runs: Vec<Run>,
    /// Refusals that no run has taken up yet.
    pub pending: Option<Pending>,
    /// Parts of a run of which something was refused, to find out what.
    pub suspects: Vec<Planned>,
    done: Vec<Planned>,
    pub stop: &'a Stop,
    pub tell: &'a mut dyn FnMut(&Event<'_>),
}

/// Captures what is wanted into a set.
pub fn capture(
    mut start: Start,
    stop: &Stop,
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<Report, CaptureError> {
    start.folder = absolute(&start.folder);
    let manifest = open(&start.folder)?;
    let mut session = Session {
        known: Known {
            captured: if start.is_filling { held(&manifest) } else { Vec::new() },
            ..start.known.clone()
        },
        manifest,
        start,
        runs: Vec::new(),
        pending: None,
        suspects: Vec::new(),
        done: Vec::new(),
        stop,
        tell,
    };
    session.take_given()?;
    let failure = session.work().err();
    session.flush_pending()?;
    let Session { known, runs, manifest, .. } = session;
    Ok(Report { known, runs, failure, is_interrupted: stop.is_asked(), manifest })
}

impl Session<'_> {
    fn work(&mut self) -> Result<(), CaptureError> {
        let failure = self.pass_through()?;
        if self.start.settings.replay {
            self.record_replay()?;
        }
        for mode in schemas::questions::MODES {
            if let Some(reason) = self.start.tool.lacks(mode.name) {
                self.known.refused.insert(mode.name, reason);
            }
        }
        while !self.stop.is_asked() {
            if let Some(suspect) = self.suspects.pop() {
                self.probe(&suspect)?;
            } else if let Some(next) = self.next() {
                self.step(&next)?;
            } else {
                break;
            }
        }
        failure.map_or(Ok(()), Err)
    }

    /// What to run now; nothing where it was done before and would be the same again.
    fn next(&self) -> Option<Planned> {
        let planned = plan(&self.start.wanted, &self.known);
        planned.into_iter().find(|planned| !self.done.contains(planned))
    }

    /// One attempt, and its repetitions where it went well.
    fn step(&mut self, planned: &Planned) -> Result<(), CaptureError> {
        self.settle_pending(planned)?;
        let times = self.start.settings.repeat.max(1);
        for _ in 0..times {
            let name = self.manifest.free_name(&self.start.folder);
            let attempted = self.attempt(planned, &name)?;
            if let Some(refusal) = attempted.refusal.clone() {
                self.learn(planned, &name, refusal, attempted.process);
                return Ok(());
            }
            self.done.push(planned.clone());
            let outcome = attempted.outcome;
            self.keep(planned, &name, attempted)?;
            if outcome != Outcome::Captured || self.stop.is_asked() {
                break;
            }
        }
        Ok(())
    }

    /// Tries a part of a run of which something was refused, to find out what; nothing of it is kept.
    fn probe(&mut self, planned: &Planned) -> Result<(), CaptureError> {
        let attempted = self.attempt(planned, PROBE)?;
        for end in ["ireeprof", "stdout.txt", "stderr.txt"] {
            // What is left lying disturbs nobody.
            let _ = std::fs::remove_file(self.start.folder.join(format!("{PROBE}.{end}")));
        }
        if let Some(refusal) = attempted.refusal {
            self.learn(planned, PROBE, refusal, attempted.process);
            return Ok(());
        }
        self.known.accepted.extend(&planned.modes);
        attempted.failure.map_or(Ok(()), Err)
    }

    fn attempt(&mut self, planned: &Planned, name: &str) -> Result<Attempted, CaptureError> {
        let attempt = Attempt::profiling(&self.start, planned, name);
        attempt.run(self.start.settings.time_limit, self.stop, self.tell)
    }

    /// Takes a run into the set, and what is to be learnt from it.
    fn keep(
        &mut self,
        planned: &Planned,
        name: &str,
        attempted: Attempted,
    ) -> Result<(), CaptureError> {
        let nothing = self.nothing_recorded(&attempted);
        let got = attempted.got.clone();
        let counters: Vec<String> =
            planned.counters.iter().filter(|name| *name != UNNAMED_COUNTER).cloned().collect();
        if !got.is_empty() {
            let (name, modes) = (name.to_owned(), got.clone());
            self.known.captured.push(Held { name, modes, counters: planned.counters.clone() });
        }
        let mut refused = Vec::new();
        for mode in planned.modes.iter().filter(|mode| !got.contains(mode)) {
            if attempted.failure.is_none()
                && !self.known.captured.iter().any(|it| it.modes.contains(mode))
            {
                self.known.refused.entry(mode).or_insert_with(|| nothing.clone());
            }
            refused.push(set::Refused {
                mode: (*mode).to_owned(),
                counter: None,
                reason: nothing.clone(),
            });
        }
        let pending = self.pending.take();
        let asked = pending.as_ref().map_or(&planned.modes, |pending| &pending.asked);
        let run = Run {
            name: name.to_owned(),
            outcome: attempted.outcome,
            bundle: (!got.is_empty()).then(|| format!("{name}.ireeprof")),
            questions: planned.questions.iter().map(|name| (*name).to_owned()).collect(),
            asked: asked.iter().map(|mode| (*mode).to_owned()).collect(),
            got: got.iter().map(|mode| (*mode).to_owned()).collect(),
            refused: pending.into_iter().flat_map(|it| it.refused).chain(refused).collect(),
            counters,
            process: Some(attempted.process),
        };
        self.put(run)?;
        attempted.failure.map_or(Ok(()), Err)
    }

    /// Why a mode that nobody refused has no records.
    fn nothing_recorded(&self, attempted: &Attempted) -> String {
        match attempted.outcome {
            Outcome::TimeLimit | Outcome::Interrupted | Outcome::Failed => {
                "the run was cut before anything of it was written; --flush-interval-ms writes while the tool runs"
            }
            _ if !self.start.settings.filters.is_empty() => {
                "it was accepted, but nothing was recorded; perhaps the filters leave nothing"
            }
            _ => "it was accepted, but nothing was recorded",
        }
        .to_owned()
    }

    /// Adds a run to the set; the manifest tells of it from now on.
    pub fn put(&mut self, run: Run) -> Result<(), CaptureError> {
        self.manifest.runs.push(run.clone());
        self.runs.push(run);
        let folder = &self.start.folder;
        self.manifest.write(folder).map_err(|source| CaptureError::File {
            action: "write",
            path: folder.join(MANIFEST),
            source,
        })
    }

    /// A run without a bundle.
    pub fn without_bundle(name: String, outcome: Outcome, process: Option<Process>) -> Run {
        Run { outcome, process, ..Run::named(name) }
    }

    /// Makes a bundle from elsewhere part of the set.
    fn take_given(&mut self) -> Result<(), CaptureError> {
        let Some(path) = self.start.given.take().map(|path| absolute(&path)) else { return Ok(()) };
        let bundle = Some(relative(&path, &self.start.folder));
        if self.manifest.runs.iter().any(|run| run.bundle == bundle) {
            return Ok(());
        }
        let mut held = held_by(&path);
        if self.manifest.runs.iter().any(|run| run.name == held.name) {
            held.name = self.manifest.free_name(&self.start.folder);
        }
        let name = held.name.clone();
        let got = held.modes.iter().map(|mode| (*mode).to_owned()).collect();
        self.known.captured.push(held);
        let run = Self::without_bundle(name, Outcome::Given, None);
        self.put(Run { bundle, got, ..run })
    }
}

/// What the bundles of a set hold.
pub fn held(manifest: &Manifest) -> Vec<Held> {
    let known = |name: &String| schemas::questions::mode(name).map(|mode| mode.name);
    let runs = manifest.runs.iter().filter(|run| run.bundle.is_some());
    runs.map(|run| Held {
        name: run.name.clone(),
        modes: run.got.iter().filter_map(known).collect(),
        counters: run.counters.clone(),
    })
    .collect()
}

/// What a bundle holds that no set tells of.
pub fn held_by(path: &Path) -> Held {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let name = name.strip_suffix(".ireeprof").unwrap_or(name).to_owned();
    Held { name, modes: look::modes_of_file(path, &[]), counters: Vec::new() }
}

/// The manifest of a set that is there, or a folder for a new one.
fn open(folder: &Path) -> Result<Manifest, CaptureError> {
    if set::is_one(folder) {
        return Ok(Manifest::read(folder)?);
    }
    let failed =
        |action| move |source| CaptureError::File { action, path: folder.to_owned(), source };
    std::fs::create_dir_all(folder).map_err(failed("make"))?;
    let mut entries = std::fs::read_dir(folder).map_err(failed("read"))?;
    if entries.next().is_some() {
        return Err(CaptureError::NotASet(folder.to_owned()));
    }
    Ok(Manifest::default())
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// A path as it is reached from a folder: beside it or in it, or else as it is.
fn relative(path: &Path, folder: &Path) -> String {
    let inside = path.strip_prefix(folder).map(Path::to_owned);
    let beside = || folder.parent().and_then(|parent| path.strip_prefix(parent).ok());
    let found = inside.ok().or_else(|| beside().map(|path| Path::new("..").join(path)));
    found.unwrap_or_else(|| path.to_owned()).to_string_lossy().into_owned()
}

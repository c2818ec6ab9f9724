//! The capture loop: plans, does one run, learns from it and plans again, until no run is left to do.

use std::path::{Path, PathBuf};

use read::bundle::set::{Manifest, Outcome, Process, Refused, Run, Why};

use super::attempt::{Attempt, Attempted};
use super::folder::{self, PROBE, absolute};
use super::plan::{Contents, Known, Planned, UNNAMED_COUNTER, plan};
use super::refusal::{Refusal, What};
use super::{benchmark, look, rings};
use crate::capture::error::CaptureError;
use crate::capture::event::Event;
use crate::capture::start::Start;
use crate::capture::stop::Stop;

/// Refusals that are not in the manifest yet. They are recorded with the run that is done in place of the refused one.
#[derive(Debug)]
pub struct Pending {
    pub asked: Vec<&'static str>,
    pub refused: Vec<Refused>,
    pub questions: Vec<&'static str>,
    pub name: String,
    pub process: Process,
}

/// The result of a capture.
#[derive(Debug)]
pub struct Report {
    pub known: Known,
    /// The runs of this capture.
    pub runs: Vec<Run>,
    /// Why the capture ended early, or why a run without a profile failed.
    pub failure: Option<CaptureError>,
    /// Whether a stop was requested.
    pub is_interrupted: bool,
    /// Whether the folder was removed again, because this capture made it and recorded nothing.
    pub is_removed: bool,
    /// The manifest after the capture.
    pub manifest: Manifest,
}

impl Report {
    /// Whether any run of this capture did what it was for.
    pub fn has_recorded(&self) -> bool {
        let did = |run: &Run| run.bundle.is_some() || run.outcome == Outcome::Passed;
        self.runs.iter().any(|run| run.process.is_some() && did(run))
    }

    /// Returns the path of a run's bundle; empty if it has none.
    pub fn path(&self, folder: &Path, run: &str) -> PathBuf {
        let found = self.manifest.runs.iter().find(|known| known.name == run);
        found.and_then(|run| run.bundle.as_ref()).map_or_else(PathBuf::new, |it| folder.join(it))
    }
}

/// The state of a running capture.
pub struct Session<'a> {
    pub start: Start,
    pub known: Known,
    pub manifest: Manifest,
    pub runs: Vec<Run>,
    /// Refusals that are not in the manifest yet.
    pub pending: Option<Pending>,
    /// A stack of parts of refused runs, to be probed for the refused modes.
    pub(crate) suspects: Vec<Planned>,
    /// Plans whose run is done, so that none is repeated without end.
    done: Vec<Planned>,
    /// Whether the tool works without a profile; `None` until that is in doubt.
    works: Option<bool>,
    /// Whether the interval of flushes was chosen because a ring was full.
    has_flushed: bool,
    pub stop: &'a Stop,
    pub tell: &'a mut dyn FnMut(&Event<'_>),
}

/// Runs a capture into the open folder that `start` names, whose manifest is this.
pub(crate) fn capture_into(
    manifest: &Manifest,
    mut start: Start,
    stop: &Stop,
    tell: &mut dyn FnMut(&Event<'_>),
) -> Result<Report, CaptureError> {
    let mut session = Session {
        known: std::mem::take(&mut start.known),
        manifest: manifest.clone(),
        start,
        runs: Vec::new(),
        pending: None,
        suspects: Vec::new(),
        done: Vec::new(),
        works: None,
        has_flushed: false,
        stop,
        tell,
    };
    let failure = session.work().err();
    session.flush_pending()?;
    let Session { known, runs, manifest, .. } = session;
    let is_interrupted = stop.is_asked();
    Ok(Report { known, runs, failure, is_interrupted, is_removed: false, manifest })
}

impl Session<'_> {
    /// Adds the given bundle, does the runs without a profile, then probes and plans until nothing is left to do or a
    /// stop is requested.
    fn work(&mut self) -> Result<(), CaptureError> {
        self.take_given()?;
        self.known.before = self.known.captured.len();
        let failure = self.pass_through()?;
        if self.start.settings.replay && !self.stop.is_asked() {
            self.record_replay()?;
        }
        for mode in schemas::questions::MODES {
            if let Some(reason) = self.start.tool.lacks(mode.name) {
                self.known.refused.entry(mode.name).or_insert(reason);
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

    /// Returns the next planned run that was not done before, or `None`.
    fn next(&self) -> Option<Planned> {
        let planned = plan(&self.start.wanted, &self.known);
        planned.into_iter().find(|planned| !self.done.contains(planned))
    }

    /// Does a planned run, and its repetitions as long as they record something. Stops at a refusal and learns from it.
    fn step(&mut self, planned: &Planned) -> Result<(), CaptureError> {
        self.settle_pending(planned)?;
        for _ in 0..self.start.settings.repeat.max(1) {
            let name = self.manifest.free_name(&self.start.folder);
            let mut attempted = self.attempt(planned, &name)?;
            if let Some(refusal) = self.refusal(&mut attempted)? {
                if refusal.what != What::FullRing {
                    self.withdraw(&name)?;
                    self.learn(planned, &name, refusal, attempted.process);
                    return Ok(());
                }
                // If it cannot be flushed earlier, the run has failed.
                if self.flush_earlier(&name, &refusal.reason) {
                    return self.withdraw(&name);
                }
            }
            self.done.push(planned.clone());
            let goes_on = !attempted.got.is_empty() && !self.stop.is_asked();
            self.keep(planned, &name, attempted)?;
            if !goes_on {
                break;
            }
        }
        Ok(())
    }

    /// Lets the tool flush more often after a ring of the driver was full. Returns false if the user chose how often, or it
    /// cannot be more often.
    fn flush_earlier(&mut self, name: &str, reason: &str) -> bool {
        let is_chosen = self.start.settings.flush_interval_ms.is_some() && !self.has_flushed;
        let shorter = rings::shorter_ms(self.start.flush_interval_ms());
        let Some(every_ms) = shorter.filter(|_| !is_chosen) else { return false };
        self.start.settings.flush_interval_ms = Some(every_ms);
        self.has_flushed = true;
        (self.tell)(&Event::Flushes { name, every_ms, reason });
        true
    }

    /// Runs a part of a refused run to find the refused modes. Its files are deleted.
    fn probe(&mut self, planned: &Planned) -> Result<(), CaptureError> {
        // A link of this name would lead the output out of the folder.
        self.forget_probe();
        let mut attempted = self.attempt(planned, PROBE)?;
        self.forget_probe();
        if let Some(refusal) = self.refusal(&mut attempted)? {
            if refusal.what != What::FullRing {
                self.learn(planned, PROBE, refusal, attempted.process);
                return Ok(());
            }
            if self.flush_earlier(PROBE, &refusal.reason) {
                self.suspects.push(planned.clone());
                return Ok(());
            }
        }
        self.known.accepted.extend(&planned.modes);
        attempted.failure.map_or(Ok(()), Err)
    }

    /// Deletes the files of a probe. Errors are ignored, because leftover files do no harm.
    fn forget_probe(&self) {
        for end in ["ireeprof", "stdout.txt", "stderr.txt", benchmark::FILE] {
            let file = format!("{}.{end}", folder::files_of(PROBE));
            let _ = std::fs::remove_file(self.start.folder.join(file));
        }
    }

    /// Returns the refusal of an attempt. An uncertain one counts only if the tool works without a profile.
    fn refusal(&mut self, attempted: &mut Attempted) -> Result<Option<Refusal>, CaptureError> {
        let Some(refusal) = attempted.refusal.take() else { return Ok(None) };
        let is_one = refusal.is_certain || self.works()?;
        Ok(Some(refusal).filter(|_| is_one))
    }

    /// Whether the tool works without a profile. Runs it on the first call and keeps the answer.
    fn works(&mut self) -> Result<bool, CaptureError> {
        if let Some(works) = self.works {
            return Ok(works);
        }
        self.forget_probe();
        let attempt = Attempt::passing(&self.start, &[], PROBE, "a test without a profile");
        let attempted = attempt.run(attempt.process(), self.stop, self.tell)?;
        self.forget_probe();
        let works = attempted.outcome != Outcome::Failed;
        self.works = Some(works);
        Ok(works)
    }

    /// Does a planned run. The manifest lists it from its start on, except for probes.
    fn attempt(&mut self, planned: &Planned, name: &str) -> Result<Attempted, CaptureError> {
        let attempt = Attempt::profiling(&self.start, planned, name);
        let process = attempt.process();
        let is_listed = name != PROBE;
        if is_listed {
            let run = Run {
                outcome: Outcome::Running,
                bundle: Some(format!("{name}.ireeprof")),
                questions: words(&planned.questions),
                asked: words(&planned.modes),
                counters: named(&planned.counters),
                side: self.start.side.clone(),
                process: Some(process.clone()),
                ..Run::named(name.to_owned())
            };
            folder::begin(run, &mut self.manifest, &self.start.folder)?;
        }
        let attempted = attempt.run(process, self.stop, self.tell);
        if is_listed && attempted.is_err() {
            self.withdraw(name)?;
        }
        attempted
    }

    /// Adds a finished run to the set, and modes without records to [`Self::known`]. Returns the failure of the tool as
    /// an error.
    fn keep(
        &mut self,
        planned: &Planned,
        name: &str,
        attempted: Attempted,
    ) -> Result<(), CaptureError> {
        let (why, nothing) = self.nothing_recorded(&attempted);
        let nothing = self.start.settings.options.spell(nothing);
        let got = &attempted.got;
        let mut missing = Vec::new();
        for mode in planned.modes.iter().filter(|mode| !got.contains(mode)) {
            let is_held = self.known.holds(mode);
            if !is_held && why == Why::Nothing {
                self.known.refused.entry(mode).or_insert_with(|| nothing.clone());
            } else if !is_held {
                self.known.cut.insert(mode, nothing.clone());
            }
            missing.push(refused(mode, why, &nothing));
        }
        let pending = self.pending.take();
        let asked = pending.as_ref().map_or(&planned.modes, |pending| &pending.asked);
        let run = Run {
            name: name.to_owned(),
            outcome: attempted.outcome,
            bundle: (!got.is_empty()).then(|| format!("{name}.ireeprof")),
            questions: words(&planned.questions),
            asked: words(asked),
            got: words(got),
            refused: pending.into_iter().flat_map(|it| it.refused).chain(missing).collect(),
            counters: named(&planned.counters),
            filters_refused: self.known.filters_refused.clone(),
            part: attempted.part,
            side: self.start.side.clone(),
            process: Some(attempted.process),
        };
        if run.bundle.is_some() {
            self.known.captured.push(Contents::of(&run));
        }
        self.put(run)?;
        attempted.failure.map_or(Ok(()), Err)
    }

    /// Returns why a mode that was not refused has no records.
    fn nothing_recorded(&self, attempted: &Attempted) -> (Why, &'static str) {
        match attempted.outcome {
            Outcome::Failed => (Why::Cut, "the tool failed before it wrote any of these records"),
            Outcome::TimeLimit => (
                Why::Cut,
                "the time limit stopped the run before it wrote any of these records; option `flush_interval_ms` writes while the tool runs",
            ),
            Outcome::Interrupted => (
                Why::Cut,
                "the run was interrupted before it wrote any of these records; option `flush_interval_ms` writes while the tool runs",
            ),
            _ if !self.start.settings.filters.is_empty() => (
                Why::Filtered,
                "it was accepted, but nothing was recorded; the filters may have excluded everything",
            ),
            _ => (Why::Nothing, "it was accepted, but nothing was recorded"),
        }
    }

    /// Adds a finished run to the manifest, or replaces its entry, and writes the manifest.
    pub fn put(&mut self, run: Run) -> Result<(), CaptureError> {
        self.runs.push(run.clone());
        match self.manifest.runs.iter_mut().find(|known| known.name == run.name) {
            Some(known) => *known = run,
            None => self.manifest.runs.push(run),
        }
        folder::write(&self.manifest, &self.start.folder)
    }

    /// Removes a run from the manifest and writes the manifest.
    fn withdraw(&mut self, name: &str) -> Result<(), CaptureError> {
        self.manifest.runs.retain(|run| run.name != name);
        folder::write(&self.manifest, &self.start.folder)
    }

    /// Copies the given bundle, if any, into the set, unless the set holds it already.
    fn take_given(&mut self) -> Result<(), CaptureError> {
        let Some(path) = self.start.given.take().map(|path| absolute(&path)) else { return Ok(()) };
        if folder::has(&self.manifest, &self.start.folder, &path) {
            return Ok(());
        }
        let mut held = contents_of_bundle(&path);
        let is_of_probe = held.name == folder::files_of(PROBE);
        let own = std::iter::once(held.name).filter(|_| !is_of_probe);
        let free = self.manifest.first_free(&self.start.folder, own);
        held.name = free.unwrap_or_else(|| self.manifest.free_name(&self.start.folder));
        let bundle = Some(folder::take(&self.start.folder, &path, &held.name)?);
        let got = words(&held.modes);
        let run = Run { outcome: Outcome::Given, bundle, got, ..Run::named(held.name.clone()) };
        self.known.captured.push(held);
        self.put(run)
    }
}

/// Returns the counters without the placeholder [`UNNAMED_COUNTER`].
fn named(counters: &[String]) -> Vec<String> {
    counters.iter().filter(|name| *name != UNNAMED_COUNTER).cloned().collect()
}

pub fn words(names: &[&'static str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Builds the manifest entry of a mode that was not recorded.
pub fn refused(mode: &str, why: Why, reason: &str) -> Refused {
    Refused { mode: mode.to_owned(), counter: None, why, reason: reason.to_owned() }
}

impl Contents {
    /// Returns the contents of a run's bundle, according to the manifest.
    pub fn of(run: &Run) -> Self {
        let known = |name: &String| schemas::questions::mode(name).map(|mode| mode.name);
        Self {
            name: run.name.clone(),
            modes: run.got.iter().filter_map(known).collect(),
            counters: run.counters.clone(),
            flaws: run.flaws(),
        }
    }
}

/// Returns the contents of the bundles of a set that exist.
pub fn contents_of_set(manifest: &Manifest, folder: &Path) -> Vec<Contents> {
    let is_there =
        |run: &&Run| run.bundle.as_ref().is_some_and(|bundle| folder.join(bundle).exists());
    let held = |run: &Run| match &run.bundle {
        // The capture was killed during this run, so the bundle itself is read.
        Some(bundle) if run.outcome == Outcome::Running => {
            let asked: Vec<&str> = run.asked.iter().map(String::as_str).collect();
            Contents {
                modes: look::modes_of_file(&folder.join(bundle), &asked),
                ..Contents::of(run)
            }
        }
        _ => Contents::of(run),
    };
    manifest.runs.iter().filter(is_there).map(held).collect()
}

/// Returns the contents of a bundle that is in no set. Reads the bundle.
pub fn contents_of_bundle(path: &Path) -> Contents {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let name = name.strip_suffix(".ireeprof").unwrap_or(name).to_owned();
    Contents {
        name,
        modes: look::modes_of_file(path, &[]),
        counters: Vec::new(),
        flaws: Vec::new(),
    }
}

//! The loop: plan, run, learn, plan again, until nothing is left that can be had.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::attempt::{Attempt, Attempted};
use super::folder::{self, Folder, absolute};
use super::learn::Pending;
use super::plan::{Held, Known, Planned, UNNAMED_COUNTER, Wanted, plan};
use super::refusal::Refusal;
use super::{CaptureError, Event, Settings, Stop, Tool, look};
use crate::bundle::set::{self, Manifest, Outcome, Process, Run, Why};

/// The name of what is only tried.
pub const PROBE: &str = "probe";

/// Where a capture starts from.
#[derive(Debug)]
pub struct Start {
    pub wanted: Wanted,
    pub tool: Tool,
    /// What the user gives the tool.
    pub arguments: Vec<String>,
    /// Variables for the tool, beside those of this process.
    pub environment: BTreeMap<String, String>,
    /// Where the tool runs.
    pub directory: PathBuf,
    /// The capture set, which may be there.
    pub folder: PathBuf,
    pub settings: Settings,
    /// What is known before anything runs.
    pub known: Known,
    /// A bundle that was captured elsewhere and is to be of the set.
    pub given: Option<PathBuf>,
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
    /// Whether the tool works without a profile, once that was in doubt.
    works: Option<bool>,
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
    let mut set = folder::open(&start.folder)?;
    let mut session = Session {
        known: std::mem::take(&mut start.known),
        manifest: std::mem::take(&mut set.manifest),
        start,
        runs: Vec::new(),
        pending: None,
        suspects: Vec::new(),
        done: Vec::new(),
        works: None,
        stop,
        tell,
    };
    session.take_given()?;
    session.known.before = session.known.captured.len();
    let failure = session.work().err();
    session.flush_pending()?;
    let Session { known, runs, manifest, .. } = session;
    // Until here, nobody else writes into it.
    drop::<Folder>(set);
    Ok(Report { known, runs, failure, is_interrupted: stop.is_asked(), manifest })
}

impl Session<'_> {
    fn work(&mut self) -> Result<(), CaptureError> {
        let failure = self.pass_through()?;
        if self.start.settings.replay && !self.stop.is_asked() {
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

    /// One attempt, and its repetitions as long as they record something.
    fn step(&mut self, planned: &Planned) -> Result<(), CaptureError> {
        self.settle_pending(planned)?;
        let times = self.start.settings.repeat.max(1);
        for _ in 0..times {
            let name = self.manifest.free_name(&self.start.folder);
            let mut attempted = self.attempt(planned, &name)?;
            if let Some(refusal) = self.refusal(&mut attempted)? {
                self.withdraw(&name)?;
                self.learn(planned, &name, refusal, attempted.process);
                return Ok(());
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

    /// Tries a part of a run of which something was refused, to find out what; nothing of it is kept.
    fn probe(&mut self, planned: &Planned) -> Result<(), CaptureError> {
        let mut attempted = self.attempt(planned, PROBE)?;
        self.forget_probe();
        if let Some(refusal) = self.refusal(&mut attempted)? {
            self.learn(planned, PROBE, refusal, attempted.process);
            return Ok(());
        }
        self.known.accepted.extend(&planned.modes);
        attempted.failure.map_or(Ok(()), Err)
    }

    /// What is left lying disturbs nobody.
    fn forget_probe(&self) {
        for end in ["ireeprof", "stdout.txt", "stderr.txt"] {
            let _ = std::fs::remove_file(self.start.folder.join(format!("{PROBE}.{end}")));
        }
    }

    /// What was refused. A tool that fails without a profile, too, has refused nothing.
    fn refusal(&mut self, attempted: &mut Attempted) -> Result<Option<Refusal>, CaptureError> {
        let Some(refusal) = attempted.refusal.take() else { return Ok(None) };
        let is_one = refusal.is_certain || self.works()?;
        Ok(Some(refusal).filter(|_| is_one))
    }

    /// Whether the tool works without a profile; it is run once to know.
    fn works(&mut self) -> Result<bool, CaptureError> {
        if let Some(works) = self.works {
            return Ok(works);
        }
        let what = "the work without a profile, to see whether the tool fails by itself";
        let attempt = Attempt::passing(&self.start, &[], PROBE, what);
        let attempted = attempt.run(attempt.process(), self.stop, self.tell)?;
        self.forget_probe();
        let works = attempted.outcome != Outcome::Failed;
        self.works = Some(works);
        Ok(works)
    }

    /// Runs what is planned; the manifest tells of it from its beginning on.
    fn attempt(&mut self, planned: &Planned, name: &str) -> Result<Attempted, CaptureError> {
        let attempt = Attempt::profiling(&self.start, planned, name);
        let process = attempt.process();
        if name != PROBE {
            let run =
                Self::without_bundle(name.to_owned(), Outcome::Running, Some(process.clone()));
            self.begin(Run {
                bundle: Some(format!("{name}.ireeprof")),
                questions: words(&planned.questions),
                asked: words(&planned.modes),
                counters: named(&planned.counters),
                ..run
            })?;
        }
        let attempted = attempt.run(process, self.stop, self.tell);
        if attempted.is_err() {
            self.withdraw(name)?;
        }
        attempted
    }

    /// Takes a run into the set, and what is to be learnt from it.
    fn keep(
        &mut self,
        planned: &Planned,
        name: &str,
        attempted: Attempted,
    ) -> Result<(), CaptureError> {
        let (why, nothing) = self.nothing_recorded(&attempted);
        let got = &attempted.got;
        let mut refused = Vec::new();
        for mode in planned.modes.iter().filter(|mode| !got.contains(mode)) {
            let is_held = self.known.captured.iter().any(|it| it.modes.contains(mode));
            if !is_held && why == Why::Nothing {
                self.known.refused.entry(mode).or_insert_with(|| nothing.to_owned());
            } else if !is_held {
                self.known.cut.insert(mode, nothing.to_owned());
            }
            refused.push(set::Refused {
                mode: (*mode).to_owned(),
                counter: None,
                why,
                reason: nothing.to_owned(),
            });
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
            refused: pending.into_iter().flat_map(|it| it.refused).chain(refused).collect(),
            counters: named(&planned.counters),
            filters_refused: self.known.filters_refused.clone(),
            process: Some(attempted.process),
        };
        if run.bundle.is_some() {
            self.known.captured.push(Held::of(&run));
        }
        self.put(run)?;
        attempted.failure.map_or(Ok(()), Err)
    }

    /// Why a mode that nobody refused has no records.
    fn nothing_recorded(&self, attempted: &Attempted) -> (Why, &'static str) {
        match attempted.outcome {
            Outcome::Failed => (Why::Cut, "the tool failed before anything of it was written"),
            Outcome::TimeLimit | Outcome::Interrupted => (
                Why::Cut,
                "the run was cut before anything of it was written; --flush-interval-ms writes while the tool runs",
            ),
            _ if !self.start.settings.filters.is_empty() => (
                Why::Filtered,
                "it was accepted, but nothing was recorded; perhaps the filters leave nothing",
            ),
            _ => (Why::Nothing, "it was accepted, but nothing was recorded"),
        }
    }

    /// Adds a run that is done; the manifest tells of it from now on.
    pub fn put(&mut self, run: Run) -> Result<(), CaptureError> {
        self.runs.push(run.clone());
        match self.manifest.runs.iter_mut().find(|known| known.name == run.name) {
            Some(known) => *known = run,
            None => self.manifest.runs.push(run),
        }
        folder::write(&self.manifest, &self.start.folder)
    }

    /// Adds a run that begins, so that whatever ends this program leaves a set.
    pub fn begin(&mut self, run: Run) -> Result<(), CaptureError> {
        self.manifest.runs.push(run);
        folder::write(&self.manifest, &self.start.folder)
    }

    /// Takes a run back of which nothing is to be told under its name.
    fn withdraw(&mut self, name: &str) -> Result<(), CaptureError> {
        self.manifest.runs.retain(|run| run.name != name);
        folder::write(&self.manifest, &self.start.folder)
    }

    /// A run without a bundle.
    pub fn without_bundle(name: String, outcome: Outcome, process: Option<Process>) -> Run {
        Run { outcome, process, ..Run::named(name) }
    }

    /// Makes a bundle from elsewhere part of the set.
    fn take_given(&mut self) -> Result<(), CaptureError> {
        let Some(path) = self.start.given.take().map(|path| absolute(&path)) else { return Ok(()) };
        if folder::has(&self.manifest, &self.start.folder, &path) {
            return Ok(());
        }
        let mut held = held_by(&path);
        let file = self.start.folder.join(format!("{}.ireeprof", held.name));
        if file.exists() || self.manifest.runs.iter().any(|run| run.name == held.name) {
            held.name = self.manifest.free_name(&self.start.folder);
        }
        let bundle = Some(folder::take(&self.start.folder, &path, &held.name)?);
        let run = Self::without_bundle(held.name.clone(), Outcome::Given, None);
        let got = words(&held.modes);
        self.known.captured.push(held);
        self.put(Run { bundle, got, ..run })
    }
}

/// Counters that were asked for by name.
fn named(counters: &[String]) -> Vec<String> {
    counters.iter().filter(|name| *name != UNNAMED_COUNTER).cloned().collect()
}

fn words(names: &[&'static str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

impl Held {
    /// What a run of a set recorded.
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

/// What the bundles of a set hold that are there.
pub fn held(manifest: &Manifest, folder: &Path) -> Vec<Held> {
    let is_there =
        |run: &&Run| run.bundle.as_ref().is_some_and(|bundle| folder.join(bundle).exists());
    let held = |run: &Run| match &run.bundle {
        // Nobody was left to say what it recorded.
        Some(bundle) if run.outcome == Outcome::Running => {
            let asked: Vec<&str> = run.asked.iter().map(String::as_str).collect();
            Held { modes: look::modes_of_file(&folder.join(bundle), &asked), ..Held::of(run) }
        }
        _ => Held::of(run),
    };
    manifest.runs.iter().filter(is_there).map(held).collect()
}

/// What a bundle holds that no set tells of.
pub fn held_by(path: &Path) -> Held {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let name = name.strip_suffix(".ireeprof").unwrap_or(name).to_owned();
    Held { name, modes: look::modes_of_file(path, &[]), counters: Vec::new(), flaws: Vec::new() }
}

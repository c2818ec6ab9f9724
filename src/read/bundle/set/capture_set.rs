//! A capture set, and what its manifest says of a mode that a bundle lacks.

use std::path::{Path, PathBuf};

use super::flaw::Flaw;
use super::manifest::{Outcome, Process, Refused, Run, Why};

/// An open capture set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureSet {
    pub folder: PathBuf,
    /// The copy of the folder, if it is the address of a folder in a store.
    pub copy: Option<PathBuf>,
    /// The NAME that it was opened with.
    pub name: Option<String>,
    pub runs: Vec<Run>,
    /// Names of the runs whose bundle files are missing.
    pub lost: Vec<String>,
}

/// Why a bundle has no records of a mode, according to its capture set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Absence {
    /// The driver or the tool refused it, with this message.
    Refused(String),
    /// It was accepted, but nothing was recorded.
    Nothing(String),
    /// It was accepted, but nothing was recorded; the filters may have excluded everything.
    Filtered(String),
    /// The run ended early, before any of it was written.
    Cut(String),
    /// This other run of the set recorded it.
    Elsewhere(String),
    /// This run recorded it, but its bundle is missing.
    Lost(String),
    /// No run requested it.
    NotAsked,
}

/// Why the records of a mode in a bundle are incomplete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortfall {
    pub why: String,
    /// Whether the driver refused the missing counters, so that another run would not record them either.
    pub is_final: bool,
}

impl Absence {
    /// Returns a short name of the case.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Nothing(_) => "nothing",
            Self::Filtered(_) => "filtered",
            Self::Cut(_) => "cut",
            Self::Elsewhere(_) => "elsewhere",
            Self::Lost(_) => "lost",
            Self::NotAsked => "not_asked",
        }
    }

    /// Returns the message, or the name of the run; `None` for [`Absence::NotAsked`].
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Refused(said)
            | Self::Nothing(said)
            | Self::Filtered(said)
            | Self::Cut(said)
            | Self::Elsewhere(said)
            | Self::Lost(said) => Some(said),
            Self::NotAsked => None,
        }
    }

    fn of(refused: &Refused) -> Self {
        let reason = refused.reason.clone();
        match refused.why {
            Why::Refused => Self::Refused(reason),
            Why::Nothing => Self::Nothing(reason),
            Why::Filtered => Self::Filtered(reason),
            Why::Cut => Self::Cut(reason),
        }
    }
}

impl CaptureSet {
    /// Creates the set of a folder. Checks which bundle files are missing.
    pub fn of(folder: &Path, name: Option<&str>, runs: Vec<Run>) -> Self {
        let lost = lost(&runs, folder);
        Self { folder: folder.to_owned(), copy: None, name: name.map(str::to_owned), runs, lost }
    }

    /// Returns the process of the last run that requested a mode.
    pub fn last_process(&self) -> Option<&Process> {
        let mut profiled = self.runs.iter().rev().filter(|run| !run.asked.is_empty());
        profiled.find_map(|run| run.process.as_ref())
    }

    /// Returns why the set has no records: the reason of the last run that has one.
    pub fn why_nothing(&self) -> Option<String> {
        self.runs.iter().rev().find_map(|run| {
            let mut flaws = run.flaws().into_iter();
            let flaw = flaws.find(|it| matches!(it, Flaw::Failed(_) | Flaw::Cut(_)));
            let flaw = flaw.map(|flaw| flaw.why().to_owned());
            let refused = || run.refused.last().map(|it| format!("{}: {}", it.mode, it.reason));
            Some(format!("{}: {}", run.name, flaw.or_else(refused)?))
        })
    }

    /// Returns the runs on a device, except `own`.
    fn others<'a>(
        &'a self,
        own: Option<&'a Run>,
        device: Option<&'a str>,
    ) -> impl Iterator<Item = &'a Run> {
        let is_other = move |run: &&Run| own.is_none_or(|own| own.name != run.name);
        let is_same = move |run: &&Run| {
            run.process.as_ref().is_some_and(|process| process.device.as_deref() == device)
        };
        self.runs.iter().filter(is_other).filter(is_same)
    }

    /// Returns why the bundle of `own` has no records of a mode. The first of these that applies: a reason in `own`, a
    /// refusal in another run on the same device, a run that recorded it, a lost bundle with it, the last other reason
    /// in a run on the same device, a run that requested it and ended early.
    pub fn told(&self, own: Option<&Run>, device: Option<&str>, mode: &str) -> Absence {
        let said = |run: &Run| {
            let mut of_mode =
                run.refused.iter().filter(|said| said.mode == mode && said.counter.is_none());
            of_mode.next_back().map(Absence::of)
        };
        let is_refused = |told: &Absence| matches!(told, Absence::Refused(_));
        let mut holders = self.runs.iter().filter(|run| run.got.iter().any(|got| got == mode));
        let is_lost = |run: &&Run| self.lost.contains(&run.name);
        let is_own = |run: &&Run| own.is_some_and(|own| own.name == run.name);
        let elsewhere = holders.clone().find(|run| !is_lost(run) && !is_own(run));
        let lost = holders.find(is_lost);
        own.and_then(said)
            .or_else(|| self.others(own, device).filter_map(said).find(is_refused))
            .or_else(|| elsewhere.map(|run| Absence::Elsewhere(run.name.clone())))
            .or_else(|| lost.map(|run| Absence::Lost(run.name.clone())))
            .or_else(|| self.others(own, device).filter_map(said).last())
            .or_else(|| {
                let mut asked = own.into_iter().chain(self.others(own, device));
                let asked = asked.find(|run| run.asked.iter().any(|asked| asked == mode))?;
                let ended = if asked.outcome == Outcome::Refused { "was refused" } else { "ended" };
                let why = format!("{} {ended} before it wrote any of these records", asked.name);
                Some(Absence::Cut(why))
            })
            .unwrap_or(Absence::NotAsked)
    }

    /// Returns the counters that were requested on a device but are in no bundle; `None` if there are none.
    pub(crate) fn uncounted(&self, device: Option<&str>) -> Option<Shortfall> {
        let runs = || self.others(None, device);
        let is_counted = |name: &str| {
            runs().any(|run| {
                run.got.iter().any(|got| got.starts_with("counter"))
                    && !self.lost.contains(&run.name)
                    && run.counters.iter().any(|counted| counted == name)
            })
        };
        let refused = runs().flat_map(|run| &run.refused).filter_map(|refused| {
            let name = refused.counter.as_deref()?;
            Some((name, format!("{name} is not available: {}", refused.reason), true))
        });
        let lacking = runs().flat_map(|run| {
            let lacking = move |name: &String| {
                format!("{name} was requested in {} but not recorded", run.name)
            };
            run.counters.iter().map(move |name| (name.as_str(), lacking(name), false))
        });
        let mut said: Vec<(&str, String, bool)> = Vec::new();
        for (name, why, is_final) in refused.chain(lacking) {
            if !is_counted(name) && said.iter().all(|(known, ..)| *known != name) {
                said.push((name, why, is_final));
            }
        }
        let is_final = said.iter().all(|(.., is_final)| *is_final);
        let why: Vec<String> = said.into_iter().map(|(_, why, _)| why).collect();
        (!why.is_empty()).then(|| Shortfall { why: why.join(", "), is_final })
    }

    /// Returns the bundles with counter samples, for reports over all of them. A bundle that was cut is left out if a
    /// complete one has the same counters.
    pub fn counting(&self) -> Vec<PathBuf> {
        let counting = self.runs.iter().filter(|run| {
            run.got.iter().any(|got| got.starts_with("counter")) && !self.lost.contains(&run.name)
        });
        let counting: Vec<&Run> = counting.collect();
        let is_whole =
            |run: &Run| !run.flaws().iter().any(|it| matches!(it, Flaw::Failed(_) | Flaw::Cut(_)));
        let kept = counting.iter().filter(|run| {
            let again = |other: &&&Run| {
                is_whole(other) && run.counters.iter().all(|name| other.counters.contains(name))
            };
            is_whole(run) || !counting.iter().any(|other| again(&other))
        });
        kept.filter_map(|run| Some(self.folder.join(run.bundle.as_ref()?))).collect()
    }
}

/// Returns the names of the runs whose bundle files are missing.
fn lost(runs: &[Run], folder: &Path) -> Vec<String> {
    let is_lost = |run: &&Run| {
        let is_there = |bundle: &String| folder.join(bundle).exists();
        run.outcome != Outcome::Running && run.bundle.as_ref().is_some_and(|it| !is_there(it))
    };
    runs.iter().filter(is_lost).map(|run| run.name.clone()).collect()
}

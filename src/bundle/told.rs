//! What a capture set tells of its runs to whoever holds one of its bundles.

use std::path::PathBuf;

use super::Bundle;
use super::set::{Outcome, Process, Refused, Run, Why};

/// A capture set that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureSet {
    pub folder: PathBuf,
    pub runs: Vec<Run>,
}

/// What is told of a mode that a bundle does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Told {
    /// The driver or the tool refused it, in these words.
    Refused(String),
    /// It was accepted, and nothing was recorded.
    Nothing(String),
    /// The same, where a filter may have left all out.
    Filtered(String),
    /// The run was cut before anything of it was written.
    Cut(String),
    /// Another run of the set recorded it.
    Elsewhere(String),
    /// No run asked for it.
    NotAsked,
}

impl Told {
    /// A short name to decide by.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Nothing(_) => "nothing",
            Self::Filtered(_) => "filtered",
            Self::Cut(_) => "cut",
            Self::Elsewhere(_) => "elsewhere",
            Self::NotAsked => "not_asked",
        }
    }

    /// What was said, or which run it is.
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Refused(said) | Self::Nothing(said) | Self::Filtered(said) | Self::Cut(said) => {
                Some(said)
            }
            Self::Elsewhere(run) => Some(run),
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
    /// What ran last with a profile.
    pub fn last_process(&self) -> Option<&Process> {
        let mut profiled = self.runs.iter().rev().filter(|run| run.outcome != Outcome::Passed);
        profiled.find_map(|run| run.process.as_ref())
    }

    /// What ran to record the bundle, or last, where that is not known.
    pub fn process_of<'a>(&'a self, bundle: &'a Bundle) -> Option<&'a Process> {
        let own = bundle.runs.iter().find(|run| run.run.bundle.is_some());
        own.and_then(|own| own.run.process.as_ref()).or_else(|| self.last_process())
    }

    /// What was said of a mode, first by `own`, then by others of the same device.
    fn told(&self, own: Option<&Run>, device: Option<&str>, mode: &str) -> Told {
        let others = || {
            let is_other = |run: &&Run| own.is_none_or(|own| own.name != run.name);
            let is_same = |run: &&Run| {
                run.process.as_ref().is_some_and(|process| process.device.as_deref() == device)
            };
            self.runs.iter().filter(is_other).filter(is_same)
        };
        let said = |run: &Run| {
            let mut of_mode =
                run.refused.iter().filter(|said| said.mode == mode && said.counter.is_none());
            of_mode.next_back().map(Told::of)
        };
        let is_refused = |told: &Told| matches!(told, Told::Refused(_));
        let elsewhere = self.runs.iter().find(|run| {
            own.is_none_or(|own| own.name != run.name) && run.got.iter().any(|got| got == mode)
        });
        own.and_then(said)
            .or_else(|| others().filter_map(said).find(is_refused))
            .or_else(|| elsewhere.map(|run| Told::Elsewhere(run.name.clone())))
            .or_else(|| others().filter_map(said).last())
            .or_else(|| {
                let mut asked = own.into_iter().chain(others());
                let asked = asked.find(|run| run.asked.iter().any(|asked| asked == mode))?;
                Some(Told::Cut(format!("{} ended before anything of it was written", asked.name)))
            })
            .unwrap_or(Told::NotAsked)
    }

    /// Modes that a device is known not to give, and why.
    pub fn refused(
        &self,
        device: Option<&str>,
        modes: &[&'static str],
    ) -> Vec<(&'static str, String)> {
        let refused = |mode: &&'static str| match self.told(None, device, mode) {
            Told::Refused(reason) => Some((*mode, reason)),
            _ => None,
        };
        modes.iter().filter_map(refused).collect()
    }
}

impl Bundle {
    /// What its capture set tells of a mode; `None` where it is of none, or the set knows of no tool that ran.
    pub fn told(&self, mode: &str) -> Option<Told> {
        let set = self.set.as_ref()?;
        let device = set.process_of(self)?.device.as_deref();
        let own = self.runs.iter().map(|run| &run.run).find(|run| run.bundle.is_some());
        let told = set.told(own, device, mode);
        // Of a bundle that was captured elsewhere, nobody knows what was asked.
        let is_given = own.is_none_or(|own| own.process.is_none());
        Some(told).filter(|told| !is_given || *told != Told::NotAsked)
    }
}

//! What a capture achieved: how each question is answered, or why it is not.

use std::fmt;
use std::path::Path;

use base::different;
use read::bundle::set::{Flaw, Run};
use schemas::questions::{Question, Way};

use super::never::UNSUPPORTED;
use super::plan::{Contents, Known, Wanted};
use super::session::Report;

/// How captures answer a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Conclusion<'a> {
    /// They do.
    Answered {
        way: &'static Way,
        /// The bundles that answer.
        bundles: Vec<&'a Contents>,
        /// Why the answer is incomplete; empty if it is complete.
        flaws: Vec<&'a str>,
        /// A mode of a better way, and why it is not available.
        better: Option<(&'static str, &'a str)>,
    },
    /// They do not, for this reason.
    Unanswered(String),
}

/// Why a capture recorded nothing, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nothing {
    /// The reason of most modes.
    pub why: String,
    /// What became of the folder.
    pub outcome: String,
    /// The reasons of other modes.
    pub others: Vec<String>,
    /// Whether nothing was run, as the driver is known not to record what is wanted.
    pub is_unsupported: bool,
}

impl fmt::Display for Conclusion<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (way, bundles, flaws, better) = match self {
            Self::Answered { way, bundles, flaws, better } => (way, bundles, flaws, better),
            Self::Unanswered(reason) => return write!(out, "not answered: {reason}"),
        };
        let clock = match way.clock {
            Some(clock) => format!(", on the {clock}'s clock"),
            None => String::new(),
        };
        let runs: Vec<&str> = bundles.iter().map(|held| held.name.as_str()).collect();
        let (partly, needs) =
            (if flaws.is_empty() { "" } else { "partly " }, way.needs.join(" and "));
        write!(out, "{partly}answered by {needs} of {}{clock}", runs.join(", "))?;
        if !flaws.is_empty() {
            write!(out, "; {}", flaws.join(", "))?;
        }
        match better {
            Some((mode, reason)) => write!(out, "; {mode} is not available: {reason}"),
            None => Ok(()),
        }
    }
}

impl fmt::Display for Nothing {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}\n{}", self.why, self.outcome)?;
        self.others.iter().try_for_each(|other| write!(out, "\nalso: {other}"))
    }
}

impl Known {
    /// Says how a question is answered, or why it is not.
    pub fn conclude(&self, question: &Question) -> Conclusion<'_> {
        let Some((way, bundles)) = self.answer(question) else {
            return Conclusion::Unanswered(self.reasons(question));
        };
        let mut flaws: Vec<&str> =
            bundles.iter().flat_map(|held| held.flaws_for(way.needs)).map(Flaw::why).collect();
        flaws.dedup();
        let best = question.ways.first().filter(|best| *best != way);
        let better = best.and_then(|best| {
            best.needs.iter().copied().find(|mode| self.refused.contains_key(mode))
        });
        let better = better.map(|mode| (mode, self.reason(mode)));
        Conclusion::Answered { way, bundles, flaws, better }
    }

    /// Returns why a question is not answered.
    fn reasons(&self, question: &Question) -> String {
        let modes = question.ways.iter().flat_map(|way| way.needs);
        let modes =
            modes.filter(|mode| self.refused.contains_key(*mode) || self.cut.contains_key(*mode));
        let said = different(modes.map(|mode| format!("{mode}: {}", self.reason(mode))));
        let together = question.ways.first().and_then(|way| {
            let mut quarrels = self.quarrels.iter().rev();
            quarrels.find(|(modes, _)| way.needs.iter().all(|mode| modes.contains(mode)))
        });
        match together {
            Some((_, reason)) if said.is_empty() => format!("not in one run: {reason}"),
            _ if said.is_empty() => "nothing was recorded".to_owned(),
            _ => said.join("; "),
        }
    }

    /// Returns why a mode was not recorded.
    pub fn reason(&self, mode: &str) -> &str {
        let known = self.refused.get(mode).or_else(|| self.cut.get(mode));
        known.map_or("nothing was recorded", String::as_str)
    }

    /// Returns the names of the requested questions, modes and counters that were not recorded.
    pub fn missing(&self, wanted: &Wanted) -> Vec<String> {
        let questions = wanted.questions.iter().filter(|it| self.answer(it).is_none());
        let modes = wanted.modes.iter().filter(|mode| !self.holds(mode));
        let counters =
            wanted.counters.iter().filter(|name| self.refused_counters.contains_key(*name));
        let modes = modes.map(|mode| (*mode).to_owned());
        different(questions.map(|it| it.name.to_owned()).chain(modes).chain(counters.cloned()))
    }
}

impl Report {
    /// Whether its times are those of the first call of a function, which includes its warm-up.
    pub fn is_of_first_call(&self) -> bool {
        let is_one_call = |run: &Run| {
            let process = run.process.as_ref().filter(|_| run.bundle.is_some());
            process.is_some_and(|process| process.tool.name == "iree-run-module")
        };
        self.runs.iter().any(is_one_call)
    }

    /// Says why nothing was recorded.
    pub fn nothing(&self, wanted: &Wanted, folder: &Path) -> Nothing {
        let reasons = self.known.unavailable(wanted);
        let mut reasons =
            reasons.iter().map(|(why, modes)| format!("{why} ({})", modes.join(", ")));
        let why = if self.is_interrupted {
            "interrupted before anything was recorded".to_owned()
        } else {
            reasons.next().unwrap_or_else(|| "the tool recorded nothing".to_owned())
        };
        let folder = folder.display();
        let outcome = if self.runs.is_empty() {
            "nothing was run".to_owned()
        } else if self.is_removed {
            format!("nothing was recorded, so the folder {folder} was removed again")
        } else {
            format!("nothing was recorded; the output of the tool is in {folder}")
        };
        Nothing {
            is_unsupported: self.runs.is_empty() && why.starts_with(UNSUPPORTED),
            others: if self.is_interrupted { Vec::new() } else { reasons.collect() },
            why,
            outcome,
        }
    }
}

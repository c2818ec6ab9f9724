//! Which questions bundles answer, and which captures would answer the others.

use std::path::PathBuf;

use engine::Parameters;
use passes::fold::shortest_kept_ns;
use passes::rules::answering;
use schemas::questions::{Question, Verb, mode, question};
use serde::Deserialize;

use super::answers::{Workspace, structs};
use super::error::OpenError;

/// How a bundle or capture set answers a question.
#[derive(Debug, Clone)]
pub struct Gap {
    pub question: &'static Question,
    /// Whether the question is answered in full.
    pub is_closed: bool,
    /// The label of the bundle that answers best.
    pub bundle: String,
    /// Modes that close the gap; empty if the driver records none of them.
    pub modes: Vec<&'static str>,
    /// What prints the answer; `None` if the question cannot be answered.
    pub answer: Option<AnswerCommand>,
}

/// What prints the answer to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerCommand {
    pub verb: Verb,
    pub bundles: Vec<PathBuf>,
}

/// The gaps of bundles or capture sets.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    pub gaps: Vec<Gap>,
    /// The label of each bundle, with the driver of its first session.
    pub drivers: Vec<(String, Option<String>)>,
    /// The shortest time for which a producer kept records before it dropped some.
    kept_ns: Option<u64>,
}

impl Gap {
    /// Whether a capture can close it.
    pub const fn is_fillable(&self) -> bool {
        !self.is_closed && !self.modes.is_empty()
    }
}

impl AnswerCommand {
    /// Returns the arguments of `ireescope` for it.
    pub fn words(&self) -> Vec<String> {
        let bundles = self.bundles.iter().map(|path| path.display().to_string());
        self.verb.words().into_iter().chain(bundles).collect()
    }
}

impl Gaps {
    /// Returns how often a tool flushes so that nothing is dropped: twice in the time for which records were kept.
    pub fn flush_interval_ms(&self) -> Option<u32> {
        let every = self.kept_ns? / 2_000_000;
        Some(u32::try_from(every.max(1)).unwrap_or(u32::MAX))
    }
}

impl Workspace {
    /// Determines which of the questions the bundles answer: together within a capture set, each for itself otherwise. The
    /// workspace should be opened with [`Workspace::salvage`], as damage is a reason for gaps.
    pub fn gaps(&self, questions: &[&Question]) -> Result<Gaps, OpenError> {
        let answer = self.runtime.block_on(self.engine.report("gap", &of_questions(questions)))?;
        let rows: Vec<GapRow> = structs("gap", &answer)?;
        let gaps = rows.into_iter().filter_map(|row| self.gap(row)).collect();
        let bundles = self.engine.bundles();
        let drivers = bundles.iter().map(|bundle| {
            let session = bundle.directory.sessions.first();
            let driver = session.map(|it| String::from_utf8_lossy(&it.name).into_owned());
            (bundle.label.clone(), driver)
        });
        let kept = bundles.iter().map(shortest_kept_ns).collect::<Result<Vec<_>, _>>()?;
        Ok(Gaps { gaps, drivers: drivers.collect(), kept_ns: kept.into_iter().flatten().min() })
    }

    fn gap(&self, row: GapRow) -> Option<Gap> {
        let question = question(&row.question)?;
        // There is no clock if something that the answer needs is missing; there is no answer then.
        let is_answered = row.clock.is_some();
        let bundle = self.engine.bundles().iter().find(|it| is_answered && it.label == row.bundle);
        let answer = bundle.map(|bundle| AnswerCommand {
            verb: question.answer,
            bundles: answering(bundle, question),
        });
        let modes = row.modes.iter().flat_map(|modes| modes.split(','));
        Some(Gap {
            question,
            is_closed: row.answerable == "yes",
            modes: modes.filter_map(|name| Some(mode(name)?.name)).collect(),
            bundle: row.bundle,
            answer,
        })
    }
}

/// What is read of a row of the report `gap`.
#[derive(Deserialize)]
struct GapRow {
    bundle: String,
    question: String,
    answerable: String,
    clock: Option<String>,
    modes: Option<String>,
}

/// Restricts the report `gap` to these questions. The commas prevent matches of parts of names.
pub fn of_questions(questions: &[&Question]) -> Parameters {
    let names: Vec<&str> = questions.iter().map(|question| question.name).collect();
    Parameters { filter: format!(",{},", names.join(",")), ..Parameters::default() }
}

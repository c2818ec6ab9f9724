//! The rows of a folder's tables, and their columns.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::evaluator::{Outcome, Stage};
use super::run_times::RunTimes;
use super::targets::{Skipped, Target};
use super::tried::Tried;

/// A row of a table, which `schemas` declares.
pub trait Table: Serialize + DeserializeOwned {
    const NAME: &str;
}

/// A row of `tune_runs`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct RunRow {
    pub run: u32,
    pub model: String,
    pub model_sha256: String,
    pub compiler: String,
    pub compiler_flags: String,
    /// Processor of the machine, and the number of its threads.
    pub machine: String,
    pub command: String,
    /// Digest of the files that the command reads.
    pub files_sha256: Option<String>,
    pub seed: u64,
    /// The options that `--resume` takes, as JSON.
    pub options: String,
    /// `searching`, `faster`, `not_faster` or `not_measured`.
    pub state: String,
    pub untuned_ns: Option<f64>,
    pub tuned_ns: Option<f64>,
    pub time_ratio: Option<f64>,
    pub time_ratio_low: Option<f64>,
    pub time_ratio_high: Option<f64>,
}

impl Table for RunRow {
    const NAME: &str = "tune_runs";
}

/// A row of `tune_dispatches`: a function of the model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct DispatchRow {
    pub run: u32,
    pub dispatch: String,
    /// Digest of the root operation, which is the same in all models that have it.
    pub operation_sha256: Option<String>,
    pub operation: Option<String>,
    pub shapes: Option<String>,
    pub types: Option<String>,
    pub target: Option<String>,
    /// Its time in an iteration of the untuned model.
    pub time_ns: Option<f64>,
    pub share: Option<f64>,
    /// The fraction of its roof that it achieves.
    pub roof_fraction: Option<f64>,
    pub is_chosen: bool,
    /// Why it was not chosen.
    pub reason: Option<String>,
    pub configuration_count: Option<u64>,
    pub own_configuration: Option<String>,
    /// Configurations that were tried, and those of them that were measured.
    pub tried_count: Option<u64>,
    pub measured_count: Option<u64>,
    /// The most common reason why the others were not.
    pub refusal: Option<String>,
    pub best_configuration: Option<String>,
    pub time_ratio: Option<f64>,
    pub time_ratio_low: Option<f64>,
    pub time_ratio_high: Option<f64>,
}

impl Table for DispatchRow {
    const NAME: &str = "tune_dispatches";
}

/// A row of `tune_candidates`: a module that was compiled.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct CandidateRow {
    pub run: u32,
    pub candidate: u32,
    /// Digest of the tuning spec; NULL for the untuned module.
    pub spec_sha256: Option<String>,
    pub is_compiled: bool,
    /// Whether the compiler was stopped as it took too long.
    pub is_timed_out: bool,
    pub reason: Option<String>,
    pub module_sha256: Option<String>,
    pub compile_ns: f64,
}

impl Table for CandidateRow {
    const NAME: &str = "tune_candidates";
}

/// A row of `tune_trials`: a time of a dispatch, or of the whole model, in a run of a candidate.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct TrialRow {
    pub run: u32,
    pub trial: u32,
    pub stage: Stage,
    pub round: u32,
    pub candidate: u32,
    /// Name of the run in the capture set.
    pub capture: Option<String>,
    /// NULL for the whole model.
    pub dispatch: Option<String>,
    pub operation_sha256: Option<String>,
    pub configuration: Option<String>,
    pub outcome: Outcome,
    pub reason: Option<String>,
    pub time_ns: Option<f64>,
    /// How long it took to run the model.
    pub run_ns: f64,
    /// How long the run of `tune` took until then.
    pub spent_ns: f64,
}

impl Table for TrialRow {
    const NAME: &str = "tune_trials";
}

impl TrialRow {
    /// Returns a trial of a candidate as a whole, which the store gives its numbers.
    pub fn new(stage: Stage, round: u32, candidate: u32) -> Self {
        Self { stage, round, candidate, ..Self::default() }
    }

    /// Returns the same for a target of the candidate.
    pub fn of(&self, target: &Target, point: usize) -> Self {
        Self {
            dispatch: Some(target.name().to_owned()),
            operation_sha256: Some(target.digest()),
            configuration: Some(target.text(point)),
            ..self.clone()
        }
    }
}

impl DispatchRow {
    /// Returns the rows of a target: one for each function.
    pub fn of(target: &Target, times: &RunTimes) -> Vec<Self> {
        let row = |name: &String| Self {
            dispatch: name.clone(),
            operation_sha256: Some(target.digest()),
            operation: Some(target.root.name.clone()),
            shapes: Some(target.root.shapes()),
            types: Some(target.root.types()),
            target: Some(target.back_end.clone()),
            time_ns: times.functions.get(name).copied(),
            share: times.share(name),
            roof_fraction: times.fractions.get(name).copied(),
            is_chosen: true,
            configuration_count: Some(target.space.points.len() as u64),
            own_configuration: Some(target.text(target.space.own)),
            ..Self::default()
        };
        target.functions.iter().map(row).collect()
    }

    /// Adds what became of the configurations that were tried.
    pub(super) fn add_tried(&mut self, tried: &Tried) {
        self.tried_count = Some(tried.all());
        self.measured_count = Some(tried.measured);
        self.refusal = tried.reason.as_ref().map(|it| it.words.clone());
    }

    /// Returns the row of a dispatch that is left as it is.
    pub fn skipped(skipped: &Skipped) -> Self {
        Self {
            dispatch: skipped.name.clone(),
            time_ns: Some(skipped.ns),
            share: Some(skipped.share),
            roof_fraction: skipped.fraction,
            reason: Some(skipped.why.clone()),
            ..Self::default()
        }
    }
}

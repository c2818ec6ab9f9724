//! A row of the table `dispatch_runs`: an attempt at a dispatch, with its outcome and measurements.

use serde::{Deserialize, Serialize};

use super::statistics::Statistics;
use crate::bench::configuration::Configuration;
use crate::bench::operation::Tensor;
use crate::bench::request::Collection;
use crate::bench::target::Target;

/// An attempt at a dispatch. The declaration of the table documents the columns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct DispatchRun {
    pub bundle: Option<String>,
    pub dispatch: String,
    pub operation: String,
    pub operation_kind: String,
    pub configuration: String,
    pub tile_config: String,
    pub core_class: String,
    pub instruction_class: String,
    pub batch_count: Option<u64>,
    pub m: Option<u64>,
    pub n: Option<u64>,
    pub k: Option<u64>,
    pub lhs: String,
    pub rhs: String,
    pub result: String,
    pub arguments: String,
    pub inputs: String,
    pub output: String,
    pub flops: u64,
    pub bytes: u64,
    pub target: String,
    pub device: String,
    pub compiler_version: Option<String>,
    pub compiler_revision: Option<String>,
    pub runtime_version: Option<String>,
    pub runtime_revision: Option<String>,
    pub compile_flags: String,
    pub module_sha256: Option<String>,
    pub verified_module_sha256: Option<String>,
    pub stage: Stage,
    pub outcome: Outcome,
    pub message: Option<String>,
    pub verification: Verification,
    pub timing_source: Option<String>,
    pub process_count: Option<u64>,
    pub sample_count: Option<u64>,
    pub warmup_count: Option<u64>,
    pub dispatch_count: Option<u64>,
    pub median_ns: Option<f64>,
    pub median_low_ns: Option<f64>,
    pub median_high_ns: Option<f64>,
    pub process_medians_ns: Option<String>,
    pub rank: Option<u64>,
    pub vs_default: Option<f64>,
    pub min_ns: Option<f64>,
    pub mean_ns: Option<f64>,
    pub p90_ns: Option<f64>,
    pub wall_median_ns: Option<f64>,
    pub wall_min_ns: Option<f64>,
    pub runtime_ms: Option<f64>,
    pub gflops: Option<f64>,
    pub gbps: Option<f64>,
    pub repetitions: Option<u64>,
    pub batch_size: Option<u64>,
    pub settings: String,
    pub capture: Option<String>,
    pub tags: Option<String>,
    pub started: String,
    pub duration_ns: u64,
}

/// The last stage that a dispatch reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    #[default]
    Compile,
    Verify,
    Profile,
}

/// The outcome of the last stage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    #[default]
    Passed,
    /// A tool failed, or the result was wrong.
    Failed,
    /// A tool exceeded its timeout and was stopped.
    TimeLimit,
    /// A tool is missing.
    NoTool,
    /// The user interrupted the command.
    Interrupted,
}

/// The outcome of verification.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Verification {
    #[default]
    #[serde(rename = "Not verified")]
    NotVerified,
    #[serde(rename = "SUCCESS")]
    Success,
    #[serde(rename = "FAILED")]
    Failed,
}

impl Stage {
    /// Returns the value in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Compile => "compile",
            Self::Verify => "verify",
            Self::Profile => "profile",
        }
    }
}

impl Verification {
    /// Returns the name in printed results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::NotVerified => "Not verified",
            Self::Success => "SUCCESS",
            Self::Failed => "FAILED",
        }
    }
}

/// Why a stage failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    pub outcome: Outcome,
    pub message: String,
}

impl Failure {
    /// Creates the failure of a tool from its message.
    pub const fn said(message: String) -> Self {
        Self { outcome: Outcome::Failed, message }
    }
}

impl DispatchRun {
    /// Creates the row of a dispatch before anything has run.
    pub fn of(collection: &Collection, configuration: &Configuration, target: &Target) -> Self {
        let operation = &collection.operation;
        let [batch_count, m, n, k] = operation.product().map(Some);
        let [lhs, rhs, result] = operation.tensors();
        let arguments = operation.arguments();
        let flags = arguments.iter().map(|(key, value)| format!("--{key}={value}"));
        let inputs: Vec<String> = operation.inputs().iter().map(Tensor::spec).collect();
        Self {
            dispatch: collection.dispatch(configuration),
            configuration: configuration.name(),
            tile_config: configuration.tile(),
            core_class: configuration.core_class().to_owned(),
            instruction_class: configuration.instruction_class(),
            target: target.name(),
            device: target.uri().to_owned(),
            operation: operation.name(),
            operation_kind: operation.kind().name().to_owned(),
            batch_count,
            m,
            n,
            k,
            lhs: lhs.name(),
            rhs: rhs.name(),
            result: result.name(),
            arguments: flags.collect::<Vec<_>>().join(" "),
            inputs: inputs.join(","),
            output: result.spec(),
            flops: operation.flops(),
            bytes: operation.bytes(),
            ..Self::default()
        }
    }

    /// Splits the arguments into keys and values.
    pub(crate) fn argument_pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let words = self.arguments.split(' ');
        words.filter_map(|word| word.strip_prefix("--")?.split_once('='))
    }

    /// Returns the most informative line of the message: the first with `error:`, or else the first line.
    pub fn reason(&self) -> &str {
        let message = self.message.as_deref().unwrap_or_default();
        let error = message.lines().find(|line| line.contains("error:"));
        error.or_else(|| message.lines().next()).unwrap_or_default()
    }

    /// Records the failure of a stage, unless an earlier stage has failed.
    pub fn fail(&mut self, stage: Stage, failure: Failure) {
        if self.outcome == Outcome::Passed {
            self.stage = stage;
            self.outcome = failure.outcome;
            self.message = Some(failure.message);
        }
    }

    /// Records that a stage begins, unless an earlier stage has failed.
    pub fn reach(&mut self, stage: Stage) {
        if self.outcome == Outcome::Passed {
            self.stage = stage;
        }
    }

    /// Stores the statistics, and the rates that follow from them.
    #[expect(clippy::cast_precision_loss, reason = "rates need fewer digits")]
    pub fn take(&mut self, statistics: &Statistics) {
        let medians = statistics.process_medians.iter().map(|median| format!("{median:?}"));
        self.process_count = Some(statistics.process_medians.len() as u64);
        self.process_medians_ns = Some(medians.collect::<Vec<_>>().join(","));
        self.sample_count = Some(statistics.count as u64);
        self.median_ns = Some(statistics.median);
        self.median_low_ns = statistics.interval.map(|(low, _)| low);
        self.median_high_ns = statistics.interval.map(|(_, high)| high);
        self.min_ns = Some(statistics.min);
        self.mean_ns = Some(statistics.mean);
        self.p90_ns = Some(statistics.p90);
        self.runtime_ms = Some(statistics.median / 1e6);
        // Operations per nanosecond are billions of operations per second.
        let rate =
            |amount: u64| Some(amount as f64 / statistics.median).filter(|rate| rate.is_finite());
        self.gflops = rate(self.flops);
        self.gbps = rate(self.bytes);
    }
}

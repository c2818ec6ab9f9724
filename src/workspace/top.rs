//! Ranks the functions of dispatches by their times.

use engine::{Answer, EngineError, Parameters, Prepared, Warmup};
use report::layouts::Names;
use report::rows;
use serde::Deserialize;

use super::answers::{Workspace, structs};
use super::unmatched::Unmatched;

/// What dispatches are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GroupBy {
    #[default]
    Function,
    /// The function and its numbers of workgroups.
    Shape,
    /// The kind of operation.
    Op,
    Executable,
    Bundle,
    Invocation,
    Device,
    Queue,
}

impl GroupBy {
    /// All values, in the order of their documentation.
    pub const ALL: [Self; 8] = [
        Self::Function,
        Self::Shape,
        Self::Op,
        Self::Executable,
        Self::Bundle,
        Self::Invocation,
        Self::Device,
        Self::Queue,
    ];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Shape => "shape",
            Self::Op => "op",
            Self::Executable => "executable",
            Self::Bundle => "bundle",
            Self::Invocation => "invocation",
            Self::Device => "device",
            Self::Queue => "queue",
        }
    }
}

/// What groups are sorted by, largest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SortBy {
    #[default]
    Total,
    Mean,
    Max,
    /// The 99th or 90th percentile.
    Tail,
    /// The coefficient of variation: the standard deviation divided by the mean.
    Cv,
}

impl SortBy {
    /// All values, in the order of their documentation.
    pub const ALL: [Self; 5] = [Self::Total, Self::Mean, Self::Max, Self::Tail, Self::Cv];

    /// Returns the name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Total => "total",
            Self::Mean => "mean",
            Self::Max => "max",
            Self::Tail => "tail",
            Self::Cv => "cv",
        }
    }
}

/// What is asked of [`Workspace::top`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TopRequest {
    pub by: GroupBy,
    pub sort: SortBy,
    /// Only functions whose name matches this pattern: `*` matches any characters, `?` matches one.
    pub filter: String,
    /// The invocations at the start of a run that are left out.
    pub warmup: Warmup,
}

impl Default for TopRequest {
    fn default() -> Self {
        let (by, sort, warmup) = <(GroupBy, SortBy, Warmup)>::default();
        Self { by, sort, filter: "*".to_owned(), warmup }
    }
}

/// What takes the time.
pub struct Top {
    /// A row for each group, largest first (`report.top_function`). Those that ran in the warm-up only have a count of 0.
    pub functions: Answer,
    /// How complete each bundle is (`report.capture_health`).
    pub health: Answer,
    /// How surely calls were found (`report.invocation_reading`), and what was left out of each bundle (`report.warmup`);
    /// `None` if the warm-up was kept.
    pub invocations: Option<[Answer; 2]>,
    /// What there is instead, if the pattern matches nothing.
    pub unmatched: Option<Unmatched>,
}

/// A group of dispatches.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct TopFunction {
    /// `device` or `host`: whose clock timed it.
    pub timing_source: String,
    /// The name of the group.
    pub key: String,
    /// The fraction of the total of the timing source; `None` without a total.
    pub share: Option<f64>,
    /// The number of dispatches, without warm-up; 0 if it ran in that only.
    pub dispatch_count: u64,
    /// Their total time in nanoseconds; `None` on a device whose clock cannot be converted.
    pub total_ns: Option<f64>,
    pub mean_ns: Option<f64>,
    pub median_ns: Option<f64>,
    /// The 90th percentile in nanoseconds; `None` for less than 10 dispatches.
    pub p90_ns: Option<f64>,
    /// The 99th percentile in nanoseconds; `None` for less than 100 dispatches.
    pub p99_ns: Option<f64>,
    pub min_ns: Option<f64>,
    pub max_ns: Option<f64>,
    /// The standard deviation divided by the mean; `None` for one dispatch.
    pub cv: Option<f64>,
    /// The total time in ticks of the device; `None` for times of the host.
    pub total_ticks: Option<u64>,
    /// The total time in nanoseconds of what was left out as warm-up.
    pub left_out_ns: Option<f64>,
}

impl Top {
    /// Returns the groups as structs.
    pub fn rows(&self) -> Result<Vec<TopFunction>, EngineError> {
        structs("top_function", &self.functions)
    }
}

impl Workspace {
    /// Groups the dispatches, and sorts the groups.
    pub fn top(&self, request: &TopRequest) -> Result<Top, EngineError> {
        let parameters = request.parameters();
        // Without warm-up, the invocations need not be read.
        let of_invocations: &[&str] = match request.warmup {
            Warmup::Keep => &[],
            _ => &["invocation_reading", "warmup"],
        };
        let reports = [&["top_function", "capture_health"], of_invocations].concat();
        let prepared = self.engine.prepare_all(sql::Kind::Report, &reports, &parameters)?;
        let mut answers = self.at_once(prepared.into_iter().map(Prepared::answer))?.into_iter();
        let (Some(functions), Some(health)) = (answers.next(), answers.next()) else {
            return Err(EngineError::Query("a report has no answer".into()));
        };
        let invocations = answers.next().zip(answers.next()).map(<[Answer; 2]>::from);
        // What runs in the warm-up only is not listed.
        let is_listed = rows(&functions.batches).iter().any(|row| row.count("dispatch_count") > 0);
        let names = Names { noun: request.by.name(), of: &[("top_function", "key")] };
        let unmatched = match request.filter.as_str() {
            "*" => None,
            _ if is_listed => None,
            _ => self.unmatched(&parameters, names, None)?,
        };
        Ok(Top { functions, health, invocations, unmatched })
    }

    /// Returns the groups alone.
    pub fn top_functions(&self, request: &TopRequest) -> Result<Answer, EngineError> {
        self.runtime.block_on(self.engine.report("top_function", &request.parameters()))
    }
}

impl TopRequest {
    fn parameters(&self) -> Parameters {
        Parameters {
            filter: self.filter.clone(),
            warmup: self.warmup.invocations(),
            group: self.by.name(),
            sort: self.sort.name(),
            ..Parameters::default()
        }
    }
}

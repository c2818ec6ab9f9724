//! What is compared, and how.

use base::Pattern;
use engine::comparison::{KERNEL_TIME, Measure};
use engine::{Parameters, Warmup};
use model::compare::Rules;
use model::statistics::Summary;

/// A comparison.
#[derive(Debug, Clone, Default)]
pub struct CompareRequest {
    /// The baseline, then the sides to compare with it: bundles, patterns, folders or capture sets, whose bundles are the
    /// runs of the side; NAME=PATH names it. The capture set of a race alone has both.
    pub sides: Vec<String>,
    pub selection: Selection,
    pub options: CompareOptions,
}

/// Which times are compared.
#[derive(Debug, Clone)]
pub struct Selection {
    pub measure: &'static Measure,
    pub warmup: Warmup,
    /// Only functions whose name matches this pattern.
    pub filter: String,
}

impl Default for Selection {
    fn default() -> Self {
        Self { measure: &KERNEL_TIME, warmup: Warmup::Auto, filter: "*".to_owned() }
    }
}

impl Selection {
    /// Returns the parameters of reports.
    pub fn parameters(&self) -> Parameters {
        let warmup = self.warmup.invocations();
        Parameters { warmup, filter: self.filter.clone(), ..Parameters::default() }
    }
}

/// How sides are compared.
#[derive(Debug, Clone)]
pub struct CompareOptions {
    /// Whether the invocations of a run are its iterations, or the run is one.
    pub by_iteration: bool,
    /// How the iterations of a run are summarized.
    pub summary: Summary,
    /// Differences up to this share do not matter; `None` estimates it from the runs of the baseline.
    pub noise_floor: Option<f64>,
    /// Times are corrected by those of the functions whose names match this pattern or, if it is empty, that have the same
    /// code on both sides.
    pub control: Option<String>,
}

impl Default for CompareOptions {
    fn default() -> Self {
        Self { by_iteration: true, summary: Summary::Median, noise_floor: None, control: None }
    }
}

impl CompareOptions {
    /// Returns the rules of judging.
    pub(super) fn rules(&self, resolution_ns: f64) -> Rules {
        let control = self.control.as_ref();
        Rules {
            summary: self.summary,
            floor: self.noise_floor.map(f64::ln_1p),
            control: control.filter(|pattern| !pattern.is_empty()).map(|it| Pattern::new(it)),
            corrects: control.is_some(),
            resolution_ns,
            ..Rules::default()
        }
    }
}

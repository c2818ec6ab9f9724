//! What texts call the options of a comparison, as each front end has its own names for them.

/// The names of the options of a comparison.
#[derive(Debug, Clone)]
pub struct Terms {
    /// The change up to which differences do not matter.
    pub noise_floor: String,
    /// How the iterations of a run are summarized.
    pub summary: String,
    /// The summary by the mean.
    pub summary_by_mean: String,
    /// A rule of a gate, which is named after it.
    pub rule: String,
    /// The budget of a gate.
    pub budget: String,
    /// The option that makes what is not certain fail.
    pub ambiguous: String,
}

impl Default for Terms {
    fn default() -> Self {
        Self {
            noise_floor: "a noise floor".to_owned(),
            summary: "by the chosen summary".to_owned(),
            summary_by_mean: "the summary by the mean".to_owned(),
            rule: "rule".to_owned(),
            budget: "the budget".to_owned(),
            ambiguous: "the total must be certain".to_owned(),
        }
    }
}

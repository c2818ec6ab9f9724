//! What is tuned of a model, and why not the rest.

use model::tuning::configuration::Dispatch;

use super::builder::Builder;
use super::error::TuneError;
use super::request::TuneRequest;
use super::rows::DispatchRow;
use super::run_times::RunTimes;
use super::targets::{GENERATED, Selection, Skipped, Target, choose};
use super::user_spaces::UserSpace;

/// What is tuned of a model, and why not the rest.
pub struct Plan {
    pub targets: Vec<Target>,
    pub skipped: Vec<Skipped>,
    /// The times of the untuned model.
    pub times: RunTimes,
    /// Whether the times are known; else all dispatches take the same.
    pub has_times: bool,
}

impl Plan {
    /// Chooses the targets. Those that the compiler applies no spec to are left out.
    pub(super) fn choose(
        request: &TuneRequest,
        user_spaces: &[UserSpace],
        builder: &mut Builder<'_>,
        times: RunTimes,
    ) -> Result<Self, TuneError> {
        let options = &request.options;
        let is_generated = |it: &Dispatch| GENERATED.contains(&it.backend());
        let are_generated = builder.dispatches.iter().all(is_generated);
        let stated = if are_generated { Vec::new() } else { builder.constraints()? };
        let selection = Selection {
            cover: options.cover(),
            top: options.top(),
            patterns: &options.dispatches,
            user_spaces,
            stated: &stated,
            style: request.style,
        };
        let (mut targets, mut skipped) = choose(&builder.dispatches, &times, &selection);
        if !targets.is_empty() {
            let mut are_applied = builder.find_flag(&targets)?.into_iter();
            targets.retain(|target| {
                let is_applied = are_applied.next().unwrap_or_default();
                if !is_applied {
                    let why = "the compiler does not apply a spec to it";
                    skipped.extend(target.functions.iter().map(|it| Skipped::of(it, &times, why)));
                }
                is_applied
            });
        }
        let has_times = !request.compile_only || !options.profile.is_empty();
        Ok(Self { targets, skipped, times, has_times })
    }

    /// Returns the rows of all dispatches. Without times, those of the run are no times.
    pub fn rows(&self) -> Vec<DispatchRow> {
        let rows = self.targets.iter().flat_map(|it| DispatchRow::of(it, &self.times));
        let mut rows: Vec<DispatchRow> =
            rows.chain(self.skipped.iter().map(DispatchRow::skipped)).collect();
        if !self.has_times {
            for row in &mut rows {
                (row.time_ns, row.share) = (None, None);
            }
        }
        rows
    }
}

//! Looks up results of earlier commands, so that unchanged dispatches are not measured again.

use std::collections::HashMap;

use super::row::{DispatchRun, Outcome, Stage, Verification};

/// The rows of earlier commands, by dispatch.
#[derive(Debug, Default)]
pub struct Known {
    rows: HashMap<String, Vec<DispatchRun>>,
}

impl Known {
    /// Indexes rows, which are ordered from old to new.
    pub fn new(rows: Vec<DispatchRun>) -> Self {
        let mut known = Self::default();
        for row in rows {
            known.rows.entry(row.dispatch.clone()).or_default().push(row);
        }
        known
    }

    /// Returns the newest row of the same modules and device that was only compiled.
    pub fn compiled(&self, row: &DispatchRun) -> Option<&DispatchRun> {
        self.newest(row, |known| {
            known.stage == Stage::Compile
                && known.module_sha256 == row.module_sha256
                && known.verified_module_sha256 == row.verified_module_sha256
        })
    }

    /// Returns the newest row that verified the same module with the same runtime.
    pub fn verified(&self, row: &DispatchRun) -> Option<&DispatchRun> {
        self.newest(row, |known| {
            known.verification == Verification::Success
                && known.verified_module_sha256 == row.verified_module_sha256
                && known.runtime_version == row.runtime_version
        })
    }

    /// Returns the newest row that measured the same module with the same settings.
    pub fn profiled(&self, row: &DispatchRun) -> Option<&DispatchRun> {
        self.newest(row, |known| {
            known.median_ns.is_some()
                && known.module_sha256 == row.module_sha256
                && known.settings == row.settings
        })
    }

    fn newest(
        &self,
        row: &DispatchRun,
        says: impl Fn(&DispatchRun) -> bool,
    ) -> Option<&DispatchRun> {
        let is_of_it = |known: &&DispatchRun| {
            let is_same = known.target == row.target && known.device == row.device;
            known.outcome == Outcome::Passed && row.outcome == Outcome::Passed && is_same
        };
        self.rows.get(&row.dispatch)?.iter().rev().filter(is_of_it).find(|known| says(known))
    }
}

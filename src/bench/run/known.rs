//! What earlier commands measured: it need not be measured again.

use std::collections::HashMap;

use super::row::{DispatchRun, Outcome, Stage, Verification};

/// Rows of earlier commands, by dispatch.
#[derive(Debug, Default)]
pub struct Known {
    rows: HashMap<String, Vec<DispatchRun>>,
}

impl Known {
    /// Those rows, the older first.
    pub fn new(rows: Vec<DispatchRun>) -> Self {
        let mut known = Self::default();
        for row in rows {
            known.rows.entry(row.dispatch.clone()).or_default().push(row);
        }
        known
    }

    /// The newest row of the same modules, on the same device, which only were to be compiled.
    pub fn compiled(&self, row: &DispatchRun) -> Option<&DispatchRun> {
        self.newest(row, |known| {
            known.stage == Stage::Compile
                && known.module_sha256 == row.module_sha256
                && known.verified_module_sha256 == row.verified_module_sha256
        })
    }

    /// The newest row that says that this one's result is right.
    pub fn verified(&self, row: &DispatchRun) -> Option<&DispatchRun> {
        self.newest(row, |known| {
            known.verification == Verification::Success
                && known.verified_module_sha256 == row.verified_module_sha256
                && known.runtime_version == row.runtime_version
        })
    }

    /// The newest row that was measured in the way that this one would be.
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

//! What earlier commands measured: it need not be measured again.

use std::collections::HashMap;

use super::Settings;
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

    /// The newest row that says what this one would: of the same modules, on the same device, in the same way.
    pub fn find(&self, row: &DispatchRun, settings: &Settings) -> Option<DispatchRun> {
        let rows = self.rows.get(&row.dispatch)?;
        rows.iter().rev().find(|known| says(known, row, settings)).cloned()
    }
}

fn says(known: &DispatchRun, row: &DispatchRun, settings: &Settings) -> bool {
    let is_same = known.target == row.target && known.device == row.device;
    if known.outcome != Outcome::Passed || row.outcome != Outcome::Passed || !is_same {
        return false;
    }
    let is_verified = known.verification == Verification::Success
        && known.verified_module_sha256 == row.verified_module_sha256;
    let is_profiled = known.median_ns.is_some()
        && known.module_sha256 == row.module_sha256
        && known.settings == row.settings;
    let is_compiled = known.stage == Stage::Compile
        && known.module_sha256 == row.module_sha256
        && known.verified_module_sha256 == row.verified_module_sha256;
    match (settings.verify, settings.profile) {
        (false, false) => is_compiled,
        (verify, profile) => (!verify || is_verified) && (!profile || is_profiled),
    }
}

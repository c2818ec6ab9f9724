//! What panels are about: open captures, and what several panels ask of them.

use std::sync::{Mutex, OnceLock, PoisonError};

use workspace::{Finding, Workspace};

use super::asked::{Asked, ask};
use super::median::MedianCall;
use super::parts::PanelError;

/// Open captures.
pub struct Subject<'a> {
    pub workspace: &'a Workspace,
    /// Only this function, for panels about one; all, without a pattern.
    pub function: Option<String>,
    findings: Once<Vec<Finding>>,
    peaks: Once<Asked>,
    roofline: Once<Asked>,
    median: Once<Option<MedianCall>>,
}

/// What several panels tell, which may be made at once: the first one asks, and the others wait.
struct Once<T>(Mutex<()>, OnceLock<T>);

impl<T> Once<T> {
    const fn new() -> Self {
        Self(Mutex::new(()), OnceLock::new())
    }

    fn get(&self, ask: impl FnOnce() -> Result<T, PanelError>) -> Result<&T, PanelError> {
        let _asking = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = self.1.get() {
            return Ok(known);
        }
        let asked = ask()?;
        Ok(self.1.get_or_init(|| asked))
    }
}

/// The largest allocations that live when the memory of a kind is highest, the highest first.
pub(super) const PEAKS: &str = "SELECT bundle, session_id, physical_device_ordinal AS device, kind, peak_bytes, \
is_upper_bound, live_count, pool_peak_bytes, pool_before_bytes, allocation_id, bytes, share, start_submission_id FROM memory_peaks \
WHERE pool_id IS NULL AND rank <= 10 ORDER BY coalesce(pool_peak_bytes, peak_bytes) DESC, bundle, session_id, device, kind, rank";

/// A device whose peaks may be those of the captures.
const KNOWN: &str = "SELECT device FROM device_peaks WHERE is_given OR driver IN (SELECT name FROM sessions) LIMIT 1";

/// What functions reach of what the device can do; of a function, its shapes.
pub(super) const ROOFLINE: &str = "SELECT key, op_kind, dispatch_count, total_ns, mean_ns, intensity, flops_per_s, \
fraction, bound, device, peak_flops_per_s, peak_bytes_per_s FROM report.roofline WHERE fraction IS NOT NULL \
ORDER BY total_ns DESC LIMIT 500";

impl<'a> Subject<'a> {
    /// The captures of a workspace; of their functions, only those that match a pattern if there is one.
    pub fn of(workspace: &'a Workspace, function: Option<String>) -> Self {
        let (findings, peaks, roofline) = (Once::new(), Once::new(), Once::new());
        Self { workspace, function, findings, peaks, roofline, median: Once::new() }
    }

    /// Returns the findings of `doctor`, which several panels tell.
    pub(super) fn findings(&self) -> Result<&[Finding], PanelError> {
        let found = self.findings.get(|| Ok(self.workspace.findings()?))?;
        Ok(found.as_slice())
    }

    /// Returns the answer to [`PEAKS`].
    pub(super) fn peaks(&self) -> Result<&Asked, PanelError> {
        self.peaks.get(|| self.ask(PEAKS))
    }

    /// Returns the answer to [`ROOFLINE`].
    pub(super) fn roofline(&self) -> Result<&Asked, PanelError> {
        self.roofline.get(|| match self.ask(KNOWN)?.rows().first() {
            Some(_) => self.ask(ROOFLINE),
            None => Ok(Asked::none()),
        })
    }

    /// Returns the call of median length.
    pub(super) fn median(&self) -> Result<Option<&MedianCall>, PanelError> {
        Ok(self.median.get(|| MedianCall::find(self.workspace))?.as_ref())
    }

    /// Runs a query.
    pub(super) fn ask(&self, query: &str) -> Result<Asked, PanelError> {
        ask(self.workspace, query)
    }

    /// Whether there are several bundles.
    pub(super) fn has_many(&self) -> bool {
        self.workspace.engine.bundles().len() > 1
    }
}

//! Whether the processors ran as fast for one side of a race as for the other.

use model::statistics::median;
use read::bundle::set::Run;

/// Relative difference that is worth a word.
const DIFFER: f64 = 0.01;

/// The clocks of the processors during the runs of the baseline and of the new side, in hertz.
#[derive(Debug, Clone, Default)]
pub struct Clocks {
    base: Vec<f64>,
    new: Vec<f64>,
}

impl Clocks {
    /// Takes a run that counts.
    pub fn take(&mut self, is_new: bool, run: &Run) {
        #[expect(clippy::cast_precision_loss, reason = "clocks are far below 2^53")]
        let clock = run.process.as_ref().and_then(|it| it.cpu_hz).map(|hz| hz as f64);
        if is_new { &mut self.new } else { &mut self.base }.extend(clock);
    }

    /// Returns the ratio of the clocks, the new side's to the baseline's, if they differ.
    pub fn ratio(&self) -> Option<f64> {
        let ratio = median(&self.new) / median(&self.base);
        Some(ratio).filter(|ratio| (ratio - 1.0).abs() >= DIFFER)
    }
}

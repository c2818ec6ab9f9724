//! How far clock correlations are off the lines that convert ticks: it shows whether a clock changes its rate or jumps, as
//! after a suspend, so that no line fits all of them.

use std::collections::BTreeMap;
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};

use crate::fold::clocks::correlations::{
    CLOCK_CORRELATIONS, Clock, Clocks, Domain, Fit, Line, Sample,
};
use crate::fold::shared::blocks;

/// By so much correlations may be off the fit of a clock that runs evenly, in nanoseconds: drivers read clocks that tick
/// coarsely, and hosts adjust theirs.
const EVEN_NS: u64 = 10_000;

/// How far the correlations of a device in a session are off, beyond what their own readings explain.
#[derive(Debug, Clone, Copy, Default)]
pub struct Residual {
    /// The most that one is off the fit to each clock of the host, in nanoseconds.
    fits: [u64; 2],
    /// The most that one is off the line of timelines.
    line: u64,
    /// Number of correlations that are off by more than [`EVEN_NS`] and the readings at both ends of a fit explain.
    pub(crate) unexplained: u64,
    /// The most that one of these is off a fit.
    pub(crate) most_ns: u64,
}

impl Residual {
    /// Returns the most that a correlation is off the fit to a clock of the host, in nanoseconds.
    pub(crate) const fn of_fit(&self, domain: Domain) -> u64 {
        let [driver, host] = self.fits;
        match domain {
            Domain::Driver => driver,
            Domain::Host => host,
        }
    }
}

/// The residuals of all devices, by session and device.
#[derive(Debug, Default)]
pub struct Residuals(BTreeMap<[u64; 2], Measured>);

/// The lines of a device, and how far its correlations are off.
#[derive(Debug)]
struct Measured {
    fits: [Option<Fit>; 2],
    line: Option<Line>,
    /// What is explained.
    even_ns: u64,
    found: Residual,
}

impl Residuals {
    /// Measures the `clocks` of `bundle`.
    pub fn read(bundle: &Arc<Bundle>, clocks: &Clocks) -> Result<Self, BundleError> {
        // Two correlations are on the line through them.
        let bendable = clocks.iter().filter(|(_, clock)| clock.sample_count > 2);
        let mut all: BTreeMap<_, _> =
            bendable.map(|(key, clock)| (*key, Measured::of(clock))).collect();
        if !all.is_empty() {
            blocks(bundle, &[CLOCK_CORRELATIONS], |block| {
                let session = block.header.session_id;
                for row in block.rows() {
                    let (device, sample) = Sample::of(row);
                    if let Some(measured) = all.get_mut(&[session, device]) {
                        measured.add(&sample);
                    }
                }
                Ok(())
            })?;
        }
        Ok(Self(all))
    }

    /// Returns the residual of a device in a session.
    pub(crate) fn of(&self, session: u64, device: u64) -> Residual {
        self.0.get(&[session, device]).map(|measured| measured.found).unwrap_or_default()
    }

    /// Returns what a time of a device may be off on the line of timelines, in nanoseconds.
    pub(crate) fn of_line(&self, session: u64, device: u64) -> i64 {
        i64::try_from(self.of(session, device).line).unwrap_or(i64::MAX)
    }

    /// Returns what the time between two events of a device may be off in any session, in nanoseconds: one may be too early
    /// and the other too late.
    #[expect(clippy::cast_precision_loss, reason = "times are compared, not added up")]
    pub(crate) fn between(&self, device: u64) -> f64 {
        let of_device = self.0.iter().filter(|([_, known], _)| *known == device);
        let most = of_device.map(|(_, measured)| measured.found.most_ns).max();
        most.unwrap_or_default() as f64 * 2.0
    }

    /// Returns the sessions and devices with correlations that are not explained.
    pub(crate) fn uneven(&self) -> impl Iterator<Item = ([u64; 2], Residual)> + '_ {
        let all = self.0.iter().map(|(key, measured)| (*key, measured.found));
        all.filter(|(_, found)| found.unexplained > 0)
    }
}

impl Measured {
    fn of(clock: &Clock) -> Self {
        Self {
            fits: Domain::ALL.map(|domain| clock.fit(domain)),
            line: clock.host_line(),
            even_ns: clock.reading_ns().max(EVEN_NS),
            found: Residual::default(),
        }
    }

    fn add(&mut self, sample: &Sample) {
        let Some(tick) = sample.tick() else { return };
        let mut most = 0;
        for ((domain, fit), known) in
            Domain::ALL.into_iter().zip(self.fits).zip(&mut self.found.fits)
        {
            let time = fit.and_then(|fit| fit.host_time_ns(tick));
            let off = time.and_then(|time| sample.off(domain, time)).unwrap_or_default();
            *known = off.max(*known);
            most = off.max(most);
        }
        if most > self.even_ns {
            self.found.unexplained += 1;
            self.found.most_ns = most.max(self.found.most_ns);
        }
        let on_line = self.line.and_then(|line| {
            let domain = if line.domain == Line::HOST { Domain::Host } else { Domain::Driver };
            sample.off(domain, line.time_ns(tick)?)
        });
        self.found.line = on_line.unwrap_or_default().max(self.found.line);
    }
}

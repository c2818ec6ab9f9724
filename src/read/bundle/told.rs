//! Explains from the manifest of its capture set why a bundle lacks a mode, or records of one.

use super::open::Bundle;
use super::set::{Absence, CaptureSet, Flaw, Outcome, Process, Run, Shortfall};

impl CaptureSet {
    /// Returns the process that recorded the bundle, or the last process of the set if that is unknown.
    pub fn process_of<'a>(&'a self, bundle: &'a Bundle) -> Option<&'a Process> {
        let own = bundle.own_run().and_then(|own| own.process.as_ref());
        own.or_else(|| self.last_process())
    }
}

impl Bundle {
    /// Returns the run that recorded the bundle; `None` outside of capture sets.
    pub fn own_run(&self) -> Option<&Run> {
        self.runs.iter().map(|run| &run.run).find(|run| run.bundle.is_some())
    }

    /// Whether the time limit that the user set stopped the run.
    pub fn is_limited(&self) -> bool {
        self.own_run().is_some_and(|run| run.outcome == Outcome::TimeLimit)
    }

    /// Returns why the bundle has no records of a mode, according to its capture set. `None` outside of capture sets,
    /// or if the set has no process.
    pub fn told(&self, mode: &str) -> Option<Absence> {
        let set = self.set.as_ref()?;
        let device = set.process_of(self)?.device.as_deref();
        let own = self.own_run();
        let told = set.told(own, device, mode);
        // The manifest does not know the modes that a bundle captured elsewhere requested.
        let is_given = own.is_some_and(|own| own.process.is_none());
        Some(told).filter(|told| !is_given || *told != Absence::NotAsked)
    }

    /// Returns why the bundle's records of a mode are incomplete, according to its run and its capture set; `None` if
    /// nothing is known to be missing.
    pub fn shortfall(&self, mode: &str) -> Option<Shortfall> {
        let own = self.own_run()?;
        let flaws: Vec<Flaw> = own.flaws().into_iter().filter(|it| it.concerns(mode)).collect();
        if !flaws.is_empty() {
            let why: Vec<&str> = flaws.iter().map(Flaw::why).collect();
            let is_final = flaws.iter().all(|flaw| matches!(flaw, Flaw::Part(_)));
            return Some(Shortfall { why: why.join(", "), is_final });
        }
        let device = own.process.as_ref()?.device.as_deref();
        let set = self.set.as_ref().filter(|_| mode.starts_with("counter"))?;
        set.uncounted(device)
    }
}

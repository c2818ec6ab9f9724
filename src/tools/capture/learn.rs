//! Learns from refusals: marks modes and counters as unavailable and chooses probes.
//!
//! If a refusal names no mode, the modes are bisected: each half is probed by itself until the refused mode, or the
//! refused combination of modes, is found. This is a simple form of delta debugging (Zeller and Hildebrandt, 2002).

use std::collections::BTreeSet;

use read::bundle::set::{Outcome, Process, Refused, Run, Why};
use schemas::questions::{MODES, is_bulky};

use super::folder::PROBE;
use super::plan::{Planned, UNNAMED_COUNTER, counter_mode};
use super::refusal::{Refusal, What};
use super::session::{Pending, Session, refused, words};
use crate::capture::error::CaptureError;
use crate::capture::event::Event;
use crate::capture::tool::Filters;

impl Session<'_> {
    /// Adds a refusal to [`Self::known`], reports it, and keeps it as pending.
    pub fn learn(&mut self, planned: &Planned, name: &str, refusal: Refusal, process: Process) {
        let Refusal { what, reason, .. } = refusal;
        let filters = (what == What::Filters).then(|| match self.bulky(planned).as_slice() {
            [] => "the filters; everything is recorded".to_owned(),
            bulky => format!("the filters, without which {} would be too large", bulky.join(", ")),
        });
        let refused = match what {
            What::Modes(modes) => self.refuse_modes(&modes, &reason),
            What::Counter { name, known } => self.refuse_counter(planned, name, known, &reason),
            What::Filters => {
                // Without filters, more is recorded than was asked for, which does no harm, except for bulky modes.
                self.start.settings.filters = Filters::default();
                self.known.filters_refused = Some(reason.clone());
                self.leave_out_bulky(planned)
            }
            What::FullRing => Vec::new(),
            What::TooManyCounters => self.split_counters(planned, &reason),
            What::Something if planned.counters.len() > 1 => self.split_counters(planned, &reason),
            What::Something => self.suspect(planned, &reason),
        };
        let names: Vec<String> = refused
            .iter()
            .map(|refused| refused.counter.clone().unwrap_or_else(|| refused.mode.clone()))
            .chain(filters)
            .collect();
        (self.tell)(&Event::Refused { name, what: &names.join(", "), reason: &reason });
        let mut pending = self.pending.take().unwrap_or_else(|| Pending {
            asked: planned.modes.clone(),
            refused: Vec::new(),
            questions: planned.questions.clone(),
            name: name.to_owned(),
            process: process.clone(),
        });
        pending.refused.extend(refused);
        if name != PROBE {
            pending.process = process;
        }
        self.pending = Some(pending);
    }

    /// Returns the modes of a run that may only be recorded with a filter.
    fn bulky(&self, planned: &Planned) -> Vec<&'static str> {
        if self.start.settings.may_be_bulky {
            return Vec::new();
        }
        planned.modes.iter().copied().filter(|mode| is_bulky(mode)).collect()
    }

    /// Leaves out the modes that may only be recorded with a filter, in this run and all others of the capture.
    fn leave_out_bulky(&mut self, planned: &Planned) -> Vec<Refused> {
        const REASON: &str = "the device cannot filter; record all dispatches with option `all`";
        let reason = self.start.settings.options.spell(REASON);
        if !self.start.settings.may_be_bulky {
            for mode in MODES.iter().filter(|mode| mode.is_bulky) {
                self.known.refused.entry(mode.name).or_insert_with(|| reason.clone());
            }
        }
        self.bulky(planned).iter().map(|mode| refused(mode, Why::Cut, &reason)).collect()
    }

    /// Marks modes as refused. A reason that is known already is kept.
    fn refuse_modes(&mut self, modes: &[&'static str], reason: &str) -> Vec<Refused> {
        for mode in modes {
            self.known.refused.entry(mode).or_insert_with(|| reason.to_owned());
        }
        modes.iter().map(|mode| refused(mode, Why::Refused, reason)).collect()
    }

    /// Stores the counters that the driver lists and marks a named counter as refused, and its mode too once all wanted
    /// counters are refused. The mode is also refused if no wanted counter is named, unless the driver answered the
    /// placeholder counter with its list.
    fn refuse_counter(
        &mut self,
        planned: &Planned,
        name: Option<String>,
        known: Vec<String>,
        reason: &str,
    ) -> Vec<Refused> {
        let mode = counter_mode(&planned.modes).unwrap_or("counters");
        let are_listed = !known.is_empty();
        if are_listed {
            self.known.listed_counters = known;
        }
        match name {
            Some(name) if name == UNNAMED_COUNTER && are_listed => Vec::new(),
            Some(name) if name != UNNAMED_COUNTER => {
                self.known.refused_counters.insert(name.clone(), reason.to_owned());
                let wanted = &self.start.wanted.counters;
                if wanted.iter().all(|name| self.known.refused_counters.contains_key(name)) {
                    self.known.refused.insert(mode, reason.to_owned());
                }
                vec![Refused { counter: Some(name), ..refused(mode, Why::Refused, reason) }]
            }
            _ => {
                let reason = format!("{reason} (name counters with option `counter`)");
                let reason = self.start.settings.options.spell(&reason);
                self.refuse_modes(&[mode], &reason)
            }
        }
    }

    /// Halves the number of counters in a run. If a single counter was refused, refuses the mode.
    fn split_counters(&mut self, planned: &Planned, reason: &str) -> Vec<Refused> {
        let mode = counter_mode(&planned.modes).unwrap_or("counters");
        match planned.counters.as_slice() {
            [] | [_] => self.refuse_modes(&[mode], reason),
            many => {
                self.known.counters_at_once = Some(many.len().div_ceil(2));
                Vec::new()
            }
        }
    }

    /// Bisects a run after a refusal that names no mode. A single mode is refused. Modes that were all accepted in
    /// probes are stored as a refused combination. Other modes are halved, and each half is probed.
    fn suspect(&mut self, planned: &Planned, reason: &str) -> Vec<Refused> {
        match planned.modes.as_slice() {
            [only] => return self.refuse_modes(&[only], reason),
            modes if modes.iter().all(|mode| self.known.accepted.contains(mode)) => {
                let together: BTreeSet<&'static str> = modes.iter().copied().collect();
                self.known.quarrels.insert(together, reason.to_owned());
            }
            modes => {
                let (first, second) = modes.split_at(modes.len() / 2);
                for half in [second, first] {
                    let mut suspect = Planned { modes: half.to_vec(), ..planned.clone() };
                    if counter_mode(half).is_none() {
                        suspect.counters.clear();
                    }
                    self.suspects.push(suspect);
                }
            }
        }
        Vec::new()
    }

    /// Records pending refusals as a run of their own, unless `planned` takes the place of the refused run: it shares a
    /// question or a mode other than `executable-metadata` with it.
    pub(crate) fn settle_pending(&mut self, planned: &Planned) -> Result<(), CaptureError> {
        let goes_on = |pending: &Pending| {
            let shared =
                |mode: &&str| *mode != "executable-metadata" && pending.asked.contains(mode);
            planned.questions.iter().any(|question| pending.questions.contains(question))
                || planned.modes.iter().any(shared)
        };
        if self.pending.as_ref().is_some_and(goes_on) { Ok(()) } else { self.flush_pending() }
    }

    /// Records the pending refusals, if any, as a run without a bundle.
    pub(crate) fn flush_pending(&mut self) -> Result<(), CaptureError> {
        let Some(pending) = self.pending.take() else { return Ok(()) };
        self.put(Run {
            outcome: Outcome::Refused,
            asked: words(&pending.asked),
            questions: words(&pending.questions),
            refused: pending.refused,
            process: Some(pending.process),
            ..Run::named(pending.name)
        })
    }
}

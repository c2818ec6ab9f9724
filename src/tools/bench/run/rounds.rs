//! Runs the dispatches of an operation: verifies each, then measures them in rounds. Each round runs a process of every
//! configuration, in a random order, so that a machine that becomes slower or faster does so for all of them.

use std::time::Instant;

use model::statistics::shuffle;

use super::event::Event;
use super::modules::{Modules, take_modules};
use super::profile::{Process, take_processes};
use super::rank::rank;
use super::row::{DispatchRun, Outcome, Stage};
use super::sweep::{Running, describe};
use super::tool_run::interrupted;
use crate::bench::error::BenchError;
use crate::bench::operation::Operation;
use crate::bench::request::Collection;
use crate::capture::now;

/// A dispatch of the operation.
struct Subject {
    row: DispatchRun,
    /// The stages that are still to be done.
    left: Vec<Stage>,
    /// True if earlier commands have done everything.
    is_known: bool,
    has_begun: bool,
    processes: Vec<Process>,
}

impl Subject {
    /// True if the dispatch is to be profiled. A wrong result is no obstacle; a dispatch that exceeded the timeout in
    /// verification would exceed it again.
    fn is_profiled(&self) -> bool {
        let may_run = self.row.outcome == Outcome::Passed
            || (self.row.stage == Stage::Verify && self.row.outcome != Outcome::TimeLimit);
        may_run && self.left.contains(&Stage::Profile)
    }

    /// Records that the first stage begins.
    fn begin(&mut self) {
        if !self.has_begun {
            self.has_begun = true;
            self.row.started = now();
        }
    }
}

impl Running<'_> {
    /// Runs the dispatches of an operation, and stores their rows.
    pub fn operation(
        &mut self,
        collection: &Collection,
        modules: &Modules,
    ) -> Result<(), BenchError> {
        let plan = self.plan;
        let each = collection.configurations.iter().map(|configuration| {
            let mut row = DispatchRun::of(collection, configuration, &plan.target);
            describe(&mut row, plan);
            take_modules(&mut row, modules);
            let left = self.recall(&mut row);
            let is_known = left.is_empty();
            if !is_known {
                row.duration_ns = 0;
            }
            Subject { row, left, is_known, has_begun: false, processes: Vec::new() }
        });
        let mut subjects: Vec<Subject> = each.collect();
        for subject in &mut subjects {
            self.verify_subject(subject, &collection.operation);
        }
        for _ in 0..plan.settings.processes {
            let mut round: Vec<&mut Subject> =
                subjects.iter_mut().filter(|subject| subject.is_profiled()).collect();
            shuffle(&mut round, &mut self.random);
            for subject in round {
                self.measure(subject, &collection.operation);
            }
        }
        self.finish(subjects)
    }

    fn verify_subject(&mut self, subject: &mut Subject, operation: &Operation) {
        let is_left = subject.left.contains(&Stage::Verify);
        if !is_left || subject.row.outcome != Outcome::Passed || self.stop.is_asked() {
            return;
        }
        self.say_begin(&subject.row);
        subject.begin();
        let clock = Instant::now();
        subject.row.reach(Stage::Verify);
        if let Err(failure) = self.verify(&mut subject.row, operation) {
            subject.row.fail(Stage::Verify, failure);
        }
        subject.row.duration_ns += elapsed(clock);
    }

    /// Measures a dispatch in another process.
    fn measure(&mut self, subject: &mut Subject, operation: &Operation) {
        if self.stop.is_asked() {
            return;
        }
        self.say_begin(&subject.row);
        subject.begin();
        let clock = Instant::now();
        subject.row.reach(Stage::Profile);
        match self.profile(&subject.row, operation) {
            Ok(process) => subject.processes.push(process),
            Err(failure) => {
                subject.row.fail(Stage::Profile, failure);
                subject.left.clear();
            }
        }
        subject.row.duration_ns += elapsed(clock);
        self.steps += 1;
    }

    fn say_begin(&self, row: &DispatchRun) {
        let total = self.plan.dispatches() * self.plan.steps();
        (self.tell)(&Event::Begins { done: self.steps, total, dispatch: &row.dispatch });
    }

    /// Ranks the dispatches, and stores the rows of those that were not known before.
    fn finish(&mut self, mut subjects: Vec<Subject>) -> Result<(), BenchError> {
        let is_cut = self.stop.is_asked();
        let is_untouched =
            |it: &Subject| !it.has_begun && !it.is_known && it.row.outcome == Outcome::Passed;
        subjects.retain(|subject| !is_cut || !is_untouched(subject));
        for Subject { row, processes, .. } in &mut subjects {
            if let Err(failure) = take_processes(row, processes, self.plan) {
                row.fail(Stage::Profile, failure);
            }
            if is_cut && (1..self.plan.steps()).contains(&processes.len()) {
                row.fail(Stage::Profile, interrupted());
            }
        }
        rank(&mut subjects.iter_mut().map(|subject| &mut subject.row).collect::<Vec<_>>());
        for Subject { mut row, is_known, .. } in subjects {
            row.message = row.message.map(|text| self.plan.settings.options.spell(&text));
            if is_known {
                self.done.known += 1;
            } else {
                self.store.put(row.clone())?;
            }
            (self.tell)(&Event::Ended { row: &row, is_known });
            self.done.rows.push(row);
        }
        self.steps = self.done.rows.len() * self.plan.steps();
        Ok(())
    }
}

fn elapsed(clock: Instant) -> u64 {
    u64::try_from(clock.elapsed().as_nanos()).unwrap_or(u64::MAX)
}

//! Holds dispatches against recorded operations: each execution of a command buffer has each of its dispatches.
//!
//! Filters of a capture leave out functions, indexes, command buffers, queues or devices, and a bundle does not say so. But
//! they leave out all dispatches of a kind. So only kinds count of which there are some dispatches and not all, and if all
//! are of one command buffer, only its executions.

use std::collections::{BTreeSet, HashMap};

use super::recorded::{CommandBuffers, Recorded, position};
use super::window::DispatchSpan;
use crate::fold::shared::Grouped;

/// Session, device, queue and command buffer.
type Executed = [u64; 4];

/// Session, device, queue, executable, function and index: what filters tell apart, but for command buffers.
type Class = [u64; 6];

/// The executions of command buffers, and their dispatches.
#[derive(Debug, Default)]
pub struct Due {
    executions: Grouped<4, u64>,
    /// For each recorded dispatch of the command buffer, the number of dispatches.
    dispatches: Grouped<4, Vec<u64>>,
}

impl Due {
    /// Adds an execution, according to the queue.
    pub fn execute(&mut self, executed: Executed) {
        if let Some(count) = self.executions.at(executed) {
            *count += 1;
        }
    }

    /// Adds the dispatches of an execution.
    pub fn ran(&mut self, executed: Executed, execution: &[DispatchSpan], recorded: &[Recorded]) {
        let Some(counts) = self.dispatches.at(executed) else { return };
        counts.resize(recorded.len(), 0);
        for ran in execution {
            let nth = position(recorded, ran.command_index);
            if let Some(count) = nth.and_then(|nth| counts.get_mut(nth)) {
                *count += 1;
            }
        }
    }

    /// Returns how many functions ran in command buffers without any dispatch, as if a filter left them out, and how many
    /// ran; nothing if there are no dispatches at all.
    pub fn left_out(&self, buffers: &CommandBuffers) -> [u64; 2] {
        // By session, executable and function.
        let mut functions: HashMap<[u64; 3], u64> = HashMap::new();
        let executed: BTreeSet<Executed> =
            self.executions.keys().iter().chain(self.dispatches.keys()).copied().collect();
        for executed in &executed {
            let [session, .., buffer] = *executed;
            let counts = self.dispatches.find(*executed);
            for (nth, recorded) in buffers.dispatches(session, buffer).iter().enumerate() {
                let there = functions
                    .entry([session, recorded.executable_id, recorded.function_ordinal])
                    .or_default();
                let count = counts.and_then(|counts| counts.get(nth)).copied();
                // What may not have run is not left out.
                let is_there = u64::from(!recorded.is_sure);
                *there += count.unwrap_or_default().max(is_there);
            }
        }
        let left_out = functions.values().filter(|there| **there == 0).count();
        if left_out == functions.len() {
            [0; 2]
        } else {
            [left_out, functions.len()].map(|it| it as u64)
        }
    }

    /// Returns how many dispatches are missing, and how many there should be.
    pub fn missing(&self, buffers: &CommandBuffers) -> [u64; 2] {
        // Number of command buffers with dispatches by session, device and queue.
        let mut seen: HashMap<&[u64], u64> = HashMap::new();
        for ([place @ .., _], _) in self.dispatches.iter() {
            *seen.entry(place).or_default() += 1;
        }
        let mut classes: HashMap<Class, [u64; 2]> = HashMap::new();
        for (executed, executions) in self.executions.iter() {
            let [place @ .., buffer] = executed;
            let counts = self.dispatches.find(*executed);
            let may_be_filtered = seen.get(place.as_slice()).is_none_or(|count| *count < 2);
            if counts.is_none() && may_be_filtered {
                continue;
            }
            let [session, device, queue] = *place;
            for (nth, recorded) in buffers.dispatches(session, *buffer).iter().enumerate() {
                let Recorded { executable_id, function_ordinal, command_index, .. } = *recorded;
                let class =
                    [session, device, queue, executable_id, function_ordinal, command_index];
                let [due, there] = classes.entry(class).or_default();
                if recorded.is_sure {
                    let count = counts.and_then(|counts| counts.get(nth)).copied();
                    *due += executions;
                    *there += count.unwrap_or_default().min(*executions);
                }
            }
        }
        let partly = classes.into_values().filter(|[due, there]| *there > 0 && there <= due);
        partly.fold([0; 2], |[missing, all], [due, there]| [missing + due - there, all + due])
    }
}

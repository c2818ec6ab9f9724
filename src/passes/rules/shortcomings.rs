//! What the records of a mode lack to answer a question, although the mode was recorded completely.

use std::collections::{HashMap, HashSet};

use crate::fold::{COMMAND_BUFFER, Group, KIND};

/// Types of queue events and host spans.
const EXECUTE: u64 = 3;
const TRANSFERS: std::ops::RangeInclusive<u64> = 4..=6;

/// Types of the operations of command buffers that transfer.
const RECORDED: std::ops::RangeInclusive<u64> = 3..=5;

/// Types of memory events.
const ALLOCA: u64 = 7;
const DEALLOCA: u64 = 8;

/// What all records together lack.
#[derive(Debug, Default)]
pub struct Shortcomings {
    /// Number of transfers by operations of command buffers that were executed, but not timed.
    untimed_transfers: u64,
    /// Number of executions of command buffers whose operations no record describes, so that their transfers are not known.
    undescribed_executions: u64,
    pub releases: Releases,
}

/// Queue allocations, and how many of them have no recorded release: the host frees results without an event.
#[derive(Debug, Clone, Copy, Default)]
pub struct Releases {
    pub allocated: u64,
    pub(crate) unreleased: u64,
}

impl Shortcomings {
    /// Returns what the records that `groups` count lack.
    pub fn of(groups: &[Group]) -> Self {
        Self {
            untimed_transfers: untimed_transfers(groups),
            undescribed_executions: undescribed_executions(groups),
            releases: Releases::of(groups),
        }
    }

    /// Returns why a mode does not answer a question completely; `None` if nothing is lacking.
    pub fn reason(&self, question: &str, mode: &str) -> Option<String> {
        match (question, mode) {
            ("transfers", "device-queue-events" | "host-execution") => {
                let [untimed, unknown] = [self.untimed_transfers, self.undescribed_executions];
                let untimed = (untimed > 0).then(|| {
                    format!("transfers by operations of command buffers have no times of their own ({untimed})")
                });
                let unknown = (unknown > 0).then(|| {
                    format!("what command buffers transfer is not recorded (executions: {unknown})")
                });
                let said: Vec<String> = untimed.into_iter().chain(unknown).collect();
                (!said.is_empty()).then(|| said.join(", "))
            }
            ("memory", "memory-events") => {
                let Releases { allocated, unreleased } = self.releases;
                (unreleased > 0).then(|| {
                    format!("{unreleased} of {allocated} queue allocations have no recorded release, so that their bytes are an upper bound where their pool has no statistics")
                })
            }
            _ => None,
        }
    }
}

impl Releases {
    /// Counts the queue allocations by session.
    pub fn of(groups: &[Group]) -> Self {
        let mut sessions: HashMap<u64, [u64; 2]> = HashMap::new();
        for group in groups.iter().filter(|group| group.table == "memory_events") {
            let [allocated, released] = sessions.entry(group.session_id).or_default();
            match group.key(KIND) {
                Some(ALLOCA) => *allocated += group.row_count,
                Some(DEALLOCA) => *released += group.row_count,
                _ => {}
            }
        }
        let add = |sum: Self, [allocated, released]: &[u64; 2]| Self {
            allocated: sum.allocated + allocated,
            unreleased: sum.unreleased + allocated.saturating_sub(*released),
        };
        sessions.values().fold(Self::default(), add)
    }
}

/// Counts the executions of command buffers that no operation describes.
fn undescribed_executions(groups: &[Group]) -> u64 {
    let of = |table: &'static str| groups.iter().filter(move |group| group.table == table);
    let buffer = |group: &Group| Some([group.session_id, group.key(COMMAND_BUFFER)?]);
    let described: HashSet<[u64; 2]> = of("command_operations").filter_map(buffer).collect();
    let executions = of("queue_events").filter(|group| group.key(KIND) == Some(EXECUTE));
    let unknown =
        executions.filter(|group| buffer(group).is_none_or(|buffer| !described.contains(&buffer)));
    unknown.fold(0, |sum, group| sum.saturating_add(group.row_count))
}

/// Counts the transfers of command buffers by their operations and executions, as the view `transfers` does, except those that
/// the host timed.
fn untimed_transfers(groups: &[Group]) -> u64 {
    let of = |table: &'static str| groups.iter().filter(move |group| group.table == table);
    let buffer = |group: &Group| Some([group.session_id, group.key(COMMAND_BUFFER)?]);
    let is_of = |group: &Group, kinds: &std::ops::RangeInclusive<u64>| {
        group.key(KIND).is_some_and(|kind| kinds.contains(&kind))
    };
    let mut executions: HashMap<[u64; 2], u64> = HashMap::new();
    for group in of("queue_events").filter(|group| group.key(KIND) == Some(EXECUTE)) {
        if let Some(buffer) = buffer(group) {
            *executions.entry(buffer).or_default() += group.row_count;
        }
    }
    let mut transfers: HashMap<[u64; 2], u64> = HashMap::new();
    for group in of("command_operations").filter(|group| is_of(group, &RECORDED)) {
        if let Some((buffer, times)) = buffer(group).and_then(|it| Some((it, executions.get(&it)?)))
        {
            let sum = transfers.entry(buffer).or_default();
            *sum = sum.saturating_add(group.row_count.saturating_mul(*times));
        }
    }
    for group in of("host_execution_events").filter(|group| is_of(group, &TRANSFERS)) {
        if let Some(sum) = buffer(group).and_then(|buffer| transfers.get_mut(&buffer)) {
            *sum = sum.saturating_sub(group.row_count);
        }
    }
    transfers.into_values().fold(0, u64::saturating_add)
}

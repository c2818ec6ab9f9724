//! Finds references to objects that no record of the same session defines.

use std::collections::{BTreeMap, HashSet};

use crate::fold::shared::{
    COMMAND_BUFFER, Columns, DEVICE, EXECUTABLE, FUNCTION, Group, QUEUE, SET, STREAM,
};

/// A kind of object: its name, the keys that identify an object, and the table that defines them.
struct Thing {
    name: &'static str,
    keys: &'static [usize],
    described_by: &'static str,
}

const THINGS: &[Thing] = &[
    Thing { name: "device", keys: &[DEVICE], described_by: "devices" },
    Thing { name: "queue", keys: &[DEVICE, QUEUE, STREAM], described_by: "queues" },
    // Memory events name a queue without its stream.
    Thing { name: "queue", keys: &[DEVICE, QUEUE], described_by: "queues" },
    Thing { name: "command buffer", keys: &[COMMAND_BUFFER], described_by: "command_buffers" },
    Thing { name: "executable", keys: &[EXECUTABLE], described_by: "executables" },
    Thing { name: "function", keys: &[EXECUTABLE, FUNCTION], described_by: "executable_functions" },
    Thing { name: "counter set", keys: &[SET], described_by: "counter_sets" },
    Thing { name: "metric source", keys: &[SET], described_by: "device_metric_sources" },
];

/// Tables whose records have references, and the kind of object that their key [`SET`] refers to.
const USERS: &[(&str, Option<&str>)] = &[
    ("dispatch_events", None),
    ("host_execution_events", None),
    ("queue_events", None),
    ("queue_device_events", None),
    ("command_region_events", None),
    ("command_operations", None),
    ("counter_samples", Some("counter set")),
    ("executable_traces", None),
    ("executable_functions", None),
    ("command_buffers", None),
    ("memory_events", None),
    ("clock_correlations", None),
    ("event_relationships", None),
    ("device_metric_samples", Some("metric source")),
];

/// The undefined objects of one kind that the records of one table and session refer to.
#[derive(Debug)]
pub struct Missing {
    pub session_id: u64,
    pub table: &'static str,
    pub what: &'static str,
    pub count: u64,
    pub row_count: u64,
    pub(crate) first_byte_offset: u64,
}

impl Thing {
    /// Returns the object that a group refers to; `None` if a key is absent.
    fn of(&self, group: &Group) -> Option<[u64; 3]> {
        let mut found = [0; 3];
        for (place, key) in found.iter_mut().zip(self.keys) {
            *place = group.key(*key)?;
        }
        Some(found)
    }

    fn is_referred_to_by(&self, table: &str) -> bool {
        let user = USERS.iter().find(|(name, _)| *name == table);
        user.is_some_and(|(name, set)| {
            // Metric samples refer to a source, which belongs to a device; their own device is not checked.
            match self.keys {
                [SET] => *set == Some(self.name),
                [DEVICE, QUEUE] => *name == "memory_events",
                _ => *name != "device_metric_samples",
            }
        })
    }
}

/// Session, table and kind of object.
type Key = (u64, &'static str, &'static str);

/// Finds all undefined references.
pub fn missing(groups: &[Group]) -> Vec<Missing> {
    let mut found: BTreeMap<Key, (HashSet<[u64; 3]>, Missing)> = BTreeMap::new();
    for thing in THINGS {
        let described: HashSet<(u64, [u64; 3])> = groups
            .iter()
            .filter(|group| group.table == thing.described_by)
            .filter_map(|group| Some((group.session_id, thing.of(group)?)))
            .collect();
        for group in groups.iter().filter(|group| thing.is_referred_to_by(group.table)) {
            let Some(used) = thing.of(group) else { continue };
            if described.contains(&(group.session_id, used)) {
                continue;
            }
            let key = (group.session_id, group.table, thing.name);
            let (which, missing) = found.entry(key).or_insert_with(|| {
                let (session_id, table, what) = key;
                let first_byte_offset = group.first_byte_offset;
                let new =
                    Missing { session_id, table, what, count: 0, row_count: 0, first_byte_offset };
                (HashSet::new(), new)
            });
            which.insert(used);
            missing.count = which.len() as u64;
            missing.row_count = missing.row_count.saturating_add(group.row_count);
            missing.first_byte_offset = missing.first_byte_offset.min(group.first_byte_offset);
        }
    }
    found.into_values().map(|(_, missing)| missing).collect()
}

/// The columns of `missing_references`.
pub fn columns() -> Columns<Missing> {
    Columns::<Missing>::new()
        .number("session_id", |row| row.session_id)
        .text("table", |row| row.table)
        .text("missing", |row| row.what)
        .number("missing_count", |row| row.count)
        .number("row_count", |row| row.row_count)
        .number("first_byte_offset", |row| row.first_byte_offset)
}

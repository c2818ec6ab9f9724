//! Tells why a bundle has no dispatches: the program has none, they were recorded and lost, or they were not recorded.

use std::collections::HashMap;

use crate::fold::health::chunks::ByTable;
use crate::fold::shared::{COMMAND_BUFFER, Group, KIND};

/// Why there are no dispatches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// The program runs none.
    None,
    /// The producer dropped them, or they are damaged.
    Lost,
    NotRecorded,
}

/// The tables that tell, besides chunks.
pub const TABLES: [&str; 4] =
    ["dispatch_events", "host_execution_events", "queue_events", "command_operations"];

/// The columns of the groups that tell.
pub const READ: [&str; 2] = ["type", "command_buffer_id"];

/// Type of dispatches among queue events, host spans and operations; type of executions of command buffers.
const DISPATCH: u64 = 2;
const EXECUTE: u64 = 3;

impl Absence {
    /// Returns why there are no dispatches; `None` if there are some.
    pub fn of(groups: &[Group], chunks: &ByTable) -> Option<Self> {
        let of = |table: &'static str| groups.iter().filter(move |group| group.table == table);
        let is = |kind: u64| move |group: &&Group| group.key(KIND) == Some(kind);
        let spans = || of("host_execution_events");
        if of("dispatch_events").next().is_some() || spans().any(|group| is(DISPATCH)(&group)) {
            return None;
        }
        let is_lost =
            |table| chunks.get(&Some(table)).is_some_and(|it| it.is_lossy() || it.damaged > 0);
        if TABLES.into_iter().any(is_lost) {
            return Some(Self::Lost);
        }
        let has_queued = of("queue_events").any(|group| is(DISPATCH)(&group));
        let mut described: HashMap<(u64, Option<u64>), bool> = HashMap::new();
        for group in of("command_operations") {
            let key = (group.session_id, group.key(COMMAND_BUFFER));
            *described.entry(key).or_default() |= is(DISPATCH)(&group);
        }
        let has_no_dispatch = |group: &Group| {
            described.get(&(group.session_id, group.key(COMMAND_BUFFER))) == Some(&false)
        };
        // Where executions have host spans, dispatches would have them, too.
        let are_timed = spans().any(|group| is(EXECUTE)(&group));
        let has_none = are_timed || of("queue_events").filter(is(EXECUTE)).all(has_no_dispatch);
        let is_known = of("queue_events").next().is_some() || are_timed;
        Some(if is_known && has_none && !has_queued { Self::None } else { Self::NotRecorded })
    }

    /// Returns the name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Lost => "lost",
            Self::NotRecorded => "not_recorded",
        }
    }
}

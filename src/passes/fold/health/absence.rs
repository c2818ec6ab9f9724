//! Tells why a bundle has no dispatches: the program has none, they were recorded and lost, or they were not recorded.

use std::collections::HashMap;
use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::place::Places;

use crate::fold::health::chunks::ByTable;
use crate::fold::shared::{COMMAND_BUFFER, Group, KIND, blocks};

/// Why there are no dispatches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Absence {
    /// The program runs none.
    None,
    /// Those of the program have no workgroups, as an extent is 0.
    Empty,
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

/// Flag of operations that take their workgroup counts from memory.
const IS_INDIRECT: u64 = 1 << 1;

const OPERATION: Places<6> = Places::new(
    "command_operations",
    [
        "command_buffer_id",
        "type",
        "flags",
        "workgroup_count_x",
        "workgroup_count_y",
        "workgroup_count_z",
    ],
);

/// The dispatches that a command buffer records.
#[derive(Debug, Default)]
struct Recorded {
    /// Whether there are any, any with workgroups, and any whose workgroups are counted when they run.
    is_any: bool,
    has_work: bool,
    is_indirect: bool,
}

/// What the described command buffers record, by session and id.
type Described = HashMap<(u64, u64), Recorded>;

impl Absence {
    /// Returns why there are no dispatches; `None` if there are some.
    pub fn of(
        bundle: &Arc<Bundle>,
        groups: &[Group],
        chunks: &ByTable,
    ) -> Result<Option<Self>, BundleError> {
        let of = |table: &'static str| groups.iter().filter(move |group| group.table == table);
        let is = |kind: u64| move |group: &&Group| group.key(KIND) == Some(kind);
        let spans = || of("host_execution_events");
        if of("dispatch_events").next().is_some() || spans().any(|group| is(DISPATCH)(&group)) {
            return Ok(None);
        }
        let is_lost =
            |table| chunks.get(&Some(table)).is_some_and(|it| it.is_lossy() || it.damaged > 0);
        if TABLES.into_iter().any(is_lost) {
            return Ok(Some(Self::Lost));
        }
        let queued = || of("queue_events");
        // Where executions have host spans, dispatches would have them, too.
        let are_timed = spans().any(|group| is(EXECUTE)(&group));
        let is_known = queued().next().is_some() || are_timed;
        if !is_known || queued().any(|group| is(DISPATCH)(&group)) {
            return Ok(Some(Self::NotRecorded));
        }
        let described = described(bundle)?;
        let executed = queued().chain(spans()).filter(is(EXECUTE));
        let buffers = executed.map(|group| {
            let buffer = group.key(COMMAND_BUFFER).unwrap_or_default();
            described.get(&(group.session_id, buffer))
        });
        Ok(Some(Self::of_executed(buffers, are_timed)))
    }

    /// Returns why the executions of these command buffers, of which some may not be described, have no dispatches.
    fn of_executed<'a>(
        buffers: impl Iterator<Item = Option<&'a Recorded>>,
        are_timed: bool,
    ) -> Self {
        let mut absence = Self::None;
        for buffer in buffers {
            match buffer {
                None if !are_timed => return Self::NotRecorded,
                Some(it) if it.has_work || it.is_indirect && !are_timed => {
                    return Self::NotRecorded;
                }
                Some(it) if it.is_any => absence = Self::Empty,
                _ => {}
            }
        }
        absence
    }

    /// Returns the name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Empty => "empty",
            Self::Lost => "lost",
            Self::NotRecorded => "not_recorded",
        }
    }

    /// Says why there is nothing to record; `None` if there is.
    pub const fn why_nothing(self) -> Option<&'static str> {
        match self {
            Self::None => Some("the program runs no dispatches"),
            Self::Empty => Some("the dispatches have no workgroups, as an extent is 0"),
            Self::Lost | Self::NotRecorded => None,
        }
    }
}

/// Reads the operations of command buffers.
fn described(bundle: &Arc<Bundle>) -> Result<Described, BundleError> {
    let mut all = Described::new();
    blocks(bundle, &[OPERATION.table], |block| {
        for row in block.rows() {
            let [buffer, kind, flags, counts @ ..] = row.numbers(&OPERATION);
            let known = all.entry((block.header.session_id, buffer)).or_default();
            if kind == DISPATCH {
                let is_indirect = flags & IS_INDIRECT != 0;
                known.is_any = true;
                known.is_indirect |= is_indirect;
                known.has_work |= !is_indirect && !counts.contains(&0);
            }
        }
        Ok(())
    })?;
    Ok(all)
}

//! The recorded operations of command buffers: which dispatches an execution has, and which of them barriers separate.

use std::sync::Arc;

use read::bundle::{Bundle, BundleError};
use schemas::place::Places;

use crate::fold::shared::{Grouped, blocks};

const OPERATION: Places<6> = Places::new(
    "command_operations",
    ["command_buffer_id", "command_index", "type", "flags", "executable_id", "function_ordinal"],
);

const WORKGROUPS: Places<3> =
    Places::new(OPERATION.table, ["workgroup_count_x", "workgroup_count_y", "workgroup_count_z"]);

/// Types of operations.
const BARRIER: u64 = 1;
const DISPATCH: u64 = 2;
const BRANCH: u64 = 7;
const CONDITIONAL_BRANCH: u64 = 8;

/// Flags of operations: they order what is before and after them, take their parameters from memory, and branch.
const ORDERS: u64 = 1;
const IS_INDIRECT: u64 = 1 << 1;
const BRANCHES: u64 = 1 << 5;

/// A dispatch that a command buffer records.
#[derive(Debug, Clone, Copy)]
pub struct Recorded {
    pub command_index: u64,
    /// Number of barriers before it. All that has a smaller number ends before it starts.
    pub region: u64,
    pub executable_id: u64,
    pub function_ordinal: u64,
    /// Whether each execution has it: its workgroups are known and not zero.
    pub(crate) is_sure: bool,
}

/// The command buffers of a bundle, by session and id.
#[derive(Debug, Default)]
pub struct CommandBuffers(Grouped<2, CommandBuffer>);

/// The recorded operations of a command buffer: barriers and dispatches.
#[derive(Debug, Default)]
struct CommandBuffer {
    operations: Vec<(u64, Option<Recorded>)>,
    /// Whether not all of its operations are executed.
    has_branches: bool,
    dispatches: Vec<Recorded>,
}

impl CommandBuffers {
    /// Reads the command buffers of `bundle`.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut all = Self::default();
        blocks(bundle, &[OPERATION.table], |block| {
            for row in block.rows() {
                let numbers = row.numbers(&OPERATION);
                let is_empty = row.numbers(&WORKGROUPS).contains(&0);
                if let Some(buffer) = all.0.at([block.header.session_id, numbers[0]]) {
                    buffer.add(numbers, is_empty);
                }
            }
            Ok(())
        })?;
        all.0.values_mut().iter_mut().for_each(CommandBuffer::number);
        Ok(all)
    }

    /// Returns the dispatches of a command buffer, by index; none if it is not described or branches.
    pub fn dispatches(&self, session: u64, id: u64) -> &[Recorded] {
        let buffer = self.0.find([session, id]).filter(|buffer| !buffer.has_branches);
        buffer.map_or(&[], |buffer| &buffer.dispatches)
    }
}

/// Returns the position of the dispatch with an index.
pub fn position(dispatches: &[Recorded], command_index: u64) -> Option<usize> {
    dispatches.binary_search_by_key(&command_index, |recorded| recorded.command_index).ok()
}

impl CommandBuffer {
    fn add(&mut self, [_, index, kind, flags, executable, ordinal]: [u64; 6], is_empty: bool) {
        self.has_branches |= matches!(kind, BRANCH | CONDITIONAL_BRANCH) || flags & BRANCHES != 0;
        let dispatch = Recorded {
            command_index: index,
            region: 0,
            executable_id: executable,
            function_ordinal: ordinal,
            is_sure: !is_empty && flags & IS_INDIRECT == 0,
        };
        match kind {
            BARRIER if flags & ORDERS != 0 => self.operations.push((index, None)),
            DISPATCH => self.operations.push((index, Some(dispatch))),
            _ => {}
        }
    }

    /// Counts the barriers before each dispatch. Of operations with the same index, the first counts.
    fn number(&mut self) {
        let mut operations = std::mem::take(&mut self.operations);
        operations.sort_by_key(|(index, _)| *index);
        operations.dedup_by_key(|(index, _)| *index);
        let mut region = 0;
        for (_, dispatch) in operations {
            match dispatch {
                None => region += 1,
                Some(dispatch) => self.dispatches.push(Recorded { region, ..dispatch }),
            }
        }
    }
}

//! Checks the references of events to queues, command buffers and functions. Repeated references are not checked
//! again.

use base::Pattern;
use read::bundle::Fault;

use crate::fold::dispatches::rows::Timed;
use crate::fold::metadata::{Function, Metadata, Queues};
use crate::fold::pass::Call;
use crate::fold::shared::{Block, Groups, Row};

/// The references of the dispatches of one family.
pub struct References<'a> {
    metadata: &'a Metadata,
    pattern: Pattern,
    pub queues: Queues<'a>,
    /// The last checked command buffer; references come in runs.
    checked_command_buffer: u64,
    /// Dispatch groups by device, executable and function ordinal.
    groups: Groups<3>,
    /// For each group, its function if the pattern matches.
    functions: Vec<Option<MatchedFunction<'a>>>,
}

/// A function that matches the pattern.
pub struct MatchedFunction<'a> {
    pub function: &'a Function,
    pub position: usize,
    /// The name that reports print.
    pub key: String,
}

impl<'a> References<'a> {
    /// Creates a checker for the metadata and the pattern of a call.
    pub fn new(call: &Call<'a>) -> Self {
        Self {
            metadata: call.metadata,
            pattern: call.pattern(),
            queues: Queues::new(call.metadata),
            checked_command_buffer: 0,
            groups: Groups::default(),
            functions: Vec::new(),
        }
    }

    /// Checks that a record's command buffer is defined; 0 means none.
    #[inline]
    pub(crate) fn check_command_buffer(
        &mut self,
        block: &Block<'_>,
        byte_offset: u64,
        command_buffer: u64,
    ) -> Result<(), Fault> {
        if command_buffer == 0 || command_buffer == self.checked_command_buffer {
            return Ok(());
        }
        if self.metadata.command_buffers.find([command_buffer]).is_none() {
            let what = format!("command buffer {command_buffer} has no metadata");
            return Err(block.fault_at(byte_offset, "command_buffer_id", what));
        }
        self.checked_command_buffer = command_buffer;
        Ok(())
    }

    /// Returns the group number of a dispatch. If the group is new, checks its function.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call would cost as much as the lookup")]
    pub fn group<T: Timed>(&mut self, block: &Block<'_>, row: Row<'_>) -> Result<usize, Fault> {
        match self.groups.find(T::key(block, row)) {
            Some(group) => Ok(group),
            // Computed again, so that the key of the lookup can stay in registers.
            None => self.add_group(block, row.byte_offset, T::key(block, row)),
        }
    }

    #[cold]
    fn add_group(
        &mut self,
        block: &Block<'_>,
        byte_offset: u64,
        group @ [device, executable, ordinal]: [u64; 3],
    ) -> Result<usize, Fault> {
        if self.metadata.executables.find([executable]).is_none() {
            let what = format!("executable {executable} has no metadata");
            return Err(block.fault_at(byte_offset, "executable_id", what));
        }
        let functions = &self.metadata.functions;
        let position = functions.index([executable, ordinal]);
        let Some((position, function)) =
            position.and_then(|position| Some((position, functions.values().get(position)?)))
        else {
            let what = format!("function {ordinal} of executable {executable} has no metadata");
            return Err(block.fault_at(byte_offset, "function_ordinal", what));
        };
        let key = self.metadata.key(device, function);
        let known =
            self.pattern.matches(&key).then_some(MatchedFunction { function, position, key });
        self.functions.push(known);
        Ok(self.groups.insert(group))
    }

    /// Adds the groups of a later part of the file. Returns their numbers in `self`.
    pub fn append(&mut self, others: Self) -> Vec<usize> {
        let groups = others.groups.keys().iter().zip(others.functions);
        let number = |(key, function): (&[u64; 3], _)| {
            let number = self.groups.number(*key);
            if number == self.functions.len() {
                self.functions.push(function);
            }
            number
        };
        groups.map(number).collect()
    }

    /// Returns the function of a group; `None` if it does not match.
    #[inline]
    pub fn function(&self, group: usize) -> Option<&MatchedFunction<'a>> {
        self.functions.get(group)?.as_ref()
    }

    /// Iterates over the matching groups in order of appearance: number, key and function.
    pub fn known(&self) -> impl Iterator<Item = (usize, [u64; 3], &MatchedFunction<'a>)> {
        let groups = self.groups.keys().iter().zip(&self.functions).enumerate();
        groups.filter_map(|(group, (key, known))| Some((group, *key, known.as_ref()?)))
    }

    /// Returns the number of matching groups.
    pub fn matching(&self) -> u64 {
        self.functions.iter().flatten().count() as u64
    }
}

//! What events refer to: queues, command buffers and functions, each checked when it is new.

use crate::bundle::Fault;
use crate::fold::dispatches::rows::Timed;
use crate::fold::metadata::records::{Function, Metadata};
use crate::fold::pass::Call;
use crate::fold::shared::blocks::{Block, Row};
use crate::fold::shared::groups::{Groups, same};
use crate::fold::shared::pattern::Pattern;

/// What the dispatches of one family refer to.
pub struct References<'a> {
    metadata: &'a Metadata,
    pattern: Pattern,
    pub queues: Queues<'a>,
    /// The command buffer that was checked last: they come in runs.
    checked_command_buffer: u64,
    /// Dispatches by device, executable and ordinal of the function.
    groups: Groups<3>,
    /// For each group, its function where the pattern matches.
    functions: Vec<Option<Known<'a>>>,
}

/// The queues that events refer to.
pub struct Queues<'a> {
    metadata: &'a Metadata,
    /// The queue that was checked last: they come in runs.
    checked: Option<[u64; 3]>,
}

impl<'a> Queues<'a> {
    /// Nothing is checked yet.
    pub const fn new(call: &Call<'a>) -> Self {
        Self { metadata: call.metadata, checked: None }
    }

    /// Checks the device, ordinal and stream of the queue of the record at an absolute offset.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call would be as long as the comparison")]
    pub fn check(
        &mut self,
        block: &Block<'_>,
        byte_offset: u64,
        key: [u64; 3],
    ) -> Result<(), Fault> {
        if self.checked.is_some_and(|known| same(&known, &key)) {
            return Ok(());
        }
        // Put together only here, so that the key that was compared stays in registers.
        let [device, queue, stream] = key;
        self.check_another(block, byte_offset, [device, queue, stream])
    }

    #[cold]
    fn check_another(
        &mut self,
        block: &Block<'_>,
        byte_offset: u64,
        key: [u64; 3],
    ) -> Result<(), Fault> {
        let [device, queue, stream] = key;
        if !self.metadata.has_queue(device, queue, stream) {
            let what = format!(
                "queue {queue} (stream {stream}) of device {device} is not described anywhere"
            );
            return Err(block.fault_at(byte_offset, "queue_ordinal", what));
        }
        self.checked = Some(key);
        Ok(())
    }
}

/// A function whose name matches.
pub struct Known<'a> {
    pub function: &'a Function,
    pub position: usize,
    /// Its name as reports print it.
    pub key: String,
}

impl<'a> References<'a> {
    /// Nothing is checked yet.
    pub fn new(call: &Call<'a>) -> Self {
        Self {
            metadata: call.metadata,
            pattern: call.pattern(),
            queues: Queues::new(call),
            checked_command_buffer: 0,
            groups: Groups::default(),
            functions: Vec::new(),
        }
    }

    /// Checks a record's command buffer; 0 is none.
    #[inline]
    pub fn check_command_buffer(
        &mut self,
        block: &Block<'_>,
        byte_offset: u64,
        command_buffer: u64,
    ) -> Result<(), Fault> {
        if command_buffer == 0 || command_buffer == self.checked_command_buffer {
            return Ok(());
        }
        if self.metadata.command_buffer(command_buffer).is_none() {
            let what = format!("command buffer {command_buffer} is not described anywhere");
            return Err(block.fault_at(byte_offset, "command_buffer_id", what));
        }
        self.checked_command_buffer = command_buffer;
        Ok(())
    }

    /// The number of a dispatch's group. Where it is new, its function is checked.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call would be as long as the lookup")]
    pub fn group<T: Timed>(&mut self, block: &Block<'_>, row: Row<'_>) -> Result<usize, Fault> {
        match self.groups.find(T::key(block, row)) {
            Some(group) => Ok(group),
            // Put together again, so that the key that was looked for stays in registers.
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
        if !self.metadata.has_executable(executable) {
            let what = format!("executable {executable} is not described anywhere");
            return Err(block.fault_at(byte_offset, "executable_id", what));
        }
        let position = self.metadata.function(executable, ordinal);
        let Some((position, function)) =
            position.and_then(|position| Some((position, self.metadata.functions.get(position)?)))
        else {
            let what =
                format!("function {ordinal} of executable {executable} is not described anywhere");
            return Err(block.fault_at(byte_offset, "function_ordinal", what));
        };
        let key = self.metadata.key(device, function);
        let known = self.pattern.matches(&key).then_some(Known { function, position, key });
        self.functions.push(known);
        Ok(self.groups.insert(group))
    }

    /// Takes over groups that were found elsewhere, and gives the number of each here.
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

    /// The function of a group, where it matches.
    #[inline]
    pub fn function(&self, group: usize) -> Option<&Known<'a>> {
        self.functions.get(group)?.as_ref()
    }

    /// The groups that match, in order of appearance: their numbers, keys and functions.
    pub fn known(&self) -> impl Iterator<Item = (usize, [u64; 3], &Known<'a>)> {
        let groups = self.groups.keys().iter().zip(&self.functions).enumerate();
        groups.filter_map(|(group, (key, known))| Some((group, *key, known.as_ref()?)))
    }

    /// How many groups match.
    pub fn matching(&self) -> u64 {
        self.functions.iter().flatten().count() as u64
    }
}

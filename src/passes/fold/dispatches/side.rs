//! Aggregates the dispatches of one family.

use read::bundle::{BundleError, Fault};

use crate::fold::dispatches::references::References;
use crate::fold::dispatches::rows::{Event, Timed};
use crate::fold::dispatches::sums::{Sum, SumsInQueues};
use crate::fold::pass::Call;
use crate::fold::shared::{Block, Chunks, Row, Times, Welford, grown, in_turn};

/// The kind of the `id` argument. It decides which references are checked and which groups are formed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Dispatch,
    Executable,
    Command,
    Queue,
}

impl By {
    fn named(name: &str) -> Self {
        match name {
            "executable" => Self::Executable,
            "command" => Self::Command,
            "queue" => Self::Queue,
            _ => Self::Dispatch,
        }
    }

    /// Whether executions of command buffers are aggregated.
    fn has_executions<T: Timed>(self) -> bool {
        self == Self::Command || (self == Self::Queue && !T::ON_DEVICE)
    }

    /// Whether submissions are aggregated.
    fn has_submissions<T: Timed>(self) -> bool {
        self == Self::Queue && T::ON_DEVICE
    }

    /// Returns the id of a dispatch that the argument is compared with.
    #[inline]
    fn id<T: Timed>(self, row: Row<'_>) -> u64 {
        match self {
            Self::Dispatch => T::ids(row).event_id,
            Self::Executable => T::function(row)[0],
            Self::Command => T::ids(row).command_buffer_id,
            Self::Queue => T::ids(row).submission_id,
        }
    }
}

/// Initial capacity of the buffer of durations: the dispatches of a usual chunk.
const ASIDE: usize = 1 << 16;

/// The aggregates of one family.
pub struct Side<'a> {
    by: By,
    id: Option<u64>,
    pub references: References<'a>,
    pub total: u64,
    /// By group of [`References`], that is by device and function.
    pub sums: Vec<FunctionSum>,
    /// By submission and command buffer.
    pub executions: SumsInQueues<2>,
    /// By submission.
    pub submissions: SumsInQueues<1>,
    /// Groups and durations whose means are updated later; `None` if they are updated at once.
    aside: Option<Vec<(usize, u64)>>,
}

impl<'a> Side<'a> {
    fn new(call: &Call<'a>) -> Self {
        Self {
            by: By::named(call.by()),
            id: call.id(),
            references: References::new(call),
            total: 0,
            sums: Vec::new(),
            executions: SumsInQueues::default(),
            submissions: SumsInQueues::default(),
            aside: None,
        }
    }

    /// Aggregates a family, on several threads if there is enough work.
    pub fn of<T: Timed>(
        call: &Call<'a>,
        chunks: &Chunks<'_>,
        threads: usize,
    ) -> Result<Self, BundleError> {
        if threads > 1 && chunks.can_be_shared() {
            let mut whole = Self::new(call);
            let part = || Self { aside: Some(Vec::with_capacity(ASIDE)), ..Self::new(call) };
            if in_turn(chunks, threads, part, Self::add_block::<T>, |part| whole.append::<T>(part))
            {
                return Ok(whole);
            }
        }
        // One thread; also after a failure, to report the first fault in the file.
        let mut side = Self::new(call);
        chunks.each(|block| side.add_block::<T>(block))?;
        Ok(side)
    }

    /// The hot loop over the records. Not inlined, so that it is compiled and optimized once, as a unit.
    #[inline(never)]
    fn add_block<T: Timed>(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        block.each_row(T::IDS.layout, |row| self.add::<T>(block, row))
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the loop over millions of records calls it")]
    fn add<T: Timed>(&mut self, block: &Block<'_>, row: Row<'_>) -> Result<(), Fault> {
        if !T::is_dispatch(row) {
            return Ok(());
        }
        self.total += 1;
        if self.id.is_some_and(|id| self.by.id::<T>(row) != id) {
            return Ok(());
        }
        let (at, queue) = (row.byte_offset, T::queue(block, row));
        self.references.queues.check(block, at, queue)?;
        if self.by == By::Command {
            self.references.check_command_buffer(block, at, T::ids(row).command_buffer_id)?;
        }
        let group = self.references.group::<T>(block, row)?;
        if self.references.function(group).is_none() {
            return Ok(());
        }
        let event = T::event(row);
        let is_valid = T::is_valid(&event);
        if self.add_to_function::<T>(group, &event, is_valid, at)
            && self.add_to_others::<T>(block, row, &event, is_valid)
        {
            return Ok(());
        }
        Err(T::too_long(block, row))
    }

    /// Adds a dispatch to the sums of its function. Returns false if a sum overflows.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the loop over millions of records calls it")]
    fn add_to_function<T: Timed>(
        &mut self,
        group: usize,
        event: &Event,
        is_valid: bool,
        byte_offset: u64,
    ) -> bool {
        let Some(function) = grown(&mut self.sums, group) else { return false };
        function.last_byte_offset = byte_offset;
        if is_valid {
            match &mut self.aside {
                None => function.mean.add_duration(event.duration()),
                Some(aside) => aside.push((group, event.duration())),
            }
        }
        function.sum.add::<T>(event, is_valid)
    }

    /// Adds a dispatch to the sums of its execution and its submission, if these are aggregated. Returns false if a
    /// sum overflows.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the loop over millions of records calls it")]
    fn add_to_others<T: Timed>(
        &mut self,
        block: &Block<'_>,
        row: Row<'_>,
        event: &Event,
        is_valid: bool,
    ) -> bool {
        let mut fine = true;
        if self.by.has_executions::<T>()
            && let Some(key) = T::execution(row)
        {
            fine &= self.executions.add::<T>(T::queue(block, row), key, event, is_valid);
        }
        if self.by.has_submissions::<T>() {
            let key = [T::ids(row).submission_id];
            fine &= self.submissions.add::<T>(T::queue(block, row), key, event, is_valid);
        }
        fine
    }

    /// Returns the numbers of matching, of valid, and of invalid dispatches.
    pub fn counts(&self) -> [u64; 3] {
        Times::counts(self.sums.iter().map(|function| &function.sum.times))
    }

    /// Merges the next part of the file. Returns false if a sum overflows.
    fn append<T: Timed>(&mut self, part: Self) -> bool {
        self.total += part.total;
        let groups = self.references.append(part.references);
        let fits = groups.iter().zip(&part.sums).all(|(group, other)| {
            grown(&mut self.sums, *group).is_some_and(|sum| sum.append::<T>(other))
        });
        if !fits
            || !self.executions.append::<T>(&part.executions)
            || !self.submissions.append::<T>(&part.submissions)
        {
            return false;
        }
        // Parts are appended in file order, so each mean sees its durations in that order (see [`Welford`]).
        for (group, duration) in part.aside.into_iter().flatten() {
            if let Some(function) = groups.get(group).and_then(|group| self.sums.get_mut(*group)) {
                function.mean.add_duration(duration);
            }
        }
        true
    }
}

/// The sums of the dispatches of a function.
#[derive(Debug, Default)]
pub struct FunctionSum {
    pub sum: Sum,
    /// Running mean of the durations.
    pub mean: Welford,
    /// Offset of the last dispatch in the file.
    pub(crate) last_byte_offset: u64,
}

impl FunctionSum {
    /// Merges the next part of the file, except the mean, which cannot be merged. Returns false if a sum overflows.
    fn append<T: Timed>(&mut self, other: &Self) -> bool {
        self.last_byte_offset = self.last_byte_offset.max(other.last_byte_offset);
        self.sum.append::<T>(&other.sum)
    }
}

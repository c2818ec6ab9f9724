//! Dispatches of the device and of the host, added up by function, by command-buffer execution and by submission.
//!
//! The two families are independent, so they are added up side by side; each in file order, as its running means must
//! be. Where there is only one, threads add up a chunk each and put the durations aside, and the means are taken when the
//! chunks come together in file order.

use crate::fold::shared::threads::side_by_side;
use std::sync::Arc;

use crate::bundle::{BundleError, Fault, limits};
use crate::fold::dispatches::columns::{OUTPUTS, Sides, total_columns};
use crate::fold::dispatches::rows::{Event, OnDevice, OnHost, Timed};
use crate::fold::dispatches::sums::{Sum, SumsInQueues, kept_of};
use crate::fold::metadata::references::References;
use crate::fold::pass::{Call, Pass, Relation};
use crate::fold::shared::blocks::{Block, Row};
use crate::fold::shared::chunks::{Chunks, in_turn};
use crate::fold::shared::times::Times;
use crate::fold::shared::welford::Welford;

/// The pass.
pub static PASS: Pass = Pass::of(OUTPUTS, run);

fn run(call: &Call<'_>) -> Result<Vec<Relation>, BundleError> {
    let sides = read(call)?;
    let totals = total_columns().relation([&sides]);
    let (device, host) = sides;
    Ok(vec![
        totals,
        device.functions::<OnDevice>(call.bundle),
        host.functions::<OnHost>(call.bundle),
        Relation::Sliced(Arc::new(device.executions)),
        Relation::Sliced(Arc::new(host.executions)),
        Relation::Sliced(Arc::new(device.submissions)),
    ])
}

/// Which id an id is, and so what else is checked and added up.
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

    /// Whether executions of command buffers are added up.
    fn has_executions<T: Timed>(self) -> bool {
        self == Self::Command || (self == Self::Queue && !T::ON_DEVICE)
    }

    /// Whether submissions are added up.
    fn has_submissions<T: Timed>(self) -> bool {
        self == Self::Queue && T::ON_DEVICE
    }

    /// The id of a dispatch that an id is.
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

fn read<'a>(call: &Call<'a>) -> Result<Sides<'a>, BundleError> {
    let (on_device, on_host) = (OnDevice::chunks(call.bundle), OnHost::chunks(call.bundle));
    let has_both = on_device.len() > 0 && on_host.len() > 0;
    let (threads, of_each) = if has_both { (call.threads, 1) } else { (1, call.threads) };
    let device = || Side::of::<OnDevice>(call, &on_device, of_each);
    let host = || Side::of::<OnHost>(call, &on_host, of_each);
    let (device, host) = side_by_side(threads, device, host);
    Ok((device?, host?))
}

/// Durations that there is room for at first: as many dispatches as are usually written at once.
const ASIDE: usize = 1 << 16;

/// What is added up of one family.
pub struct Side<'a> {
    by: By,
    id: Option<u64>,
    pub references: References<'a>,
    pub total: u64,
    /// By function.
    pub sums: Vec<FunctionSum>,
    /// By submission and command buffer.
    pub executions: SumsInQueues<2>,
    /// By submission.
    pub submissions: SumsInQueues<1>,
    /// Groups and durations that are to be averaged later.
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

    /// By several threads, where that is worth while.
    fn of<T: Timed>(
        call: &Call<'a>,
        chunks: &Chunks<'_>,
        threads: usize,
    ) -> Result<Self, BundleError> {
        if threads > 1 && chunks.len() > 1 && chunks.largest() <= limits::PART_BYTES {
            let mut whole = Self::new(call);
            let part = || Self { aside: Some(Vec::with_capacity(ASIDE)), ..Self::new(call) };
            if in_turn(chunks, threads, part, Self::add_block::<T>, |part| whole.append::<T>(part))
            {
                return Ok(whole);
            }
        }
        // Alone, or to find what is first at fault.
        let mut side = Self::new(call);
        chunks.each(|block| side.add_block::<T>(block))?;
        Ok(side)
    }

    /// Where the loop over millions of records is: once, so that all of it is compiled as one.
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

    /// Adds a dispatch to its function; false where a sum overflows.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "the loop over millions of records calls it")]
    fn add_to_function<T: Timed>(
        &mut self,
        group: usize,
        event: &Event,
        is_valid: bool,
        byte_offset: u64,
    ) -> bool {
        let Some(function) = kept_of(&mut self.sums, group) else { return false };
        function.last_byte_offset = byte_offset;
        if is_valid {
            match &mut self.aside {
                None => function.mean.add_duration(event.duration()),
                Some(aside) => aside.push((group, event.duration())),
            }
        }
        function.sum.add::<T>(event, is_valid)
    }

    /// Adds it to its execution of a command buffer and to its submission, where these are wanted; false where a sum
    /// overflows.
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

    /// How many dispatches match, how many of them can be timed, and how many cannot.
    pub fn counts(&self) -> [u64; 3] {
        Times::counts(self.sums.iter().map(|function| &function.sum.times))
    }

    /// Adds what follows in the file; false where a sum overflows.
    fn append<T: Timed>(&mut self, part: Self) -> bool {
        self.total += part.total;
        let groups = self.references.append(part.references);
        let fits = groups.iter().zip(&part.sums).all(|(group, other)| {
            kept_of(&mut self.sums, *group).is_some_and(|sum| sum.append::<T>(other))
        });
        if !fits
            || !self.executions.append::<T>(&part.executions)
            || !self.submissions.append::<T>(&part.submissions)
        {
            return false;
        }
        for (group, duration) in part.aside.into_iter().flatten() {
            if let Some(function) = groups.get(group).and_then(|group| self.sums.get_mut(*group)) {
                function.mean.add_duration(duration);
            }
        }
        true
    }
}

/// What the dispatches of a function add up to.
#[derive(Debug, Default)]
pub struct FunctionSum {
    pub sum: Sum,
    /// Of the durations.
    pub mean: Welford,
    /// Where the last one stands.
    pub last_byte_offset: u64,
}

impl FunctionSum {
    /// Adds what follows in the file, but for the mean, which [`Welford`] takes in order; false where a sum overflows.
    fn append<T: Timed>(&mut self, other: &Self) -> bool {
        self.last_byte_offset = self.last_byte_offset.max(other.last_byte_offset);
        self.sum.append::<T>(&other.sum)
    }
}

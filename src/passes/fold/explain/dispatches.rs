//! The pass over the dispatches of a family: sums by function and by submission, and the longest dispatches.

use std::sync::Arc;

use read::bundle::{Bundle, BundleError, Fault};

use crate::fold::clocks::Fit;
use crate::fold::dispatches::{Event, OnDevice, OnHost, References, Sum, SumsInQueues, Timed};
use crate::fold::explain::longest::{Dispatch, Long, Longest};
use crate::fold::explain::running::Running;
use crate::fold::explain::submissions::Submissions;
use crate::fold::invocations::left_out::LeftOut;
use crate::fold::metadata::Metadata;
use crate::fold::pass::Call;
use crate::fold::shared::{Block, Row, Times, Welford, grown, plain_blocks};
use crate::fold::summary::{Devices, Tally};

/// A family of dispatches with a [`Tally`] of all its records, matching or not.
pub trait Tallied: Timed {
    type Tally: Tally + Default;
    /// The name of the family in reports.
    const TIMING_SOURCE: &'static str;

    /// Returns a duration in device ticks; 0 for the host's, which are nanoseconds.
    fn ticks(duration: u64) -> u64 {
        if Self::ON_DEVICE { duration } else { 0 }
    }
}

impl Tallied for OnDevice {
    type Tally = Devices;
    const TIMING_SOURCE: &'static str = "device_dispatch_event";
}

impl Tallied for OnHost {
    type Tally = Times;
    const TIMING_SOURCE: &'static str = "host_execution_event";
}

/// The aggregates of the matching dispatches of a family.
pub struct Dispatches<'a, T: Tallied> {
    pub references: References<'a>,
    id: Option<u64>,
    left_out: Option<LeftOut<'a>>,
    /// Whether to compute means, which costs a division per dispatch.
    has_means: bool,
    /// By device and function; the means are empty unless they are requested.
    pub sums: Vec<(Sum, Welford)>,
    pub longest: Longest,
    /// Submissions; only of the device.
    pub submissions: Submissions,
    /// How long dispatches ran.
    pub running: Running,
    /// Sums by execution of a command buffer, if these must be checked for overflow.
    executions: Option<SumsInQueues<2>>,
    /// Sums of all events of the family.
    pub(crate) tally: T::Tally,
}

impl<'a, T: Tallied> Dispatches<'a, T> {
    fn new(call: &Call<'a>, has_means: bool) -> Self {
        Self {
            references: References::new(call),
            id: call.id(),
            left_out: LeftOut::of(call),
            has_means,
            sums: Vec::new(),
            longest: Longest::default(),
            submissions: Submissions::default(),
            running: Running::default(),
            executions: None,
            tally: T::Tally::default(),
        }
    }

    /// Runs the pass.
    pub fn run(call: &Call<'a>, has_means: bool) -> Result<Self, BundleError> {
        let mut pass = Self::new(call, has_means).over(call.bundle)?;
        if pass.running.is_unordered() {
            let running = Running::keeping();
            pass.running = Self { running, ..Self::new(call, false) }.over(call.bundle)?.running;
            pass.running.put_in_order();
        }
        if pass.may_overflow() {
            // An execution has dispatches of several functions, so its sums can overflow when those of no function
            // do. `iree-profile` refuses that.
            let executions = Some(SumsInQueues::default());
            return Self { executions, ..Self::new(call, has_means) }.over(call.bundle);
        }
        Ok(pass)
    }

    fn over(mut self, bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        plain_blocks(bundle, &[T::TABLE], |_| true, |block| self.add(block))?;
        Ok(self)
    }

    fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let mut tally = self.tally.take(block);
        block.each_row(T::IDS.layout, |row| {
            let times = row.numbers(&T::Tally::TIMES);
            T::Tally::add_times(&mut tally, block, row.byte_offset, times)?;
            self.add_dispatch(block, row)
        })?;
        self.tally.put(block, tally);
        Ok(())
    }

    #[inline]
    fn add_dispatch(&mut self, block: &Block<'_>, row: Row<'_>) -> Result<(), Fault> {
        if !T::is_dispatch(row) || self.id.is_some_and(|id| id != T::ids(row).event_id) {
            return Ok(());
        }
        let queue = T::queue(block, row);
        if self.left_out.as_mut().is_some_and(|it| it.contains(T::submission(block, row))) {
            return Ok(());
        }
        self.references.queues.check(block, row.byte_offset, queue)?;
        let group = self.references.group::<T>(block, row)?;
        if self.references.function(group).is_none() {
            return Ok(());
        }
        let event = T::event(row);
        let is_valid = T::is_valid(&event);
        if is_valid {
            let duration = event.duration();
            if self.longest.has_room(duration) {
                let dispatch = Dispatch { ids: T::ids(row), queue, tiles: event.tiles };
                self.longest.keep(Long { duration, group, dispatch });
            }
        }
        if is_valid {
            self.running.add(block.header.session_id, queue[0], &event);
        }
        if T::ON_DEVICE && !self.running.keeps {
            self.submissions.add(queue, T::ids(row).submission_id, &event, is_valid);
        }
        if self.add_to_execution(block, row, &event, is_valid)
            && self.add_to_function(group, &event, is_valid)
        {
            return Ok(());
        }
        Err(T::too_long(block, row))
    }

    #[inline]
    fn add_to_execution(
        &mut self,
        block: &Block<'_>,
        row: Row<'_>,
        event: &Event,
        is_valid: bool,
    ) -> bool {
        let (Some(executions), Some(key)) = (&mut self.executions, T::execution(row)) else {
            return true;
        };
        executions.add::<T>(T::queue(block, row), key, event, is_valid)
    }

    #[inline]
    fn add_to_function(&mut self, group: usize, event: &Event, is_valid: bool) -> bool {
        let Some((sum, mean)) = grown(&mut self.sums, group) else { return false };
        if self.has_means && is_valid {
            mean.add_duration(event.duration());
        }
        sum.add::<T>(event, is_valid)
    }

    /// Whether the sums of all groups together overflow their types. Device durations are checked by the tally.
    fn may_overflow(&self) -> bool {
        let limit = u128::from(i64::MAX.cast_unsigned());
        let add = |each: fn(&Sum) -> u128| self.sums.iter().map(|(sum, _)| each(sum)).sum::<u128>();
        !T::ON_DEVICE
            && self.executions.is_none()
            && (add(|sum| sum.times.total.into()) > limit
                || add(|sum| sum.tile_count.into()) > u64::MAX.into()
                || add(|sum| sum.tile_duration_ns.cast_unsigned().into()) > limit)
    }

    /// Iterates over the matching groups in order of appearance: number, key (device, executable, ordinal) and sums.
    pub fn matching(&self) -> impl Iterator<Item = (usize, [u64; 3], &Sum)> {
        let known = self.references.known();
        known.filter_map(|(group, key, _)| Some((group, key, &self.sums.get(group)?.0)))
    }

    /// Returns the numbers of matching, of valid, and of invalid dispatches.
    pub fn counts(&self) -> [u64; 3] {
        Times::counts(self.sums.iter().map(|(sum, _)| &sum.times))
    }

    /// Returns the mean duration of a group's dispatches.
    pub fn mean(&self, group: usize) -> f64 {
        self.sums.get(group).map_or(0.0, |(_, mean)| mean.mean)
    }

    /// Returns the conversion of the family's durations to nanoseconds.
    pub fn fit(&self, metadata: &Metadata, device: u64) -> Option<Fit> {
        if T::ON_DEVICE { metadata.fit(device) } else { Some(Fit::IDENTITY) }
    }

    /// Returns the name of a group's function that reports print.
    pub fn key(&self, group: usize) -> &str {
        self.references.function(group).map_or("", |known| known.key.as_str())
    }

    /// Whether the function of a group has a name.
    pub fn is_named(&self, group: usize) -> bool {
        self.references.function(group).is_some_and(|known| !known.function.name.is_empty())
    }
}

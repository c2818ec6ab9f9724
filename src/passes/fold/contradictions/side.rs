//! The checks of dispatches, by the clock that timed them.

use std::marker::PhantomData;

use read::bundle::{Bundle, BundleError, Fault};
use schemas::place::Places;

use super::clocks::Timelines;
use super::due::Due;
use super::found::Evidence;
use super::ids::Ids;
use super::order::past_barriers;
use super::queue::{
    EVENT_LAYOUT, EXECUTE, Earliest, OPERATION_LAYOUT, QUEUE_DEVICE_EVENTS, QUEUE_EVENTS,
    QueueEvent, operation,
};
use super::recorded::CommandBuffers;
use super::tiles::{Tiles, Workers};
use super::window::{DispatchSpan, Submission, SubmissionKey, Window};
use crate::fold::dispatches::{OnHost, Timed};
use crate::fold::shared::{Block, Chunks, Grouped, Row};

/// What the checks need to know beforehand.
#[derive(Debug)]
pub struct Prerequisites {
    pub buffers: CommandBuffers,
    pub timelines: Timelines,
    pub workers: Workers,
}

/// What a difference of two readings of a clock may be off by: each tells the tick that had begun.
const TICK: u64 = 1;

/// What the dispatches of a device in a session show. Times are in ticks, or in nanoseconds of the host.
#[derive(Debug, Default)]
pub struct Device {
    pub dispatches: u64,
    /// Their total duration.
    pub time: u128,
    /// The time in which dispatches ran: at most, if those of several submissions did not overlap, and at least, if all did
    /// that were not read in the order of their times.
    pub busy: [u128; 2],
    /// The last end so far.
    until: u64,
    pub submissions: u64,
    /// Dispatches and operations of the queue.
    pub events: u64,
    pub(crate) outlasting: Evidence,
    pub unordered: Evidence,
    pub(crate) uncovered: Evidence,
    /// In nanoseconds, for either clock.
    pub early: Evidence,
}

/// The dispatches of one clock, and the queue operations of all.
pub struct Side<'a, T> {
    known: &'a Prerequisites,
    window: Window,
    run: (SubmissionKey, Vec<DispatchSpan>),
    /// Session, device, and the ticks that the clocks cover at the current chunk.
    covered: Option<([u64; 2], [u64; 2])>,
    pub devices: Grouped<2, Device>,
    pub due: Due,
    pub tiles: Tiles,
    pub earliest: Earliest,
    /// Of dispatches and host spans, of queue events, and of the queue's own times.
    ids: [Ids; 3],
    clock: PhantomData<T>,
}

impl<'a, T: Timed> Side<'a, T> {
    /// Reads the events of `bundle` and checks them.
    pub fn read(bundle: &'a Bundle, known: &'a Prerequisites) -> Result<Self, BundleError> {
        let mut side = Self {
            known,
            window: Window::default(),
            run: ([0; 5], Vec::new()),
            covered: None,
            devices: Grouped::default(),
            due: Due::default(),
            tiles: Tiles::default(),
            earliest: Earliest::default(),
            ids: Default::default(),
            clock: PhantomData,
        };
        let tables = [T::TABLE, QUEUE_EVENTS, QUEUE_DEVICE_EVENTS];
        let read = if T::ON_DEVICE { &tables[..] } else { &tables[..2] };
        Chunks::of(bundle, read).each(|block| side.add(block))?;
        side.end_run();
        while let Some((key, submission)) = side.window.take(true) {
            side.check(key, submission);
        }
        Ok(side)
    }

    /// Counts the ids that occur more than once, by table.
    pub fn repeated(&mut self) -> [u64; 3] {
        self.ids.each_mut().map(Ids::repeated)
    }

    fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        if block.starts_chunk {
            self.covered = None;
        }
        match block.table {
            0 => block.each_row(T::IDS.layout, |row| {
                self.add_span(block, row);
                Ok(())
            })?,
            1 => block.each_row(EVENT_LAYOUT, |row| {
                self.add_queue_event(block, &QueueEvent::of(block, row));
                Ok(())
            })?,
            _ => block.each_row(OPERATION_LAYOUT, |row| {
                let (event_id, key, span) = operation(block, row);
                self.ids[2].add([key[0], key[1]], event_id);
                self.add_operation(block, key, span);
                Ok(())
            })?,
        }
        self.end_run();
        while let Some((key, submission)) = self.window.take(false) {
            self.check(key, submission);
        }
        Ok(())
    }

    /// Adds a dispatch, or a host span of another type.
    #[inline]
    fn add_span(&mut self, block: &Block<'_>, row: Row<'_>) {
        let ids = T::ids(row);
        let [session, _, device, queue, stream, submission] = T::submission(block, row);
        let key = [session, device, queue, stream, submission];
        self.ids[0].add([session, device], ids.event_id);
        let event = T::event(row);
        if !T::is_dispatch(row) {
            const TYPE: Places<1> = Places::new(OnHost::TABLE, ["type"]);
            if row.numbers(&TYPE) == [EXECUTE] && T::is_valid(&event) {
                self.add_operation(block, key, [event.start, event.end]);
            }
            return;
        }
        let is_valid = T::is_valid(&event);
        if is_valid {
            self.cover(block, [session, device], [event.start, event.end]);
            if !T::ON_DEVICE
                && let Some(workers) = self.known.workers.of(session)
            {
                self.tiles.add(&event, workers);
            }
        }
        if self.run.0 != key {
            self.end_run();
            self.run.0 = key;
        }
        self.run.1.push(DispatchSpan {
            command_buffer: ids.command_buffer_id,
            command_index: ids.command_index,
            start: event.start,
            end: event.end,
            is_valid,
        });
    }

    /// Moves the dispatches of the last submission into the window.
    fn end_run(&mut self) {
        let (key, dispatches) = &mut self.run;
        if !dispatches.is_empty() {
            self.window.add(*key, dispatches);
        }
    }

    fn add_queue_event(&mut self, block: &Block<'_>, event: &QueueEvent) {
        let [session, device, queue, ..] = event.key;
        self.ids[1].add([session, device], event.event_id);
        if T::ON_DEVICE {
            self.earliest.add(block.header.record, event, &self.known.timelines);
        }
        if let Some(buffer) = event.executed() {
            self.due.execute([session, device, queue, buffer]);
        }
        if let Some(time) = event.submitted()
            && let Some(submission) = self.window.at(event.key)
        {
            submission.submitted = Some(submission.submitted.map_or(time, |known| known.min(time)));
        }
    }

    fn add_operation(&mut self, block: &Block<'_>, key: SubmissionKey, [start, end]: [u64; 2]) {
        if end < start || start == 0 {
            return;
        }
        let [session, device, ..] = key;
        self.cover(block, [session, device], [start, end]);
        if let Some(Submission { operation, .. }) = self.window.at(key) {
            let [first, last] = operation.unwrap_or([start, end]);
            *operation = Some([first.min(start), last.max(end)]);
        }
    }

    /// Holds an event against what the clock correlations cover.
    #[inline]
    fn cover(&mut self, block: &Block<'_>, place: [u64; 2], [start, end]: [u64; 2]) {
        if !T::ON_DEVICE {
            return;
        }
        let covered = match self.covered {
            Some((known, covered)) if known == place => Some(covered),
            _ => {
                let timeline = self.known.timelines.of(place[0], place[1]);
                let covered = timeline.and_then(|it| it.covered(block.header.record));
                self.covered = covered.map(|covered| (place, covered));
                covered
            }
        };
        let Some(device) = self.devices.at(place) else { return };
        device.events += 1;
        let Some([first, last]) = covered else { return };
        let excess = first.saturating_sub(start).max(end.saturating_sub(last));
        if excess > TICK {
            device.uncovered.add(excess);
        }
    }

    /// Checks a submission of which everything was read.
    fn check(&mut self, key: SubmissionKey, mut submission: Submission) {
        let [session, device, queue, _, id] = key;
        // Records without a submission have nothing to be held against but the number of executions.
        let is_known = id != 0;
        submission.dispatches.sort_unstable_by_key(|ran| (ran.command_buffer, ran.command_index));
        let all = submission.dispatches.as_slice();
        let Some(found) = self.devices.at([session, device]) else { return };
        found.submissions += 1;
        for execution in all.chunk_by(|one, next| one.command_buffer == next.command_buffer) {
            let Some(buffer) = execution.first().map(|ran| ran.command_buffer) else { continue };
            let recorded = self.known.buffers.dispatches(session, buffer);
            if !recorded.is_empty() {
                self.due.ran([session, device, queue, buffer], execution, recorded);
                let execution = Some(execution).filter(|_| is_known).unwrap_or_default();
                past_barriers(execution, recorded, TICK, |excess| found.unordered.add(excess));
            }
        }
        let valid = all.iter().filter(|ran| ran.is_valid);
        for ran in valid.clone() {
            found.dispatches += 1;
            found.time += u128::from(ran.end - ran.start);
            if let Some([start, end]) = submission.operation.filter(|_| is_known) {
                let excess = start.saturating_sub(ran.start).max(ran.end.saturating_sub(end));
                if excess > TICK {
                    found.outlasting.add(excess);
                }
            }
        }
        let starts = valid.clone().map(|ran| ran.start);
        let first = starts.chain(submission.operation.map(|[start, _]| start)).min();
        if let Some((start, submitted)) = first.zip(submission.submitted).filter(|_| is_known) {
            let early = if T::ON_DEVICE {
                let timeline = self.known.timelines.of(session, device);
                timeline.and_then(|timeline| timeline.before_host(start, submitted))
            } else {
                submitted.checked_sub(start).filter(|early| *early > 0)
            };
            if let Some(early) = early {
                found.early.add(early);
            }
        }
        found.add_busy(valid.map(|ran| [ran.start, ran.end]).collect());
    }
}

impl Device {
    /// Adds the time in which the dispatches of a submission ran.
    fn add_busy(&mut self, mut spans: Vec<[u64; 2]>) {
        spans.sort_unstable();
        let [most, least] = &mut self.busy;
        let mut until = 0;
        for [start, end] in spans {
            *most += u128::from(end.saturating_sub(start.max(until)));
            *least += u128::from(end.saturating_sub(start.max(self.until)));
            until = until.max(end);
            self.until = self.until.max(end);
        }
    }
}

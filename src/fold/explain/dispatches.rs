//! One pass over the dispatches of a family: sums by function and by submission, and the longest dispatches.
//!
//! Fields are read a row at a time: nearly all of them are needed, and a record is two or three cache lines.

use std::sync::Arc;

use super::super::blocks::{Block, Header, Wanted, plain_blocks};
use super::super::dispatch_sums::{DeviceSum, HostSum, Sum};
use super::super::dispatches::Event;
use super::super::groups::Groups;
use super::super::references::References;
use super::super::summary::{Devices, Spans, Tally};
use super::super::{Call, Metadata};
use super::longest::{Dispatch, Long, Longest};
use crate::bundle::cursor::{u32_at, u64_at};
use crate::bundle::{Bundle, BundleError, Fault};

/// A family of dispatches.
pub trait Timed {
    type Sum: Sum;
    /// What is added up of every event of the family.
    type Tally: Tally + Default;
    const WANTED: Wanted;

    /// What is added up of the dispatch that a record holds, if it holds one.
    fn read(record: &[u8], header: &Header) -> Option<Row>;
    /// What else is said of it.
    fn describe(record: &[u8], header: &Header) -> Dispatch;
}

/// Dispatches that the device timed.
pub struct OnDevice;

/// Dispatches that the host timed.
pub struct OnHost;

/// A dispatch, as far as it is added up.
pub struct Row {
    event_id: u64,
    submission_id: u64,
    command_buffer_id: u64,
    executable_id: u64,
    function_ordinal: u64,
    /// Device, ordinal and stream.
    queue: [u64; 3],
    event: Event,
}

/// The type of host spans that are dispatches.
const DISPATCH: u32 = 2;

impl Timed for OnDevice {
    type Sum = DeviceSum;
    type Tally = Devices;
    const WANTED: Wanted = Wanted::of("dispatch_events", &[]);

    #[inline]
    fn read(record: &[u8], header: &Header) -> Option<Row> {
        let record = record.first_chunk::<88>()?;
        Some(Row {
            event_id: u64_at(record, 8),
            submission_id: u64_at(record, 16),
            command_buffer_id: u64_at(record, 24),
            executable_id: u64_at(record, 32),
            function_ordinal: u32_at(record, 44).into(),
            queue: [
                header.physical_device_ordinal.into(),
                header.queue_ordinal.into(),
                header.stream_id,
            ],
            event: Event { start: u64_at(record, 72), end: u64_at(record, 80), tiles: [0; 2] },
        })
    }

    fn describe(record: &[u8], header: &Header) -> Dispatch {
        Dispatch {
            event_id: u64_at(record, 8),
            submission_id: u64_at(record, 16),
            command_buffer_id: u64_at(record, 24),
            command_index: u32_at(record, 40).into(),
            queue: [
                header.physical_device_ordinal.into(),
                header.queue_ordinal.into(),
                header.stream_id,
            ],
            tiles: [0; 2],
        }
    }
}

impl Timed for OnHost {
    type Sum = HostSum;
    type Tally = Spans;
    const WANTED: Wanted = Wanted::of("host_execution_events", &[]);

    #[inline]
    fn read(record: &[u8], _header: &Header) -> Option<Row> {
        let record = record.first_chunk::<152>()?;
        if u32_at(record, 4) != DISPATCH {
            return None;
        }
        Some(Row {
            event_id: u64_at(record, 16),
            submission_id: u64_at(record, 24),
            command_buffer_id: u64_at(record, 32),
            executable_id: u64_at(record, 40),
            function_ordinal: u32_at(record, 76).into(),
            queue: [u32_at(record, 64).into(), u32_at(record, 68).into(), u64_at(record, 56)],
            event: Event {
                start: u64_at(record, 104),
                end: u64_at(record, 112),
                tiles: [u64_at(record, 128), u64_at(record, 136)],
            },
        })
    }

    fn describe(record: &[u8], _header: &Header) -> Dispatch {
        Dispatch {
            event_id: u64_at(record, 16),
            submission_id: u64_at(record, 24),
            command_buffer_id: u64_at(record, 32),
            command_index: u32_at(record, 72).into(),
            queue: [u32_at(record, 64).into(), u32_at(record, 68).into(), u64_at(record, 56)],
            tiles: [u64_at(record, 128), u64_at(record, 136)],
        }
    }
}

/// From the first start to the last end of a submission's valid dispatches.
#[derive(Debug, Clone, Copy)]
pub struct Span {
    pub has_valid: bool,
    pub has_invalid: bool,
    pub start: u64,
    pub end: u64,
    pub total: u64,
}

impl Default for Span {
    fn default() -> Self {
        Self { has_valid: false, has_invalid: false, start: u64::MAX, end: 0, total: 0 }
    }
}

/// What the matching dispatches of a family add up to.
pub struct Pass<'a, T: Timed> {
    pub references: References<'a>,
    id: Option<u64>,
    /// Whether mean durations are wanted: each costs a division.
    has_means: bool,
    pub matched: u64,
    pub valid: u64,
    pub groups: Groups<3>,
    pub sums: Vec<T::Sum>,
    pub longest: Longest,
    /// Submissions by queue, of dispatches that the device timed.
    pub submissions: Groups<4>,
    pub spans: Vec<Span>,
    /// Executions of command buffers, where their sums must be watched.
    executions: Option<(Groups<5>, Vec<T::Sum>)>,
    /// What all events of the family add up to.
    pub tally: T::Tally,
}

impl<'a, T: Timed> Pass<'a, T> {
    fn new(call: &Call<'a>, has_means: bool) -> Self {
        Self {
            references: References::new(call),
            id: call.id(),
            has_means,
            matched: 0,
            valid: 0,
            groups: Groups::default(),
            sums: Vec::new(),
            longest: Longest::default(),
            submissions: Groups::default(),
            spans: Vec::new(),
            executions: None,
            tally: T::Tally::default(),
        }
    }

    /// Passes over a bundle's dispatches.
    pub fn run(call: &Call<'a>, has_means: bool) -> Result<Self, BundleError> {
        let pass = Self::new(call, has_means).over(call.bundle)?;
        if pass.may_overflow() {
            // A command buffer's execution is of several functions, so it may overflow where none of them does; the
            // reference refuses that.
            let executions = Some((Groups::default(), Vec::new()));
            return Self { executions, ..Self::new(call, has_means) }.over(call.bundle);
        }
        Ok(pass)
    }

    fn over(mut self, bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        plain_blocks(bundle, &[T::WANTED], |block| {
            self.add(block).map_err(|fault| bundle.damaged(fault))
        })?;
        Ok(self)
    }

    fn add(&mut self, block: &Block<'_>) -> Result<(), Fault> {
        let mut tally = self.tally.take(block);
        for row in 0..block.row_count() {
            let record = block.bytes(row);
            T::Tally::add_record(&mut tally, block, row, record)?;
            let Some(read) = T::read(record, &block.header) else { continue };
            if self.id.is_some_and(|id| id != read.event_id) {
                continue;
            }
            let key = [read.queue[0], read.executable_id, read.function_ordinal];
            let group = self.groups.number(key);
            self.references.check_queue(block, row, read.queue)?;
            self.references.check_function(block, row, group, key)?;
            if self.references.function(group).is_none() {
                continue;
            }
            self.matched += 1;
            let is_valid = T::Sum::is_valid(&read.event);
            if is_valid {
                self.valid += 1;
                let duration = read.event.end.wrapping_sub(read.event.start);
                if self.longest.has_room(duration) {
                    let dispatch = T::describe(record, &block.header);
                    self.longest.keep(Long { duration, group, dispatch });
                }
            }
            if !(self.add_sums(group, &read, is_valid) && self.add_span(&read, is_valid)) {
                let what = "the durations of its group add up to more than 64 bits hold".to_owned();
                return Err(block.fault(row, T::Sum::END, what));
            }
        }
        self.tally.put(block, tally);
        Ok(())
    }

    #[inline]
    fn add_sums(&mut self, group: usize, row: &Row, is_valid: bool) -> bool {
        let execution = match &mut self.executions {
            Some((executions, sums)) if row.command_buffer_id != 0 => {
                let [device, queue, stream] = row.queue;
                let key = [row.command_buffer_id, row.submission_id, device, queue, stream];
                add_to(sums, executions.number(key), |sum| sum.add(&row.event, is_valid, None))
            }
            _ => true,
        };
        let mean = self.has_means.then_some(0);
        execution && add_to(&mut self.sums, group, |sum| sum.add(&row.event, is_valid, mean))
    }

    /// Adds a dispatch to its submission; false where the total leaves 64 bits.
    #[inline]
    fn add_span(&mut self, row: &Row, is_valid: bool) -> bool {
        if !T::Sum::ON_DEVICE {
            return true;
        }
        let [device, queue, stream] = row.queue;
        let number = self.submissions.number([device, queue, stream, row.submission_id]);
        add_to(&mut self.spans, number, |span: &mut Span| {
            if !is_valid {
                span.has_invalid = true;
                return true;
            }
            span.has_valid = true;
            span.start = span.start.min(row.event.start);
            span.end = span.end.max(row.event.end);
            let total = span.total.checked_add(row.event.end - row.event.start);
            span.total = total.unwrap_or_default();
            total.is_some()
        })
    }

    /// Whether all sums together leave their types. On the device, the sums of each device are watched elsewhere.
    fn may_overflow(&self) -> bool {
        let limit = u128::from(i64::MAX.cast_unsigned());
        let add = |each: fn(&T::Sum) -> u128| self.sums.iter().map(each).sum::<u128>();
        !T::Sum::ON_DEVICE
            && self.executions.is_none()
            && (add(|sum| sum.total().into()) > limit
                || add(|sum| sum.tiles().0.into()) > u64::MAX.into()
                || add(|sum| sum.tiles().1.cast_unsigned().into()) > limit)
    }

    /// The device of each group with its function and sums, in order of appearance, where it matches.
    pub fn matching(&self) -> impl Iterator<Item = (usize, [u64; 3], &T::Sum)> {
        let groups = self.groups.keys().iter().zip(&self.sums).enumerate();
        groups
            .filter(|(group, _)| self.references.function(*group).is_some())
            .map(|(group, (key, sum))| (group, *key, sum))
    }

    /// The name of a group's function as reports print it.
    pub fn key(&self, group: usize) -> &str {
        self.references.function(group).map_or("", |known| known.key.as_str())
    }
}

/// Adds to the sum with a number, which may be new.
#[inline]
fn add_to<S: Default>(sums: &mut Vec<S>, number: usize, add: impl FnOnce(&mut S) -> bool) -> bool {
    if sums.len() <= number {
        sums.resize_with(number + 1, S::default);
    }
    sums.get_mut(number).is_some_and(add)
}

/// The queues of submissions: for each queue of the metadata, the spans of its submissions.
pub fn spans_by_queue(pass: &Pass<'_, OnDevice>, metadata: &Metadata) -> Vec<Vec<Span>> {
    let mut queues = vec![Vec::new(); metadata.queue_keys().len()];
    for ([device, queue, stream, _], span) in pass.submissions.keys().iter().zip(&pass.spans) {
        let position = metadata.queue([*device, *queue, *stream]);
        if let Some(spans) = position.and_then(|position| queues.get_mut(position)) {
            spans.push(*span);
        }
    }
    queues
}

#[cfg(test)]
mod tests {
    use schemas::spec::Read;

    use super::*;

    /// The offsets above, by the names of the columns that are declared there.
    #[test]
    fn fields_are_where_they_are_declared() {
        let offset = |table: &str, name: &str| {
            let columns = schemas::find(table).unwrap().columns();
            match columns.iter().find(|column| column.name == name).unwrap().read {
                Read::Record(at) => at,
                other => panic!("{name} is read at {other:?}"),
            }
        };
        let mut device = [0; 88];
        let mut host = [0; 152];
        let fields = ["event_id", "submission_id", "command_buffer_id", "command_index"];
        let others = ["executable_id", "function_ordinal"];
        for (nth, name) in (1..).zip(fields.iter().chain(&others)) {
            device[offset("dispatch_events", name)] = nth;
            host[offset("host_execution_events", name)] = nth;
        }
        for (nth, name) in (11..).zip(["start_tick", "end_tick"]) {
            device[offset("dispatch_events", name)] = nth;
        }
        let rest = [
            "start_host_time_ns",
            "end_host_time_ns",
            "physical_device_ordinal",
            "queue_ordinal",
            "stream_id",
            "tile_count",
            "tile_duration_sum_ns",
        ];
        for (nth, name) in (11..).zip(rest) {
            host[offset("host_execution_events", name)] = nth;
        }
        host[offset("host_execution_events", "type_value")] = 2;
        let header = Header::default();
        check(OnDevice::read(&device, &header), OnDevice::describe(&device, &header));
        check(OnHost::read(&host, &header), OnHost::describe(&host, &header));
        assert_eq!([device[Devices::START], device[Devices::END]], [11, 12]);
        assert_eq!([host[Spans::START], host[Spans::END]], [11, 12]);
    }

    fn check(row: Option<Row>, dispatch: Dispatch) {
        let row = row.unwrap();
        let Dispatch { event_id, submission_id, command_buffer_id, command_index, .. } = dispatch;
        assert_eq!([event_id, submission_id, command_buffer_id, command_index], [1, 2, 3, 4]);
        assert_eq!([row.event_id, row.submission_id, row.command_buffer_id], [1, 2, 3]);
        assert_eq!([row.executable_id, row.function_ordinal], [5, 6]);
        assert_eq!([row.event.start, row.event.end], [11, 12]);
        assert!(row.queue == [0; 3] || row.queue == [13, 14, 15]);
        assert!(row.event.tiles == [0; 2] || row.event.tiles == [16, 17]);
        assert!(dispatch.queue == row.queue && dispatch.tiles == row.event.tiles);
    }
}

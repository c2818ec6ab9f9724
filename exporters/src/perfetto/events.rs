//! Writes a sequence as trace packets: its clocks, interned texts and tracks, then its events by ascending time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};
use std::io::Write;

use prost::Message;

use super::gpu::{Counters, Preamble};
use super::ids::Ids;
use super::lanes::{Lanes, grown};
use super::proto::clock_snapshot::Clock;
use super::proto::trace_packet::SequenceFlags;
use super::proto::track_event::Type;
use super::proto::{BuiltinClock, ClockSnapshot, TracePacket, TracePacketDefaults};
use super::rows::Rows;
use super::sequence::{DEVICE_CLOCKS, Selection, Sequence};
use super::sorter::Event;
use super::tracks::Tracks;
use super::wire::{self, Tag, event, gpu_counter, packet};
use crate::encoder::{EncodeError, Output};

/// The id of the host clock. The next ids are the device clocks converted to nanoseconds.
const HOST_CLOCK: u32 = 64;

/// The ids after this one are the device clocks in ticks.
const TICK_CLOCKS: u32 = HOST_CLOCK + DEVICE_CLOCKS as u32;

/// Size at which the buffer is written to the output, in bytes.
const BLOCK: usize = 1 << 16;

/// The flags of the first packet of a sequence, which starts with empty incremental state.
const FIRST: u32 = SequenceFlags::SeqIncrementalStateCleared as u32 | NEEDS_STATE;
/// The flag of packets that depend on earlier ones: on interned texts and incremental timestamps.
const NEEDS_STATE: u32 = SequenceFlags::SeqNeedsIncrementalState as u32;

/// Which host time is the time 0 of a trace.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum TraceClock {
    /// For each sequence its own first time, so that all begin together.
    #[default]
    Own,
    /// The time 0 of the host's clock, so that sequences of one clock lie as they followed each other.
    Host,
}

/// A writer of traces, one sequence after the other.
pub struct Trace {
    output: Output,
    clock: TraceClock,
    /// Bytes that are written.
    bytes: u64,
    /// The numbers of the sequences.
    numbers: HashSet<u32>,
    counters: Counters,
}

impl Trace {
    /// Creates a trace without sequences.
    pub fn new(output: Output, clock: TraceClock) -> Self {
        let (numbers, counters) = (HashSet::new(), Counters::default());
        Self { output, clock, bytes: 0, numbers, counters }
    }

    /// Creates an empty sequence for a content, which is given by a hash. All its tracks are below a root track of this
    /// name. Its ids depend on the content alone, unless an earlier sequence has them.
    pub fn sequence(&mut self, name: &str, content: u64, selection: Selection) -> Sequence {
        let mut ids = Ids::of(content);
        while !self.numbers.insert(ids.sequence()) {
            ids = ids.next();
        }
        Sequence::new(name, ids, selection)
    }

    /// Writes a sequence.
    pub fn write(&mut self, mut sequence: Sequence) -> Result<(), EncodeError> {
        let sorter = std::mem::take(&mut sequence.sorter);
        let (epoch, zero) = self.clock.start(&sequence);
        if let Some(first) = sequence.epoch {
            let at_zero = epoch.saturating_sub_unsigned(zero);
            let lines = format!("zero_host_time_ns={at_zero}\nfirst_host_time_ns={first}");
            sequence.describe(&lines);
        }
        let Preamble { packets, heads } = Preamble::of(&mut sequence, zero, &mut self.counters);
        let clock_count = sequence.clocks.len().min(DEVICE_CLOCKS.into());
        let mut writer = Writer {
            trace: self,
            buffer: Vec::with_capacity(2 * BLOCK),
            ids: sequence.ids,
            epoch,
            zero,
            last: vec![0; clock_count + 1],
            tracks: sequence.tracks,
            heads,
            uuids: Vec::new(),
            next_track: 0,
            lanes: Lanes::default(),
            open: BinaryHeap::new(),
        };
        writer.begin(clock_count)?;
        for message in sequence.interner.messages() {
            writer.interned(message)?;
        }
        for track in 0..writer.tracks.count() {
            if writer.tracks.get(track).is_some_and(|track| track.is_shown) {
                writer.uuid(track, 0)?;
            }
        }
        for packet in packets {
            writer.message(&packet)?;
        }
        sorter.finish(|event, bytes| writer.event(event, bytes))?;
        writer.end(i64::MAX)?;
        writer.flush()
    }

    /// Flushes the output. Returns the number of bytes that are written.
    pub fn finish(mut self) -> Result<u64, EncodeError> {
        self.output.flush()?;
        Ok(self.bytes)
    }
}

impl TraceClock {
    /// Returns the first host time of a sequence, and the time of the trace at it.
    fn start(self, sequence: &Sequence) -> (i64, u64) {
        let first = sequence.epoch.unwrap_or(0);
        match self {
            Self::Own => (first, 0),
            // The format has no times before 0.
            Self::Host => (first.max(0), u64::try_from(first).unwrap_or(0)),
        }
    }
}

struct Writer<'a> {
    trace: &'a mut Trace,
    buffer: Vec<u8>,
    ids: Ids,
    /// The first host time.
    epoch: i64,
    /// The time of the trace at the epoch.
    zero: u64,
    /// The last timestamp on each clock, in nanoseconds since the epoch.
    last: Vec<u64>,
    tracks: Tracks,
    /// The encoded fields by which the GPU packets of each track refer to its queue or counter.
    heads: Vec<Vec<u8>>,
    /// The uuids of the lanes of each track; `None` for a lane whose descriptor is not yet written.
    uuids: Vec<Vec<Option<u64>>>,
    /// The number of descriptors that are written.
    next_track: u64,
    lanes: Lanes,
    /// End, track uuid and clock of the open slices; a min-heap by end.
    open: BinaryHeap<Reverse<(i64, u64, u8)>>,
}

impl Writer<'_> {
    /// Writes the first packet: a snapshot that relates the clocks to each other, and the default clock. Timestamps on
    /// the sequence's clocks are incremental: each is the difference to the timestamp before it on that clock.
    fn begin(&mut self, devices: usize) -> Result<(), EncodeError> {
        let host = u64::try_from(self.epoch).unwrap_or(0);
        let mut clocks = vec![clock(BuiltinClock::Boottime as u32, self.zero)];
        let numbers = (HOST_CLOCK..).take(devices + 1);
        clocks.extend(
            numbers.map(|number| Clock { is_incremental: Some(true), ..clock(number, host) }),
        );
        self.packet(TracePacket {
            timestamp: Some(self.zero),
            timestamp_clock_id: Some(BuiltinClock::Boottime as u32),
            sequence_flags: Some(FIRST),
            first_packet_on_sequence: Some(true),
            trace_packet_defaults: Some(TracePacketDefaults {
                timestamp_clock_id: Some(HOST_CLOCK),
            }),
            clock_snapshot: Some(ClockSnapshot {
                clocks,
                primary_trace_clock: Some(BuiltinClock::Boottime as i32),
            }),
            ..TracePacket::default()
        })
    }

    fn interned(&mut self, message: &[u8]) -> Result<(), EncodeError> {
        let mut packet = Vec::with_capacity(message.len() + 16);
        wire::number(&mut packet, packet::SEQUENCE, self.ids.sequence().into());
        wire::number(&mut packet, packet::FLAGS, NEEDS_STATE.into());
        wire::bytes(&mut packet, packet::INTERNED, message);
        wire::bytes(&mut self.buffer, packet::OF_TRACE, &packet);
        self.flush_if_full()
    }

    /// Writes a packet with the number of this sequence.
    fn packet(&mut self, mut packet: TracePacket) -> Result<(), EncodeError> {
        packet.trusted_packet_sequence_id = Some(self.ids.sequence());
        self.message(&packet)
    }

    fn message(&mut self, packet: &impl Message) -> Result<(), EncodeError> {
        wire::open(&mut self.buffer, packet::OF_TRACE, packet.encoded_len());
        packet.encode_raw(&mut self.buffer);
        self.flush_if_full()
    }

    /// Returns the uuid of a lane of a track. The first call writes its descriptor, after that of its parent.
    fn uuid(&mut self, track: u32, lane: u32) -> Result<u64, EncodeError> {
        let (nth, place) = (track as usize, lane as usize);
        let known = self.uuids.get(nth).and_then(|lanes| lanes.get(place).copied().flatten());
        if let Some(known) = known {
            return Ok(known);
        }
        let parent = self.tracks.get(track).and_then(|track| track.parent);
        let parent = parent.map(|parent| self.uuid(parent, 0)).transpose()?;
        let uuid = self.ids.track(self.next_track);
        self.next_track += 1;
        if let Some(known) = grown(&mut self.uuids, nth).and_then(|lanes| grown(lanes, place)) {
            *known = Some(uuid);
        }
        let descriptor = self.tracks.get(track).map(|track| track.descriptor(uuid, parent, lane));
        self.packet(TracePacket { track_descriptor: descriptor, ..TracePacket::default() })?;
        Ok(uuid)
    }

    /// Writes an event, after the ends of all slices that end at or before its time.
    fn event(&mut self, event: &Event, carried: &[u8]) -> Result<(), EncodeError> {
        self.end(event.time)?;
        match event.kind {
            Rows::Clocks => return self.reading(event, carried),
            Rows::Slices => {
                let lane = self.lanes.take(event.track, event.time, event.end);
                let uuid = self.uuid(event.track, lane)?;
                self.open.push(Reverse((event.end, uuid, event.clock)));
                self.track_event(event.time, event.clock, Type::SliceBegin, uuid, carried);
            }
            Rows::Stages | Rows::GpuCounters => {
                let place = event.track as usize;
                let length = self.heads.get(place).map_or(0, Vec::len) + carried.len();
                if event.kind == Rows::Stages {
                    self.open(event.time, event.clock, packet::STAGE, length);
                } else {
                    let outer = wire::bytes_length(gpu_counter::VALUE_OF, length);
                    self.open(event.time, event.clock, packet::GPU_COUNTER, outer);
                    wire::open(&mut self.buffer, gpu_counter::VALUE_OF, length);
                }
                let head = self.heads.get(place).map_or(&[][..], Vec::as_slice);
                self.buffer.extend_from_slice(head);
                self.buffer.extend_from_slice(carried);
            }
            Rows::Instants | Rows::Counters => {
                let uuid = self.uuid(event.track, 0)?;
                let is_counter = event.kind == Rows::Counters;
                let kind = if is_counter { Type::Counter } else { Type::Instant };
                self.track_event(event.time, event.clock, kind, uuid, carried);
            }
        }
        self.flush_if_full()
    }

    /// Writes the ends of the open slices that end at or before `time`.
    fn end(&mut self, time: i64) -> Result<(), EncodeError> {
        while let Some(Reverse((end, uuid, clock))) = self.open.peek().copied()
            && end <= time
        {
            self.open.pop();
            self.track_event(end, clock, Type::SliceEnd, uuid, &[]);
            self.flush_if_full()?;
        }
        Ok(())
    }

    /// Encodes a track event with its payload. Protobuf writes the length of a message before it, so the lengths are
    /// computed first.
    fn track_event(&mut self, time: i64, clock: u8, kind: Type, uuid: u64, carried: &[u8]) {
        let kind = kind as u64;
        let event_length = wire::number_length(event::TYPE, kind)
            + wire::number_length(event::TRACK, uuid)
            + carried.len();
        self.open(time, clock, packet::EVENT, event_length);
        wire::number(&mut self.buffer, event::TYPE, kind);
        wire::number(&mut self.buffer, event::TRACK, uuid);
        self.buffer.extend_from_slice(carried);
    }

    /// Appends a packet with a time up to the field of its message, whose `message` bytes the caller appends.
    fn open(&mut self, time: i64, clock: u8, field: Tag, message: usize) {
        let time = self.since_epoch(time);
        let clock = if usize::from(clock) < self.last.len() { clock } else { 0 };
        let step = self
            .last
            .get_mut(usize::from(clock))
            .map_or(0, |last| time - std::mem::replace(last, time));
        let sequence = u64::from(self.ids.sequence());
        let mut length = wire::number_length(packet::TIMESTAMP, step)
            + wire::number_length(packet::SEQUENCE, sequence)
            + wire::number_length(packet::FLAGS, NEEDS_STATE.into())
            + wire::bytes_length(field, message);
        let number = u64::from(HOST_CLOCK) + u64::from(clock);
        if clock > 0 {
            length += wire::number_length(packet::CLOCK, number);
        }
        let buffer = &mut self.buffer;
        wire::open(buffer, packet::OF_TRACE, length);
        wire::number(buffer, packet::TIMESTAMP, step);
        wire::number(buffer, packet::SEQUENCE, sequence);
        wire::number(buffer, packet::FLAGS, NEEDS_STATE.into());
        if clock > 0 {
            wire::number(buffer, packet::CLOCK, number);
        }
        wire::open(buffer, field, message);
    }

    /// Writes a clock snapshot that relates a tick of a device clock to a host time.
    fn reading(&mut self, event: &Event, carried: &[u8]) -> Result<(), EncodeError> {
        let Ok(tick) = carried.try_into().map(u64::from_le_bytes) else { return Ok(()) };
        if event.clock == 0 {
            return Ok(());
        }
        let time = self.zero + self.since_epoch(event.time);
        let boot_time = BuiltinClock::Boottime as u32;
        let ticks = TICK_CLOCKS + u32::from(event.clock);
        self.packet(TracePacket {
            timestamp: Some(time),
            timestamp_clock_id: Some(boot_time),
            sequence_flags: Some(NEEDS_STATE),
            clock_snapshot: Some(ClockSnapshot {
                clocks: vec![clock(boot_time, time), clock(ticks, tick)],
                primary_trace_clock: None,
            }),
            ..TracePacket::default()
        })
    }

    /// Returns the nanoseconds since the epoch; 0 for an event without a time, which has `i64::MIN`.
    const fn since_epoch(&self, time: i64) -> u64 {
        if time < self.epoch { 0 } else { time.wrapping_sub(self.epoch).cast_unsigned() }
    }

    fn flush_if_full(&mut self) -> Result<(), EncodeError> {
        if self.buffer.len() < BLOCK { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> Result<(), EncodeError> {
        self.trace.output.write_all(&self.buffer)?;
        self.trace.bytes += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

fn clock(clock_id: u32, timestamp: u64) -> Clock {
    Clock { clock_id: Some(clock_id), timestamp: Some(timestamp), ..Clock::default() }
}

//! What the events of a bundle refer to, read once: executables, functions, command buffers, queues and clocks.
//!
//! Ids are looked up in the whole file, whatever the session, and the first definition counts, as `iree-profile` has
//! it. What it refuses is refused here, with the place in the file.

use std::collections::HashMap;
use std::sync::Arc;

use super::blocks::{Block, Wanted, blocks};
use super::clock;
use super::groups::Groups;
use super::metrics::Metrics;
use crate::bundle::{Bundle, BundleError, Fault};

/// A clock correlation, as far as a fit needs it.
#[derive(Debug, Clone, Copy)]
pub struct Sample {
    id: u64,
    flags: u64,
    device_tick: u64,
    host_cpu_timestamp_ns: u64,
    host_time_begin_ns: i64,
    host_time_end_ns: i64,
}

/// The clock of a device: its first and last correlation.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    first: Sample,
    last: Sample,
    pub sample_count: u64,
    pub has_unaligned: bool,
}

/// A line through the first and the last sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fit {
    pub first_sample_id: u64,
    pub last_sample_id: u64,
    pub first_device_tick: u64,
    pub first_time_ns: i64,
    pub device_tick_span: u64,
    pub time_span_ns: u64,
}

/// An executable.
#[derive(Debug)]
pub struct Executable {
    pub executable_id: u64,
    pub byte_offset: u64,
}

/// A function of an executable.
#[derive(Debug)]
pub struct Function {
    /// Position of its executable among the executables.
    pub executable: usize,
    pub executable_id: u64,
    pub ordinal: u64,
    pub name: String,
    pub byte_offset: u64,
}

/// A command buffer.
#[derive(Debug)]
pub struct CommandBuffer {
    pub id: u64,
    pub physical_device_ordinal: u64,
    pub byte_offset: u64,
}

/// One operation of a command buffer.
#[derive(Debug)]
pub struct Operation {
    /// Position of its command buffer among the command buffers.
    pub command_buffer: usize,
    pub kind: u64,
    pub command_index: u64,
    pub executable_id: u64,
    pub function_ordinal: u64,
    pub byte_offset: u64,
}

/// A queue.
#[derive(Debug)]
pub struct Queue {
    pub byte_offset: u64,
}

/// What events refer to.
#[derive(Debug, Default)]
pub struct Metadata {
    executable_ids: Groups<1>,
    pub executables: Vec<Executable>,
    function_ids: Groups<2>,
    pub functions: Vec<Function>,
    command_buffer_ids: Groups<1>,
    pub command_buffers: Vec<CommandBuffer>,
    pub operations: Vec<Operation>,
    queue_ids: Groups<3>,
    pub queues: Vec<Queue>,
    pub metrics: Metrics,
    clocks: Clocks,
}

const QUEUES: usize = 0;
const EXECUTABLES: usize = 1;
const FUNCTIONS: usize = 2;
const COMMAND_BUFFERS: usize = 3;
const OPERATIONS: usize = 4;
const METRIC_SOURCES: usize = 5;
const METRICS: usize = 6;

/// What is read, in the order of the numbers above; clock correlations come last. Nothing is kept of metric sources: they
/// are stepped over because the reference refuses a file in which they are damaged.
const WANTED: &[Wanted] = &[
    Wanted::of("queues", &["physical_device_ordinal", "queue_ordinal", "stream_id"]),
    Wanted::of("executables", &["executable_id"]),
    Wanted::of("executable_functions", &["executable_id", "function_ordinal"]),
    Wanted::of("command_buffers", &["command_buffer_id", "physical_device_ordinal"]),
    Wanted::of(
        "command_operations",
        &[
            "command_buffer_id",
            "type_value",
            "command_index",
            "executable_id",
            "function_ordinal",
            "flags",
            "block_ordinal",
            "block_command_ordinal",
            "target_block_ordinal",
            "alternate_block_ordinal",
        ],
    ),
    Wanted::of("device_metric_sources", &[]),
    super::metrics::DESCRIPTORS,
    CLOCK_CORRELATIONS,
];

/// What a [`Sample`] is read from; the first column is the device.
pub const CLOCK_CORRELATIONS: Wanted = Wanted::of(
    "clock_correlations",
    &[
        "physical_device_ordinal",
        "sample_id",
        "flags",
        "device_tick",
        "host_cpu_timestamp_ns",
        "host_time_begin_ns",
        "host_time_end_ns",
    ],
);

/// Clocks by device.
pub type Clocks = HashMap<u64, Clock>;

/// Raw value of an absent ordinal.
pub const ABSENT: u64 = u32::MAX as u64;

const HAS_BLOCKS: u64 = 1 << 6;

impl Metadata {
    /// Reads what the events of `bundle` refer to.
    pub fn read(bundle: &Arc<Bundle>) -> Result<Self, BundleError> {
        let mut metadata = Self::default();
        blocks(bundle, WANTED, |block| {
            (0..block.row_count())
                .try_for_each(|row| metadata.add(block, row))
                .map_err(|fault| bundle.damaged(fault))
        })?;
        Ok(metadata)
    }

    fn add(&mut self, block: &Block<'_>, row: usize) -> Result<(), Fault> {
        let value = |nth| block.value(nth, row);
        let byte_offset = block.byte_offset(row);
        match block.wanted {
            QUEUES => {
                if self.queue_ids.number([value(0), value(1), value(2)]) == self.queues.len() {
                    self.queues.push(Queue { byte_offset });
                }
            }
            EXECUTABLES => {
                if self.executable_ids.number([value(0)]) == self.executables.len() {
                    self.executables.push(Executable { executable_id: value(0), byte_offset });
                }
            }
            FUNCTIONS => self.add_function(block, row)?,
            COMMAND_BUFFERS => {
                if self.command_buffer_ids.number([value(0)]) == self.command_buffers.len() {
                    self.command_buffers.push(CommandBuffer {
                        id: value(0),
                        physical_device_ordinal: value(1),
                        byte_offset,
                    });
                }
            }
            OPERATIONS => self.add_operation(block, row)?,
            METRIC_SOURCES => {}
            METRICS => self.metrics.add(block, row),
            _ => add_correlation(&mut self.clocks, block, row),
        }
        Ok(())
    }

    fn add_function(&mut self, block: &Block<'_>, row: usize) -> Result<(), Fault> {
        let (executable_id, function_ordinal) = (block.value(0, row), block.value(1, row));
        let Some(executable) = self.executable_ids.find([executable_id]) else {
            let what = format!(
                "function {function_ordinal} is of executable {executable_id}, which no earlier record describes"
            );
            return Err(block.fault(row, "executable_id", what));
        };
        if !block.has_exact_tail(row) {
            let what = "the record is longer than its name".to_owned();
            return Err(block.fault(row, "name_length", what));
        }
        if self.function_ids.number([executable_id, function_ordinal]) == self.functions.len() {
            self.functions.push(Function {
                executable,
                executable_id,
                ordinal: function_ordinal,
                name: block.text(row, 0).into_owned(),
                byte_offset: block.byte_offset(row),
            });
        }
        Ok(())
    }

    fn add_operation(&mut self, block: &Block<'_>, row: usize) -> Result<(), Fault> {
        let value = |nth| block.value(nth, row);
        let (has_blocks, coordinates) = (value(5) & HAS_BLOCKS != 0, [value(6), value(7)]);
        if has_blocks && coordinates.contains(&ABSENT) {
            let what = "the operation says that it has a place in a block, but has none".to_owned();
            return Err(block.fault(row, "block_ordinal", what));
        }
        if !has_blocks
            && [value(6), value(7), value(8), value(9)].iter().any(|place| *place != ABSENT)
        {
            let what = "the operation has a place in a block, but says that it has none".to_owned();
            return Err(block.fault(row, "block_ordinal", what));
        }
        let Some(command_buffer) = self.command_buffer_ids.find([value(0)]) else {
            let what = format!(
                "operation {} is of command buffer {}, which no earlier record describes",
                value(2),
                value(0)
            );
            return Err(block.fault(row, "command_buffer_id", what));
        };
        self.operations.push(Operation {
            command_buffer,
            kind: value(1),
            command_index: value(2),
            executable_id: value(3),
            function_ordinal: value(4),
            byte_offset: block.byte_offset(row),
        });
        Ok(())
    }

    /// Whether there is such a queue.
    pub fn has_queue(
        &self,
        physical_device_ordinal: u64,
        queue_ordinal: u64,
        stream_id: u64,
    ) -> bool {
        self.queue_ids.find([physical_device_ordinal, queue_ordinal, stream_id]).is_some()
    }

    /// Device, ordinal and stream of each queue, in order of appearance.
    pub fn queue_keys(&self) -> &[[u64; 3]] {
        self.queue_ids.keys()
    }

    /// The position of a queue.
    pub fn queue(&self, key: [u64; 3]) -> Option<usize> {
        self.queue_ids.find(key)
    }

    /// Whether there is such an executable.
    pub fn has_executable(&self, executable_id: u64) -> bool {
        self.executable_ids.find([executable_id]).is_some()
    }

    /// The position of a command buffer.
    pub fn command_buffer(&self, command_buffer_id: u64) -> Option<usize> {
        self.command_buffer_ids.find([command_buffer_id])
    }

    /// The position of a function.
    pub fn function(&self, executable_id: u64, function_ordinal: u64) -> Option<usize> {
        self.function_ids.find([executable_id, function_ordinal])
    }

    /// The clock of a device, where it was ever correlated.
    pub fn clock(&self, physical_device_ordinal: u64) -> Option<&Clock> {
        self.clocks.get(&physical_device_ordinal)
    }

    /// The fit of a device's clock to the driver's clock of the host, which device times are converted with.
    pub fn fit(&self, physical_device_ordinal: u64) -> Option<Fit> {
        self.clock(physical_device_ordinal)?.driver_fit()
    }

    /// The name of a function as reports print it; functions without one are numbered on their device.
    pub fn key(&self, physical_device_ordinal: u64, function: &Function) -> String {
        if !function.name.is_empty() {
            return function.name.clone();
        }
        let Function { executable_id, ordinal: function_ordinal, .. } = function;
        if physical_device_ordinal == ABSENT {
            format!("executable{executable_id}#{function_ordinal}")
        } else {
            format!("device{physical_device_ordinal}/executable{executable_id}#{function_ordinal}")
        }
    }
}

/// Adds a row of [`CLOCK_CORRELATIONS`] to the clock of its device.
pub fn add_correlation(clocks: &mut Clocks, block: &Block<'_>, row: usize) {
    let sample = Sample::of(block, row);
    clocks.entry(block.value(0, row)).or_insert_with(|| Clock::new(sample)).add(sample);
}

const HAS_TICK: u64 = 1;
const HAS_DRIVER_TIME: u64 = 1 << 1;
const HAS_HOST_BRACKET: u64 = 1 << 3;
const UNALIGNED: u64 = 1 << 4;

impl Clock {
    /// A clock of no samples yet, of which `sample` is going to be the first.
    pub const fn new(sample: Sample) -> Self {
        Self { first: sample, last: sample, sample_count: 0, has_unaligned: false }
    }

    /// Adds a sample.
    pub const fn add(&mut self, sample: Sample) {
        self.last = sample;
        self.sample_count += 1;
        self.has_unaligned |= sample.is_unaligned();
    }

    /// Whether the ticks from `start` to `end` are between the first and the last sample.
    pub const fn covers(&self, start: u64, end: u64) -> bool {
        self.has_range() && self.first.device_tick <= start && end <= self.last.device_tick
    }

    /// Whether the first and the last sample have ticks of the clock that events are timed by.
    const fn has_range(&self) -> bool {
        let has_ticks = self.first.flags & self.last.flags & HAS_TICK != 0;
        self.sample_count >= 2 && !self.has_unaligned && has_ticks
    }

    /// The fit to the driver's clock of the host.
    pub fn driver_fit(&self) -> Option<Fit> {
        self.fit(Sample::driver_time_ns)
    }

    /// The fit to IREE's own clock of the host.
    pub fn host_fit(&self) -> Option<Fit> {
        self.fit(Sample::host_time_ns)
    }

    /// The fit to the driver's clock of the host where both samples have its time, to IREE's own clock otherwise.
    pub fn any_fit(&self) -> Option<Fit> {
        let has_driver_times =
            [&self.first, &self.last].iter().all(|sample| sample.driver_time_ns().is_some());
        if has_driver_times { self.fit(Sample::driver_time_ns) } else { self.host_fit() }
    }

    fn fit(&self, time_ns: impl Fn(&Sample) -> Option<i64>) -> Option<Fit> {
        let (first, last) = (&self.first, &self.last);
        if !self.has_range() {
            return None;
        }
        let (first_time_ns, last_time_ns) = (time_ns(first)?, time_ns(last)?);
        if last.device_tick <= first.device_tick || last_time_ns <= first_time_ns {
            return None;
        }
        Some(Fit {
            first_sample_id: first.id,
            last_sample_id: last.id,
            first_device_tick: first.device_tick,
            first_time_ns,
            device_tick_span: last.device_tick - first.device_tick,
            time_span_ns: last_time_ns.abs_diff(first_time_ns),
        })
    }
}

impl Fit {
    /// A number of ticks as nanoseconds.
    pub fn ticks_to_ns(&self, ticks: u64) -> Option<i64> {
        clock::scale(ticks, self.device_tick_span, self.time_span_ns)
    }

    /// A tick as a time of the host, before or after the first sample.
    pub fn host_time_ns(&self, tick: u64) -> Option<i64> {
        clock::map(
            tick,
            self.first_device_tick,
            self.first_time_ns,
            self.device_tick_span,
            self.time_span_ns,
        )
    }

    /// The length of a tick.
    #[expect(clippy::cast_precision_loss, reason = "as the reference: exact up to 2^53")]
    pub fn ns_per_tick(&self) -> f64 {
        self.time_span_ns as f64 / self.device_tick_span as f64
    }

    /// Ticks in a second.
    pub fn tick_frequency_hz(&self) -> f64 {
        1e9 / self.ns_per_tick()
    }
}

impl Sample {
    /// The sample in a row of [`CLOCK_CORRELATIONS`].
    pub fn of(block: &Block<'_>, row: usize) -> Self {
        let value = |nth| block.value(nth, row);
        Self {
            id: value(1),
            flags: value(2),
            device_tick: value(3),
            host_cpu_timestamp_ns: value(4),
            host_time_begin_ns: value(5).cast_signed(),
            host_time_end_ns: value(6).cast_signed(),
        }
    }

    /// Whether the tick is of another clock than the one that events are timed by.
    pub const fn is_unaligned(&self) -> bool {
        self.flags & UNALIGNED != 0
    }

    /// How long the reading took on the host, where it says so.
    pub fn uncertainty_ns(&self) -> Option<i64> {
        let (begin, end) = (self.host_time_begin_ns, self.host_time_end_ns);
        (self.flags & HAS_HOST_BRACKET != 0 && end >= begin).then(|| end.wrapping_sub(begin))
    }

    fn driver_time_ns(&self) -> Option<i64> {
        i64::try_from(self.host_cpu_timestamp_ns).ok().filter(|_| self.flags & HAS_DRIVER_TIME != 0)
    }

    /// The middle of the bracket.
    fn host_time_ns(&self) -> Option<i64> {
        let (begin, end) = (self.host_time_begin_ns, self.host_time_end_ns);
        (self.flags & HAS_HOST_BRACKET != 0 && begin >= 0 && end >= begin)
            .then(|| begin + (end - begin) / 2)
    }
}

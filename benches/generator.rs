//! Generates bundles of any size that resemble captures of a GPU, a CPU or both. The bytes depend only on the
//! parameters.
//!
//! Each submission replays a command buffer, and has an allocation and a deallocation. A GPU adds device times of
//! dispatches and queue operations, counter samples and metrics; a CPU adds a host span per dispatch.
//!
//! Chunks are either large, as a driver writes them that flushes rarely, or there is one for each submission and family,
//! as local-task and Vulkan write them. The small chunks have as many rows as those of a model of two dispatches on
//! these drivers: 4 queue events, 8 memory events, and 6 host spans and 2 command regions on a CPU, or 2 dispatches, a
//! device event and a clock correlation on Vulkan. A test compares their number and their bytes with real captures.

use std::io::{self, Seek, SeekFrom, Write};

use super::builder::{fixed, record};
use super::layouts::layout;

/// Dispatches after which large chunks are written.
const FLUSH: u64 = 1 << 16;

const FUNCTIONS: u64 = 64;

/// Command buffers, which submissions replay in rotation.
const COMMAND_BUFFERS: u64 = 16;

/// Nanoseconds per device tick.
const TICK_NS: u64 = 10;

/// The parameters of a capture.
#[derive(Debug, Clone, Copy)]
pub struct Capture {
    pub dispatches: u64,
    /// Whether to write the families of a GPU.
    pub device: bool,
    /// Whether to write the families of a CPU.
    pub host: bool,
    pub seed: u64,
    /// Whether each submission has chunks of its own.
    pub per_submission: bool,
}

impl Capture {
    /// Returns the number of dispatches per submission.
    const fn batch(&self) -> u64 {
        if self.per_submission { 2 } else { 10 }
    }

    /// Writes the bundle.
    pub fn write(&self, file: &mut (impl Write + Seek)) -> io::Result<()> {
        let header = [("version_major", 1), ("version_minor", 6), ("header_length", 24)];
        let magic = ("magic", i128::from(u32::from_le_bytes(*b"IRPF")));
        let fields: Vec<_> = std::iter::once(magic).chain(header).collect();
        file.write_all(&fixed("file_header", &fields))?;
        write_record(file, 1, "session", NOWHERE, &[])?;
        for (family, payload) in metadata(self) {
            write_record(file, 2, family, NOWHERE, &payload)?;
        }
        let mut run = Run::new(self.seed);
        write_record(file, 2, "clock-correlations", NOWHERE, &run.correlation())?;
        let mut families = Families::new();
        let mut done = 0;
        while done < self.dispatches {
            let until = (done + FLUSH).min(self.dispatches);
            while done < until {
                let count = self.batch().min(until - done);
                run.submission(self, done, count, &mut families);
                done += count;
                if self.per_submission {
                    if self.device {
                        write_record(file, 2, "clock-correlations", NOWHERE, &run.correlation())?;
                    }
                    families.flush(file)?;
                }
            }
            families.flush(file)?;
        }
        write_record(file, 2, "clock-correlations", NOWHERE, &run.correlation())?;
        write_record(file, 3, "session", NOWHERE, &[])?;
        let length = file.stream_position()?;
        file.seek(SeekFrom::Start(16))?;
        file.write_all(&length.to_le_bytes())
    }
}

/// The device and the queue of a chunk.
type Place = (u32, u32);

const NOWHERE: Place = (u32::MAX, u32::MAX);

fn write_record(
    file: &mut impl Write,
    record_type: i128,
    family: &str,
    (device, queue): Place,
    payload: &[u8],
) -> io::Result<()> {
    let content_type = format!("application/vnd.iree.hal.profile.{family}");
    let name = "generated";
    let header = fixed(
        "file_record_header",
        &[
            ("record_length", (104 + content_type.len() + name.len() + payload.len()) as i128),
            ("payload_length", payload.len() as i128),
            ("session_id", 1),
            ("header_length", 104),
            ("content_type_length", content_type.len() as i128),
            ("name_length", name.len() as i128),
            ("physical_device_ordinal", device.into()),
            ("queue_ordinal", queue.into()),
            ("record_type", record_type),
        ],
    );
    for part in [&header, content_type.as_bytes(), name.as_bytes(), payload] {
        file.write_all(part)?;
    }
    Ok(())
}

/// Returns the metadata as families with their payloads.
fn metadata(capture: &Capture) -> Vec<(&'static str, Vec<u8>)> {
    let function = |nth: u64| {
        let name =
            format!("main_dispatch_{nth}_matmul_{}x{}x512_f32", 64 << (nth % 6), 32 << (nth % 5));
        let fields = [
            ("executable_id", 1),
            ("function_ordinal", i128::from(nth)),
            ("binding_count", 3),
            ("workgroup_size[0]", 64),
            ("workgroup_size[1]", 1),
            ("workgroup_size[2]", 1),
            ("name_length", name.len() as i128),
        ];
        record("executable_function_record", &fields, name.as_bytes())
    };
    let executable = [("executable_id", 1), ("function_count", i128::from(FUNCTIONS))];
    let mut all = vec![
        ("devices", record("device_record", &[("queue_count", 1)], &[])),
        ("queues", record("queue_record", &[], &[])),
        ("executables", record("executable_record", &executable, &[])),
        ("executable-functions", (0..FUNCTIONS).flat_map(function).collect()),
        ("command-buffers", (1..=COMMAND_BUFFERS).flat_map(command_buffer).collect()),
        (
            "command-operations",
            (1..=COMMAND_BUFFERS).flat_map(|id| operations(id, capture)).collect(),
        ),
    ];
    if capture.device && !capture.per_submission {
        all.extend(measures());
    }
    all
}

fn command_buffer(id: u64) -> Vec<u8> {
    let fields = [("command_buffer_id", id.into()), ("mode", 128), ("command_categories", 3)];
    record("command_buffer_record", &fields, &[])
}

/// Returns the command buffer that a submission replays.
const fn replayed_by(submission: u64) -> u64 {
    submission % COMMAND_BUFFERS + 1
}

/// Returns the function of the `nth` dispatch of a command buffer.
const fn function_of(command_buffer: u64, nth: u64) -> u64 {
    (23 * command_buffer + 7 * nth) % FUNCTIONS
}

/// Returns the number of workgroups of the dispatches of a function.
const fn groups_of(function: u64) -> u64 {
    1 << (function % 8)
}

/// Returns the command index of the `nth` dispatch of a command buffer.
const fn command_of(nth: u64) -> u64 {
    2 * nth
}

/// Returns the commands of a command buffer: dispatches, each followed by a barrier.
fn operations(command_buffer: u64, capture: &Capture) -> Vec<u8> {
    let none = i128::from(u32::MAX);
    let inside = [
        ("command_buffer_id", command_buffer.into()),
        ("block_ordinal", none),
        ("block_command_ordinal", none),
        ("source_ordinal", none),
        ("target_ordinal", none),
        ("target_block_ordinal", none),
        ("alternate_block_ordinal", none),
    ];
    let operation = |nth: u64| {
        let (at, function) = (command_of(nth), function_of(command_buffer, nth));
        let dispatch = [
            ("type", 2),
            ("flags", 4),
            ("command_index", at.into()),
            ("executable_id", 1),
            ("function_ordinal", function.into()),
            ("binding_count", 3),
            ("workgroup_count[0]", groups_of(function).into()),
        ];
        let dispatch = [inside.as_slice(), &dispatch, &WORKGROUPS].concat();
        let barrier = [
            ("type", 1),
            ("flags", 1),
            ("command_index", (at + 1).into()),
            ("function_ordinal", none),
        ];
        let barrier = [inside.as_slice(), &barrier].concat();
        [dispatch, barrier].map(|fields| record("command_operation_record", &fields, &[])).concat()
    };
    (0..capture.batch()).flat_map(operation).collect()
}

/// Returns the descriptions of the counters and metrics of a GPU.
fn measures() -> [(&'static str, Vec<u8>); 4] {
    let set = [
        ("counter_set_id", 1),
        ("counter_count", 2),
        ("sample_value_count", 2),
        ("name_length", 4),
    ];
    let counter = |nth: i128, block: &str, name: &str, unit: i128| {
        let fields = [
            ("counter_set_id", 1),
            ("counter_ordinal", nth),
            ("unit", unit),
            ("sample_value_offset", nth),
            ("sample_value_count", 1),
            ("block_name_length", block.len() as i128),
            ("name_length", name.len() as i128),
        ];
        record("counter_record", &fields, format!("{block}{name}").as_bytes())
    };
    let source = [("source_id", 1), ("device_class", 2), ("metric_count", 1), ("name_length", 3)];
    let name = "clock.compute.current";
    let metric = [
        ("source_id", 1),
        ("metric_id", 1),
        ("unit", 2),
        ("value_kind", 2),
        ("semantic", 1),
        ("plot_hint", 4),
        ("name_length", name.len() as i128),
    ];
    [
        ("counter-sets", record("counter_set_record", &set, b"main")),
        ("counters", [counter(0, "SQ", "busy", 2), counter(1, "GL2", "hits", 1)].concat()),
        ("device-metric-sources", record("device_metric_source_record", &source, b"gpu")),
        (
            "device-metric-descriptors",
            record("device_metric_descriptor_record", &metric, name.as_bytes()),
        ),
    ]
}

/// The unwritten rows of a family: copies of a template record, with the varying fields at given offsets and widths.
struct Family {
    suffix: &'static str,
    place: Place,
    shared: Vec<u8>,
    varying: Vec<(usize, usize)>,
    payload: Vec<u8>,
}

impl Family {
    fn new(
        (suffix, name): (&'static str, &str),
        place: Place,
        shared: &[(&str, i128)],
        varying: &[&str],
        tail: usize,
    ) -> Self {
        let shared = record(name, shared, &vec![0; tail]);
        let fields = &layout(name).fields;
        let slot = |name: &&str| {
            let field = fields.iter().find(|field| field.name == **name).expect("a field");
            (field.offset, field.width())
        };
        // The values after the fixed fields vary, too.
        let size = layout(name).size;
        let tail = (0..tail / 8).map(|nth| (size + 8 * nth, 8));
        let varying = varying.iter().map(slot).chain(tail).collect();
        Self { suffix, place, shared, varying, payload: Vec::new() }
    }

    fn push(&mut self, values: &[u64]) {
        let start = self.payload.len();
        self.payload.extend_from_slice(&self.shared);
        for ((at, width), value) in self.varying.iter().zip(values) {
            self.payload[start + at..start + at + width]
                .copy_from_slice(&value.to_le_bytes()[..*width]);
        }
    }
}

/// The workgroup fields that all dispatches share.
const WORKGROUPS: [(&str, i128); 5] = [
    ("workgroup_count[1]", 1),
    ("workgroup_count[2]", 1),
    ("workgroup_size[0]", 64),
    ("workgroup_size[1]", 1),
    ("workgroup_size[2]", 1),
];

/// The varying fields of a dispatch, timed by the device or the host.
const DISPATCH: [&str; 6] = [
    "event_id",
    "submission_id",
    "command_buffer_id",
    "command_index",
    "function_ordinal",
    "workgroup_count",
];

/// The varying fields of the host times of a dispatch.
const SPAN: [&str; 4] =
    ["start_host_time_ns", "end_host_time_ns", "tile_count", "tile_duration_sum_ns"];

/// The varying fields of a queue operation, timed by the host.
const OPERATION: [&str; 7] = [
    "type",
    "event_id",
    "submission_id",
    "command_buffer_id",
    "host_time_ns",
    "ready_host_time_ns",
    "operation_count",
];

/// The varying fields of a queue operation, timed by the device.
const TIMED: [&str; 6] =
    ["event_id", "submission_id", "command_buffer_id", "operation_count", "start_tick", "end_tick"];

/// The families with many rows.
struct Families {
    dispatches: Family,
    spans: Family,
    operations: Family,
    timed: Family,
    memory: Family,
    samples: Family,
    metrics: Family,
    relationships: Family,
    regions: Family,
}

impl Families {
    fn new() -> Self {
        let with = |more: &[(&'static str, i128)]| [WORKGROUPS.as_slice(), more].concat();
        Self {
            dispatches: Family::new(
                ("dispatch-events", "dispatch_event"),
                (0, 0),
                &with(&[("flags", 1), ("executable_id", 1)]),
                &[DISPATCH.as_slice(), &["start_tick", "end_tick"]].concat(),
                0,
            ),
            spans: Family::new(
                ("host-execution-events", "host_execution_event"),
                NOWHERE,
                &with(&[("executable_id", 1), ("operation_count", 1)]),
                &[&["type"], DISPATCH.as_slice(), &SPAN].concat(),
                0,
            ),
            operations: Family::new(
                ("queue-events", "queue_event"),
                NOWHERE,
                &[("dependency_strategy", 2), ("wait_count", 1), ("signal_count", 1)],
                &OPERATION,
                0,
            ),
            timed: Family::new(
                ("queue-device-events", "queue_device_event"),
                NOWHERE,
                &[("type", 3)],
                &TIMED,
                0,
            ),
            memory: Family::new(
                ("memory-events", "memory_event"),
                NOWHERE,
                &[("flags", 1), ("memory_type", 8), ("buffer_usage", 3), ("alignment", 64)],
                &["type", "event_id", "host_time_ns", "allocation_id", "submission_id", "length"],
                0,
            ),
            samples: Family::new(
                ("counter-samples", "counter_sample_record"),
                NOWHERE,
                &[
                    ("flags", 1),
                    ("scope", 1),
                    ("counter_set_id", 1),
                    ("executable_id", 1),
                    ("sample_value_count", 2),
                ],
                &[
                    "sample_id",
                    "dispatch_event_id",
                    "submission_id",
                    "command_buffer_id",
                    "function_ordinal",
                ],
                16,
            ),
            metrics: Family::new(
                ("device-metric-samples", "device_metric_sample_record"),
                NOWHERE,
                &[("source_id", 1), ("value_count", 1)],
                &["sample_id", "host_time_begin_ns", "host_time_end_ns"],
                24,
            ),
            relationships: Family::new(
                ("event-relationships", "event_relationship_record"),
                NOWHERE,
                &[("type", 2), ("source_type", 1), ("target_type", 7)],
                &["relationship_id", "source_id", "target_id"],
                0,
            ),
            regions: Family::new(
                ("command-region-events", "command_region_event"),
                NOWHERE,
                &[
                    ("flags", 1),
                    ("command_region.dispatch_count", 1),
                    ("command_region.tile_count", 8),
                    ("scheduler.worker_count", 2),
                ],
                &[
                    "event_id",
                    "submission_id",
                    "command_buffer_id",
                    "command_region.index",
                    "command_region.start_host_time_ns",
                    "command_region.end_host_time_ns",
                ],
                0,
            ),
        }
    }

    fn flush(&mut self, file: &mut impl Write) -> io::Result<()> {
        for family in [
            &mut self.operations,
            &mut self.memory,
            &mut self.dispatches,
            &mut self.timed,
            &mut self.samples,
            &mut self.metrics,
            &mut self.relationships,
            &mut self.spans,
            &mut self.regions,
        ] {
            if !family.payload.is_empty() {
                write_record(file, 2, family.suffix, family.place, &family.payload)?;
                family.payload.clear();
            }
        }
        Ok(())
    }
}

/// The state of the simulated run.
struct Run {
    now_ns: u64,
    random: u64,
    correlations: u64,
}

impl Run {
    const fn new(seed: u64) -> Self {
        Self { now_ns: 1_000_000, random: seed ^ 0x9E37_79B9_7F4A_7C15, correlations: 0 }
    }

    /// Returns the next number of a xorshift64 generator (Marsaglia, 2003), reduced to below `limit`.
    const fn random(&mut self, limit: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random % limit
    }

    fn correlation(&mut self) -> Vec<u8> {
        self.correlations += 1;
        let now = i128::from(self.now_ns);
        let fields = [
            ("flags", 0b1011),
            ("sample_id", i128::from(self.correlations)),
            ("device_tick", now / i128::from(TICK_NS)),
            ("host_cpu_timestamp_ns", now),
            ("host_time_begin_ns", now - 40),
            ("host_time_end_ns", now + 40),
        ];
        record("clock_correlation_record", &fields, &[])
    }

    /// Adds a submission of `count` dispatches, which start with the `first`-th of the capture.
    fn submission(&mut self, capture: &Capture, first: u64, count: u64, families: &mut Families) {
        let submission = first / capture.batch() + 1;
        let replayed = replayed_by(submission);
        let submitted = self.now_ns;
        let wait = 500 + self.random(2_000);
        let length = 4096 * (1 + self.random(64));
        let ready = submitted + wait / 2;
        let operation = [3, submission, submission, replayed, submitted, ready, count];
        families.operations.push(&operation);
        families.memory.push(&[7, 2 * submission - 1, submitted, submission, submission, length]);
        self.now_ns += wait;
        let start = self.now_ns;
        for nth in first..first + count {
            self.dispatch(capture, nth, submission, families);
        }
        let end = self.now_ns;
        families.memory.push(&[8, 2 * submission, end + 200, submission, submission, length]);
        if capture.per_submission {
            Self::others(capture, [submission, replayed, start, end], families);
        }
        if capture.device {
            families.timed.push(&[
                submission,
                submission,
                replayed,
                count,
                start / TICK_NS,
                end / TICK_NS,
            ]);
            if capture.per_submission {
                self.now_ns += 1_000;
                return;
            }
            families.relationships.push(&[submission, submission, submission]);
            let (busy, hits) = (self.random(1_000_000), self.random(1_000));
            families.samples.push(&[
                submission,
                first + 1,
                submission,
                replayed,
                function_of(replayed, 0),
                busy,
                hits,
            ]);
            if submission.is_multiple_of(100) {
                let hertz = 1_000_000_000 + self.random(500_000_000);
                families.metrics.push(&[submission / 100, end, end + 100, 1, hertz, 0]);
            }
        }
        self.now_ns += 1_000;
    }

    /// Adds the other rows of a submission's small chunks: events of its allocations, and regions of its command buffer.
    fn others(capture: &Capture, times: [u64; 4], families: &mut Families) {
        let [submission, replayed, start, end] = times;
        // Ids above those of the other events.
        let id = |nth: u64| (1 << 40) + 8 * submission + nth;
        for (nth, kind) in (0..).zip([9, 9, 10]) {
            families.operations.push(&[kind, id(nth), submission, 0, start, start, 1]);
        }
        for (nth, kind) in (0..).zip([3, 4, 3, 4, 7, 5]) {
            let allocation = id(nth / 2);
            families.memory.push(&[kind, id(nth), start, allocation, submission, 128]);
        }
        if capture.host {
            for (nth, kind) in (0..).zip([9, 9, 3, 10]) {
                let none = u64::from(u32::MAX);
                let times = [start, end, 0, 0];
                let fields = [kind, id(nth), submission, replayed, none, none, 0];
                families.spans.push(&[fields.as_slice(), &times].concat());
            }
            for nth in 0..2 {
                families.regions.push(&[id(nth), submission, replayed, nth, start, end]);
            }
        }
    }

    fn dispatch(&mut self, capture: &Capture, nth: u64, submission: u64, families: &mut Families) {
        let (replayed, command) = (replayed_by(submission), command_of(nth % capture.batch()));
        let function = function_of(replayed, nth % capture.batch());
        let groups = groups_of(function);
        let start = self.now_ns;
        let end = start + 2_000 + 500 * function + self.random(10_000);
        if capture.device {
            families.dispatches.push(&[
                nth + 1,
                submission,
                replayed,
                command,
                function,
                groups,
                start / TICK_NS,
                end / TICK_NS,
            ]);
        }
        if capture.host {
            let spent = (end - start) * 3 / 2;
            families.spans.push(&[
                2,
                nth + 1,
                submission,
                replayed,
                command,
                function,
                groups,
                start,
                end,
                groups,
                spent,
            ]);
        }
        self.now_ns = end + 100;
    }
}

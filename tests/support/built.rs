//! The bundles that tests build. Each function documents what its bundle covers.

use std::io::Cursor;

use super::builder::{Bundle, Chunk, clock_correlation, fixed, record};
use super::built_clocks;
use super::built_contradictions;
use super::built_counter;
use super::built_explain;
use super::built_idle;
use super::built_memory;
use super::built_queues;
use super::built_smoke;
use super::built_times;
use super::generator::Capture;

/// The names of all built bundles.
pub const ALL: &[&str] = &[
    "gpu",
    "no_clock",
    "empty",
    "lossy",
    "two_sessions",
    "orphans",
    "silent",
    "counters",
    "counters_of_no_set",
    "counters_beyond_samples",
    "counters_of_empty_set",
    "statistics",
    "statistics_without_executables",
    "statistics_that_overflow",
    "memory_types",
    "memory_pools",
    "memory_stats",
    "memory_moments",
    "memory_lifetimes",
    "memory_lifetimes_before_queues",
    "memory_truncated",
    "memory_overflow",
    "memory_random",
    "memory_results",
    "ranks",
    "long_ticks",
    "host_hints",
    "pressure",
    "counted",
    "long_trace",
    "queues",
    "idle",
    "contradictory",
    "smoke",
    "smoke_on_host",
    "two_clocks",
    "uneven",
    "transfers",
    "same_hash",
    "generated",
];

/// Builds the bundle called `name`.
pub fn named(name: &str) -> Vec<u8> {
    match name {
        "gpu" => gpu(),
        "no_clock" => no_clock(),
        "empty" => Bundle::new().begin(1, "none").end(1, 0).finish(),
        "lossy" => lossy(),
        "two_sessions" => two_sessions(),
        "orphans" => orphans(),
        "silent" => silent(),
        "ranks" => built_explain::ranks(),
        "long_ticks" => built_explain::long_ticks(),
        "host_hints" => built_explain::host_hints(),
        "pressure" => built_explain::pressure(),
        "counted" => built_explain::counted(),
        "queues" => built_queues::queues(),
        "idle" => built_idle::idle(),
        "contradictory" => built_contradictions::contradictory(),
        "smoke" => built_smoke::smoke(true),
        "smoke_on_host" => built_smoke::smoke(false),
        "two_clocks" => built_times::two_clocks(),
        "uneven" => built_clocks::uneven(),
        "transfers" => built_times::transfers(),
        "same_hash" => built_times::same_hash(),
        "generated" => generated(),
        "long_trace" => built_explain::long_trace(),
        "counters" => built_counter::counters(),
        "counters_of_no_set" => built_counter::counters_of_no_set(),
        "counters_beyond_samples" => built_counter::counters_beyond_samples(),
        "counters_of_empty_set" => built_counter::counters_of_empty_set(),
        "statistics" => built_counter::statistics(),
        "statistics_without_executables" => built_counter::statistics_without_executables(),
        "statistics_that_overflow" => built_counter::statistics_that_overflow(),
        other => match other.strip_prefix("memory_") {
            Some(of_memory) => built_memory::named(of_memory),
            None => panic!("no built bundle {other}"),
        },
    }
}

/// A small capture of the generator that the benchmarks use.
fn generated() -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let capture =
        Capture { dispatches: 1234, device: true, host: true, seed: 3, per_submission: false };
    capture.write(&mut bytes).expect("memory is written");
    bytes.into_inner()
}

const ON: Chunk<'static> = Chunk { name: "gpu", ..Chunk::PLAIN };

/// A small GPU capture: two devices whose ticks are not nanoseconds, three queues, valid and invalid dispatches,
/// transfers, counters, metrics, relationships, code objects and a trace.
fn gpu() -> Vec<u8> {
    let bundle = Bundle::new().begin(1, "gpu");
    let bundle = gpu_metadata(bundle);
    let bundle = gpu_clocks(bundle);
    let bundle = gpu_events(bundle);
    gpu_measurements(bundle).end(1, 0).finish()
}

fn gpu_metadata(bundle: Bundle) -> Bundle {
    let device = |ordinal| {
        record(
            "device_record",
            &[
                ("flags", 1),
                ("physical_device_ordinal", ordinal),
                ("queue_count", 2),
                ("physical_device_uuid[0]", 0xab),
                ("physical_device_uuid[15]", ordinal),
            ],
            &[],
        )
    };
    let queue = |device, queue| {
        record(
            "queue_record",
            &[
                ("physical_device_ordinal", device),
                ("queue_ordinal", queue),
                ("stream_id", 10 * device + queue),
            ],
            &[],
        )
    };
    let executable = record(
        "executable_record",
        &[
            ("flags", 1),
            ("executable_id", 7),
            ("function_count", 3),
            ("code_object_hash[0]", 0x11),
            ("code_object_hash[1]", 0x22),
        ],
        &[],
    );
    let function = |ordinal: i128, name: &str, hash: i128| {
        let fields = [
            ("flags", i128::from(hash != 0)),
            ("executable_id", 7),
            ("function_ordinal", ordinal),
            ("binding_count", 3),
            ("workgroup_size[0]", 64),
            ("workgroup_size[1]", 1),
            ("workgroup_size[2]", 1),
            ("name_length", name.len() as i128),
            ("function_hash[0]", hash),
        ];
        record("executable_function_record", &fields, name.as_bytes())
    };
    let image = b"\x7fELF code object";
    let code_object = record(
        "executable_code_object_record",
        &[("executable_id", 7), ("code_object_id", 1), ("data_length", image.len() as i128)],
        image,
    );
    let load = |device: i128| {
        record(
            "executable_code_object_load_record",
            &[
                ("physical_device_ordinal", device),
                ("executable_id", 7),
                ("code_object_id", 1),
                ("load_delta", -4096),
                ("load_size", 65536),
            ],
            &[],
        )
    };
    let command_buffer = record(
        "command_buffer_record",
        &[("command_buffer_id", 3), ("mode", 1), ("physical_device_ordinal", 0)],
        &[],
    );
    let operation = |index: i128, kind: i128, function: i128| {
        let fields = [
            ("type", kind),
            ("flags", 1 << 6),
            ("command_index", index),
            ("command_buffer_id", 3),
            ("executable_id", if kind == 2 { 7 } else { 0 }),
            ("function_ordinal", function),
            ("block_ordinal", 0),
            ("block_command_ordinal", index),
        ];
        record("command_operation_record", &fields, &[])
    };
    bundle
        .chunk("devices", ON, &[device(0), device(1)])
        .chunk("queues", ON, &[queue(0, 0), queue(0, 1), queue(1, 0)])
        .chunk("executables", ON, &[executable])
        .chunk(
            "executable-functions",
            ON,
            &[function(0, "matmul", 5), function(1, "softmax", 0), function(2, "", 0)],
        )
        // The same function again: a flush can repeat metadata.
        .chunk("executable-functions", ON, &[function(0, "matmul", 5)])
        .chunk("executable-code-objects", ON, &[code_object])
        .chunk("executable-code-object-loads", ON, &[load(0), load(1)])
        .chunk("command-buffers", ON, &[command_buffer])
        .chunk(
            "command-operations",
            ON,
            &[operation(0, 2, 0), operation(1, 1, u32::MAX.into()), operation(2, 2, 1)],
        )
}

fn gpu_clocks(bundle: Bundle) -> Bundle {
    // Device 0: 100 ticks are 1000 ns (a 100 MHz clock). Device 1: 3 ticks are 1 ns, so durations are rounded.
    let sample = |device: i128, id: i128, tick: i128, time: i128| {
        clock_correlation(device, id, tick, [time, time + 500, time + 503])
    };
    bundle.chunk(
        "clock-correlations",
        ON,
        &[
            sample(0, 1, 1_000, 50_000),
            sample(1, 1, 300, 50_000),
            sample(0, 2, 101_000, 1_050_000),
            sample(1, 2, 3_000_300, 1_050_000),
        ],
    )
}

fn gpu_events(bundle: Bundle) -> Bundle {
    let dispatch = |event: i128, function: i128, start: i128, end: i128| {
        let fields = [
            ("flags", 1),
            ("event_id", event),
            ("submission_id", 1),
            ("command_buffer_id", 3),
            ("executable_id", 7),
            ("command_index", if function == 0 { 0 } else { 2 }),
            ("function_ordinal", function),
            ("workgroup_count[0]", 4),
            ("workgroup_count[1]", 2),
            ("workgroup_count[2]", 1),
            ("workgroup_size[0]", 64),
            ("workgroup_size[1]", 1),
            ("workgroup_size[2]", 1),
            ("start_tick", start),
            ("end_tick", end),
        ];
        record("dispatch_event", &fields, &[])
    };
    let first = [
        dispatch(1, 0, 2_000, 2_300),
        dispatch(2, 1, 2_300, 2_350),
        dispatch(3, 0, 2_400, 2_500),
        dispatch(4, 2, 2_500, 2_510),
        dispatch(5, 0, 0, 2_600),
        dispatch(6, 0, 2_700, 2_600),
    ];
    let second = [dispatch(7, 0, 400, 404), dispatch(8, 1, 100, 101)];
    let queued =
        |event: i128, kind: i128, device: i128, submission: i128, bytes: i128, ready: i128| {
            let fields = [
                ("type", kind),
                ("event_id", event),
                ("host_time_ns", 60_000 + event * 100),
                ("submission_id", submission),
                ("command_buffer_id", if kind == 3 { 3 } else { 0 }),
                ("stream_id", 10 * device),
                ("physical_device_ordinal", device),
                ("queue_ordinal", 0),
                ("wait_count", 1),
                ("signal_count", 1),
                ("operation_count", 2),
                ("payload_length", bytes),
                ("ready_host_time_ns", ready),
            ];
            record("queue_event", &fields, &[])
        };
    let timed = |event: i128, kind: i128, submission: i128, bytes: i128, start: i128, end: i128| {
        let fields = [
            ("type", kind),
            ("event_id", event),
            ("submission_id", submission),
            ("stream_id", 0),
            ("payload_length", bytes),
            ("physical_device_ordinal", 0),
            ("queue_ordinal", 0),
            ("operation_count", 1),
            ("start_tick", start),
            ("end_tick", end),
        ];
        record("queue_device_event", &fields, &[])
    };
    let arrow = record(
        "event_relationship_record",
        &[
            ("type", 1),
            ("relationship_id", 1),
            ("source_type", 1),
            ("target_type", 3),
            ("physical_device_ordinal", 0),
            ("queue_ordinal", 0),
            ("source_id", 1),
            ("target_id", 1),
        ],
        &[],
    );
    bundle
        .chunk("dispatch-events", Chunk { device: 0, queue: 0, stream: 0, ..ON }, &first)
        .chunk("dispatch-events", Chunk { device: 1, queue: 0, stream: 10, ..ON }, &second)
        .chunk(
            "queue-events",
            ON,
            &[
                queued(1, 3, 0, 1, 0, 60_150),
                queued(2, 4, 0, 2, 4096, 0),
                queued(3, 5, 1, 1, 256, 0),
                queued(4, 9, 0, 3, 1024, 60_500),
            ],
        )
        .chunk(
            "queue-device-events",
            ON,
            &[timed(1, 3, 1, 0, 2_000, 2_510), timed(2, 4, 2, 4096, 2_600, 2_700)],
        )
        .chunk("event-relationships", ON, &[arrow])
}

fn gpu_measurements(bundle: Bundle) -> Bundle {
    let set = record(
        "counter_set_record",
        &[
            ("counter_set_id", 1),
            ("counter_count", 2),
            ("sample_value_count", 3),
            ("name_length", 5),
        ],
        b"waves",
    );
    let counter = |ordinal: i128, offset: i128, count: i128, unit: i128, names: [&str; 3]| {
        let fields = [
            ("unit", unit),
            ("counter_set_id", 1),
            ("counter_ordinal", ordinal),
            ("sample_value_offset", offset),
            ("sample_value_count", count),
            ("block_name_length", names[0].len() as i128),
            ("name_length", names[1].len() as i128),
            ("description_length", names[2].len() as i128),
        ];
        record("counter_record", &fields, names.concat().as_bytes())
    };
    let sample = |id: i128, dispatch: i128, values: [u64; 3]| {
        let fields = [
            ("flags", 1),
            ("scope", 1),
            ("sample_id", id),
            ("counter_set_id", 1),
            ("dispatch_event_id", dispatch),
            ("command_index", u32::MAX.into()),
            ("sample_value_count", 3),
        ];
        record("counter_sample_record", &fields, values.map(u64::to_le_bytes).as_flattened())
    };
    let source = record(
        "device_metric_source_record",
        &[("source_id", 1), ("device_class", 2), ("metric_count", 2), ("name_length", 3)],
        b"smi",
    );
    let metric = |id: i128, unit: i128, kind: i128, name: &str| {
        let fields = [
            ("source_id", 1),
            ("metric_id", id),
            ("unit", unit),
            ("value_kind", kind),
            ("semantic", 1),
            ("name_length", name.len() as i128),
        ];
        record("device_metric_descriptor_record", &fields, name.as_bytes())
    };
    let reading = |id: i128, values: &[(i128, u64)]| {
        let entries: Vec<u8> = values
            .iter()
            .flat_map(|(metric, bits)| {
                fixed(
                    "device_metric_value",
                    &[("metric_id", *metric), ("value_bits", (*bits).into())],
                )
            })
            .collect();
        let fields = [
            ("sample_id", id),
            ("source_id", 1),
            ("host_time_begin_ns", 100 * id),
            ("host_time_end_ns", 100 * id + 5),
            ("value_count", values.len() as i128),
        ];
        record("device_metric_sample_record", &fields, &entries)
    };
    let trace = b"raw trace bytes";
    let mut traced = record(
        "executable_trace_record",
        &[
            ("format", 1),
            ("flags", 1),
            ("trace_id", 1),
            ("dispatch_event_id", 1),
            ("data_length", trace.len() as i128),
        ],
        &[],
    );
    traced.extend_from_slice(trace);
    bundle
        .chunk("counter-sets", ON, &[set])
        .chunk(
            "counters",
            ON,
            &[
                counter(0, 0, 2, 2, ["SQ", "busy", "Busy cycles"]),
                counter(1, 2, 1, 1, ["GL2", "hits", ""]),
            ],
        )
        .chunk("counter-samples", ON, &[sample(1, 1, [10, 30, 7]), sample(2, 2, [1, 2, 9])])
        .chunk("device-metric-sources", ON, &[source])
        .chunk(
            "device-metric-descriptors",
            ON,
            &[
                metric(1, 2, 2, "clock.compute.current"),
                metric(3, 6, 1, "temperature.edge"),
                metric(99, 0, 3, "ratio"),
            ],
        )
        .chunk(
            "device-metric-samples",
            ON,
            &[
                reading(1, &[(1, 2_000_000_000), (3, (-5_000_i64).cast_unsigned())]),
                reading(2, &[(99, 0.25_f64.to_bits()), (3, 4)]),
            ],
        )
        .chunk("executable-traces", ON, &[traced])
        .chunk("memory-events", ON, &memory())
}

fn memory() -> Vec<Vec<u8>> {
    let event = |id: i128, kind: i128, flags: i128, pool: i128, length: i128| {
        let fields = [
            ("type", kind),
            ("flags", flags),
            ("result", u32::MAX.into()),
            ("event_id", id),
            ("host_time_ns", 1_000 * id),
            ("allocation_id", 5),
            ("pool_id", pool),
            ("length", length),
            ("queue_ordinal", u32::MAX.into()),
        ];
        record("memory_event", &fields, &[])
    };
    vec![
        event(1, 1, 0, 0, 1 << 20),
        event(2, 3, 0, 9, 4096),
        event(3, 3, 8, 9, 4096),
        event(4, 9, 0, 0, 100),
        event(5, 9, 0, 0, 50),
        event(6, 10, 0, 0, 100),
        event(7, 5, 0, 9, 4096),
    ]
}

/// Appends two devices with a queue each, and an executable with one function of this name.
fn plain_metadata(bundle: Bundle, chunk: Chunk<'_>, name: &str) -> Bundle {
    let device = |ordinal| {
        record("device_record", &[("physical_device_ordinal", ordinal), ("queue_count", 1)], &[])
    };
    let queue = |device| record("queue_record", &[("physical_device_ordinal", device)], &[]);
    let function = [("executable_id", 1), ("name_length", name.len() as i128)];
    bundle
        .chunk("devices", chunk, &[device(0), device(1)])
        .chunk("queues", chunk, &[queue(0), queue(1)])
        .chunk(
            "executables",
            chunk,
            &[record("executable_record", &[("executable_id", 1), ("function_count", 1)], &[])],
        )
        .chunk(
            "executable-functions",
            chunk,
            &[record("executable_function_record", &function, name.as_bytes())],
        )
}

/// Dispatches on two devices: one without clock correlations, one with an unaligned sample.
fn no_clock() -> Vec<u8> {
    let dispatch = |start: i128, end: i128| {
        record(
            "dispatch_event",
            &[("event_id", start), ("executable_id", 1), ("start_tick", start), ("end_tick", end)],
            &[],
        )
    };
    let sample = |id: i128, flags: i128, tick: i128| {
        record(
            "clock_correlation_record",
            &[
                ("flags", flags),
                ("physical_device_ordinal", 1),
                ("sample_id", id),
                ("device_tick", tick),
                ("host_cpu_timestamp_ns", tick),
            ],
            &[],
        )
    };
    plain_metadata(Bundle::new().begin(1, "gpu"), ON, "kernel")
        .chunk(
            "clock-correlations",
            ON,
            &[sample(1, 0b11, 10), sample(2, 0b1_0011, 20), sample(3, 0b11, 30)],
        )
        .chunk("dispatch-events", Chunk { device: 0, queue: 0, ..ON }, &[dispatch(10, 40)])
        .chunk("dispatch-events", Chunk { device: 1, queue: 0, ..ON }, &[dispatch(10, 20)])
        .end(1, 0)
        .finish()
}

/// An incomplete capture: truncated chunks, dropped records, a failed session, and families and record types of a
/// later version.
fn lossy() -> Vec<u8> {
    plain_metadata(Bundle::new().begin(1, "gpu"), ON, "kernel")
        .chunk("queue-events", Chunk { flags: 1, dropped: 12, ..ON }, &[])
        .chunk(
            "dispatch-events",
            Chunk { flags: 1, dropped: 3, device: 0, queue: 0, ..ON },
            &[record(
                "dispatch_event",
                &[("executable_id", 1), ("start_tick", 1), ("end_tick", 2)],
                &[],
            )],
        )
        .chunk("quantum-events", ON, &[vec![1, 2, 3]])
        .record(
            &[("record_type", 77), ("session_id", 1)],
            b"application/vnd.iree.hal.profile.session",
            b"later",
            b"?",
        )
        .end(1, 14)
        .finish()
}

/// Two sessions in one file, whose equal ids refer to different records.
fn two_sessions() -> Vec<u8> {
    let span = |end: i128| {
        record(
            "host_execution_event",
            &[
                ("type", 2),
                ("event_id", 1),
                ("executable_id", 1),
                ("start_host_time_ns", 100),
                ("end_host_time_ns", end),
            ],
            &[],
        )
    };
    let on = |session| Chunk { session, ..ON };
    let first = plain_metadata(Bundle::new().begin(1, "first"), on(1), "one")
        .chunk("host-execution-events", on(1), &[span(110)])
        .end(1, 0)
        .begin(2, "second");
    plain_metadata(first, on(2), "two")
        .chunk("host-execution-events", on(2), &[span(130), span(90)])
        .end(2, 0)
        .finish()
}

/// Events and samples without the metadata that they refer to.
fn orphans() -> Vec<u8> {
    let dispatch = record(
        "dispatch_event",
        &[
            ("event_id", 1),
            ("executable_id", 5),
            ("function_ordinal", 6),
            ("start_tick", 10),
            ("end_tick", 30),
        ],
        &[],
    );
    let sample = record(
        "counter_sample_record",
        &[("sample_id", 1), ("counter_set_id", 9), ("sample_value_count", 1)],
        &7_u64.to_le_bytes(),
    );
    let value = fixed("device_metric_value", &[("metric_id", 1000), ("value_bits", 4)]);
    let reading = record(
        "device_metric_sample_record",
        &[("sample_id", 1), ("source_id", 1), ("value_count", 1)],
        &value,
    );
    Bundle::new()
        .begin(1, "gpu")
        .chunk("dispatch-events", Chunk { device: 0, queue: 0, ..ON }, &[dispatch])
        .chunk("counter-samples", ON, &[sample])
        .chunk("device-metric-samples", ON, &[reading])
        .end(1, 0)
        .finish()
}

/// The capture of a driver that accepts all modes but times nothing: queue operations, and chunks without records.
fn silent() -> Vec<u8> {
    let operation = |id: i128, kind: i128| {
        record(
            "queue_event",
            &[("type", kind), ("event_id", id), ("host_time_ns", 100 * id), ("submission_id", id)],
            &[],
        )
    };
    plain_metadata(Bundle::new().begin(1, "gpu"), ON, "kernel")
        .chunk("queue-events", ON, &[operation(1, 9), operation(2, 3), operation(3, 2)])
        .chunk("dispatch-events", Chunk { device: 0, queue: 0, ..ON }, &[])
        .end(1, 0)
        .finish()
}

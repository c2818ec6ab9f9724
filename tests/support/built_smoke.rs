//! A bundle with one or two records of almost every family, which all refer to one dispatch of a command buffer.

use super::builder::{Bundle, Chunk, fixed, record};

const ON: Chunk<'static> =
    Chunk { device: 0, queue: 0, stream: STREAM as u64, name: "smoke", ..Chunk::PLAIN };

const STREAM: i128 = 11;
const COMMAND_BUFFER: i128 = 7;
const COMMAND: i128 = 2;
const EXECUTABLE: i128 = 13;
const FUNCTION: i128 = 1;
const SUBMISSION: i128 = 77;
const METRICS: i128 = 41;

/// A metric that IREE defines, and one that is specific to the producer.
const COMPUTE: i128 = 3;
const OWN: i128 = (1 << 63) + 1;

const COUNTS: [(&str, i128); 3] =
    [("workgroup_count[0]", 4), ("workgroup_count[1]", 5), ("workgroup_count[2]", 6)];
const SIZES: [(&str, i128); 3] =
    [("workgroup_size[0]", 7), ("workgroup_size[1]", 8), ("workgroup_size[2]", 9)];

/// Builds the bundle. `on_device` adds a dispatch event timed by the device.
pub fn smoke(on_device: bool) -> Vec<u8> {
    let bundle = metadata(Bundle::new().begin(1, "smoke"));
    let bundle = if on_device {
        let fields = [
            ("flags", 1),
            ("event_id", 200),
            ("submission_id", SUBMISSION),
            ("command_buffer_id", COMMAND_BUFFER),
            ("executable_id", EXECUTABLE),
            ("command_index", COMMAND),
            ("function_ordinal", FUNCTION),
            ("start_tick", 120),
            ("end_tick", 160),
        ];
        let dispatch = record("dispatch_event", &[&fields[..], &COUNTS, &SIZES].concat(), &[]);
        bundle.chunk("dispatch-events", ON, &[dispatch])
    } else {
        bundle
    };
    metrics(events(bundle)).end(1, 0).finish()
}

fn metadata(bundle: Bundle) -> Bundle {
    let name = b"smoke_function";
    let function = [
        ("executable_id", EXECUTABLE),
        ("function_ordinal", FUNCTION),
        ("binding_count", 3),
        ("name_length", name.len() as i128),
    ];
    let operation = [
        ("type", 2),
        ("block_ordinal", u32::MAX.into()),
        ("block_command_ordinal", u32::MAX.into()),
        ("source_ordinal", u32::MAX.into()),
        ("target_ordinal", u32::MAX.into()),
        ("target_block_ordinal", u32::MAX.into()),
        ("alternate_block_ordinal", u32::MAX.into()),
        ("command_index", COMMAND),
        ("command_buffer_id", COMMAND_BUFFER),
        ("executable_id", EXECUTABLE),
        ("function_ordinal", FUNCTION),
        ("binding_count", 3),
    ];
    let sample = |id: i128| {
        record(
            "clock_correlation_record",
            &[
                ("flags", 1 | 2 | 8),
                ("sample_id", id),
                ("device_tick", 100 * id),
                ("host_cpu_timestamp_ns", 1000 * id),
                ("host_time_begin_ns", 1000 * id - 100),
                ("host_time_end_ns", 1000 * id - 90),
            ],
            &[],
        )
    };
    bundle
        .chunk("devices", ON, &[record("device_record", &[("queue_count", 1)], &[])])
        .chunk("queues", ON, &[record("queue_record", &[("stream_id", STREAM)], &[])])
        .chunk(
            "executables",
            ON,
            &[record(
                "executable_record",
                &[("executable_id", EXECUTABLE), ("function_count", 1)],
                &[],
            )],
        )
        .chunk(
            "executable-functions",
            ON,
            &[record("executable_function_record", &[&function[..], &SIZES].concat(), name)],
        )
        .chunk(
            "command-buffers",
            ON,
            &[record(
                "command_buffer_record",
                &[("command_buffer_id", COMMAND_BUFFER), ("queue_affinity", 1)],
                &[],
            )],
        )
        .chunk(
            "command-operations",
            ON,
            &[record("command_operation_record", &[&operation[..], &COUNTS, &SIZES].concat(), &[])],
        )
        .chunk("clock-correlations", ON, &[sample(1), sample(2)])
}

fn events(bundle: Bundle) -> Bundle {
    let owner = [
        ("submission_id", SUBMISSION),
        ("command_buffer_id", COMMAND_BUFFER),
        ("stream_id", STREAM),
        ("payload_length", 4096),
        ("operation_count", 1),
    ];
    let on_queue = [
        ("type", 3),
        ("dependency_strategy", 2),
        ("event_id", 100),
        ("host_time_ns", 3000),
        ("ready_host_time_ns", 3050),
        ("wait_count", 1),
        ("signal_count", 1),
        ("barrier_count", 2),
    ];
    let on_device = [("type", 3), ("event_id", 101), ("start_tick", 120), ("end_tick", 160)];
    let span = |kind: i128, id: i128, start: i128, end: i128, more: &[(&str, i128)]| {
        let fields = [
            ("type", kind),
            ("event_id", id),
            ("executable_id", EXECUTABLE),
            ("command_index", COMMAND),
            ("function_ordinal", FUNCTION),
            ("start_host_time_ns", start),
            ("end_host_time_ns", end),
        ];
        record("host_execution_event", &[&fields[..], &owner, more].concat(), &[])
    };
    let tiles = [("flags", 1), ("tile_count", 4), ("tile_duration_sum_ns", 30)];
    let memory = |kind: i128, id: i128, at: i128| {
        let fields = [
            ("type", kind),
            ("event_id", id),
            ("host_time_ns", at),
            ("allocation_id", 31),
            ("pool_id", 23),
            ("backing_id", 29),
            ("length", 2048),
            ("alignment", 64),
        ];
        record("memory_event", &fields, &[])
    };
    let relationship = [
        ("type", 3),
        ("relationship_id", 1),
        ("source_type", 2),
        ("target_type", 8),
        ("stream_id", STREAM),
        ("source_id", 100),
        ("target_id", 102),
    ];
    bundle
        .chunk("queue-events", ON, &[record("queue_event", &[&on_queue[..], &owner].concat(), &[])])
        .chunk(
            "queue-device-events",
            ON,
            &[record("queue_device_event", &[&on_device[..], &owner].concat(), &[])],
        )
        .chunk(
            "host-execution-events",
            ON,
            &[
                span(3, 102, 3100, 3150, &[]),
                span(2, 103, 3110, 3140, &[&tiles[..], &COUNTS, &SIZES].concat()),
            ],
        )
        .chunk("memory-events", ON, &[memory(9, 300, 3200), memory(10, 301, 3300)])
        .chunk(
            "event-relationships",
            ON,
            &[record("event_relationship_record", &relationship, &[])],
        )
}

fn metrics(bundle: Bundle) -> Bundle {
    let source = [
        ("source_id", METRICS),
        ("device_class", 2),
        ("source_kind", 1),
        ("source_revision", 1),
        ("metric_count", 2),
        ("name_length", 13),
    ];
    let descriptor = |id: i128, unit: i128, name: &str| {
        let fields = [
            ("source_id", METRICS),
            ("metric_id", id),
            ("unit", unit),
            ("value_kind", 2),
            ("semantic", 1),
            ("plot_hint", 1),
            ("name_length", name.len() as i128),
        ];
        record("device_metric_descriptor_record", &fields, name.as_bytes())
    };
    let value = |id: i128, bits: i128| {
        fixed("device_metric_value", &[("metric_id", id), ("value_bits", bits)])
    };
    let sample = [
        ("flags", 1),
        ("sample_id", 1),
        ("source_id", METRICS),
        ("host_time_begin_ns", 3400),
        ("host_time_end_ns", 3410),
        ("source_timestamp", 500),
        ("source_timestamp_frequency_hz", 1_000_000),
        ("value_count", 2),
    ];
    bundle
        .chunk(
            "device-metric-sources",
            ON,
            &[record("device_metric_source_record", &source, b"smoke.metrics")],
        )
        .chunk(
            "device-metric-descriptors",
            ON,
            &[
                descriptor(COMPUTE, 5, "activity.compute"),
                descriptor(OWN, 1, "smoke.source_specific"),
            ],
        )
        .chunk(
            "device-metric-samples",
            ON,
            &[record(
                "device_metric_sample_record",
                &sample,
                &[value(COMPUTE, 87500), value(OWN, 12345)].concat(),
            )],
        )
}

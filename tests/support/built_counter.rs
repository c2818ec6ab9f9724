//! Built bundles with hardware counters and statistics.

use super::builder::{Bundle, Chunk, record};

const ON: Chunk<'static> = Chunk { name: "gpu", ..Chunk::PLAIN };
const ON_QUEUE: Chunk<'static> = Chunk { device: 0, queue: 0, ..ON };
const NONE: i128 = u32::MAX as i128;
const HUGE: i128 = u64::MAX as i128;

fn executables(bundle: Bundle) -> Bundle {
    let executable = |id: i128| record("executable_record", &[("executable_id", id)], &[]);
    bundle.chunk("executables", ON, &[executable(1), executable(7)]).chunk(
        "executable-functions",
        ON,
        &[function(1, 0, b"mat\"mul\n"), function(1, 1, b""), function(7, 0, b"caf\xe9")],
    )
}

fn function(executable: i128, ordinal: i128, name: &[u8]) -> Vec<u8> {
    let fields = [
        ("executable_id", executable),
        ("function_ordinal", ordinal),
        ("name_length", name.len() as i128),
    ];
    record("executable_function_record", &fields, name)
}

fn set(id: i128, values: i128, name: &[u8]) -> Vec<u8> {
    let fields = [
        ("flags", 2),
        ("counter_set_id", id),
        ("physical_device_ordinal", NONE),
        ("counter_count", 9),
        ("sample_value_count", values),
        ("name_length", name.len() as i128),
    ];
    record("counter_set_record", &fields, name)
}

fn counter(set: i128, ordinal: i128, values: [i128; 2], unit: i128, names: [&[u8]; 3]) -> Vec<u8> {
    let fields = [
        ("flags", 1),
        ("unit", unit),
        ("counter_set_id", set),
        ("counter_ordinal", ordinal),
        ("sample_value_offset", values[0]),
        ("sample_value_count", values[1]),
        ("block_name_length", names[0].len() as i128),
        ("name_length", names[1].len() as i128),
        ("description_length", names[2].len() as i128),
    ];
    record("counter_record", &fields, &names.concat())
}

fn sample(id: i128, set: i128, fields: &[(&str, i128)], values: &[u64]) -> Vec<u8> {
    let mut all = vec![
        ("sample_id", id),
        ("counter_set_id", set),
        ("command_index", NONE),
        ("sample_value_count", values.len() as i128),
    ];
    all.extend_from_slice(fields);
    let values: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    record("counter_sample_record", &all, &values)
}

/// Two counter sets, one of them described twice and sampled in two chunks; samples with and without a function, with
/// known and unknown scopes, with and without ticks, with ids of 0, and in a truncated chunk.
pub fn counters() -> Vec<u8> {
    let of = |function: i128| [("executable_id", 1), ("function_ordinal", function), ("scope", 1)];
    let ticks = |flags: i128, start: i128, end: i128| {
        [("flags", flags), ("scope", 2), ("start_tick", start), ("end_tick", end)]
    };
    let first = [
        sample(0, 1, &of(0), &[3, 4, 5]),
        sample(9, 1, &of(0), &[u64::MAX, 1, 0]),
        sample(2, 1, &of(1), &[1, 2, 3]),
        sample(3, 1, &of(NONE), &[7, 7, 7]),
        sample(4, 2, &[("executable_id", 7), ("dispatch_event_id", 9)], &[]),
        sample(5, 1, &ticks(4, 10, 12), &[1, 0, 0]),
        sample(6, 1, &ticks(4, 10, 9), &[2, 0, 0]),
        sample(7, 1, &ticks(4, 0, 9), &[3, 0, 0]),
        sample(8, 1, &ticks(3, 10, 12), &[4, 0, 0]),
    ];
    let second = [
        sample(1, 1, &[("scope", 3), ("submission_id", 9), ("queue_ordinal", 1)], &[1, 1, 1]),
        sample(1, 1, &[("scope", 4), ("command_buffer_id", 9), ("stream_id", 2)], &[1, 1, 1]),
        sample(
            1,
            1,
            &[("scope", NONE), ("physical_device_ordinal", NONE), ("dispatch_event_id", HUGE)],
            &[2, 2, 2],
        ),
        sample(10, 1, &of(0), &[1 << 60, 1 << 53, 1]),
    ];
    executables(Bundle::new().begin(1, "gpu"))
        .chunk("counter-sets", ON, &[set(1, 3, b"waves"), set(2, 0, b"")])
        .chunk("counter-sets", Chunk { session: 2, ..ON }, &[set(1, 5, b"again")])
        .chunk("counter-samples", ON, &first)
        .chunk("counter-samples", ON, &[])
        .chunk(
            "counters",
            ON,
            &[
                counter(1, 4, [0, 2], 1, [b"SQ", b"wa\"ves\xff", b"Waves\tin flight"]),
                counter(2, 0, [0, 0], 9, [b"", b"", b""]),
                counter(1, 0, [2, 1], 3, [b"GL2", b"hits", b""]),
                counter(1, 4, [1, 1], 2, [b"SQ", b"twice", b""]),
                counter(1, NONE, [3, 0], NONE, [b"none", b"of none", b""]),
            ],
        )
        .chunk("counter-samples", Chunk { session: 2, flags: 1, dropped: 3, ..ON }, &second)
        .end(1, 0)
        .finish()
}

/// A sample of a counter set that no record describes.
pub fn counters_of_no_set() -> Vec<u8> {
    Bundle::new()
        .begin(1, "gpu")
        .chunk("counter-samples", ON, &[sample(1, 1, &[], &[])])
        .end(1, 0)
        .finish()
}

/// A sample that lacks a value of a counter, which is an error only if this counter is selected.
pub fn counters_beyond_samples() -> Vec<u8> {
    Bundle::new()
        .begin(1, "gpu")
        .chunk("counter-sets", ON, &[set(1, 2, b"set")])
        .chunk(
            "counters",
            ON,
            &[
                counter(1, 0, [0, 2], 1, [b"", b"whole", b""]),
                counter(1, 1, [1, 2], 1, [b"", b"beyond", b""]),
            ],
        )
        .chunk("counter-samples", ON, &[sample(1, 1, &[], &[1, 2])])
        .end(1, 0)
        .finish()
}

/// A sample of a set without counters, which is shown only if its id is selected.
pub fn counters_of_empty_set() -> Vec<u8> {
    Bundle::new()
        .begin(1, "gpu")
        .chunk("counter-sets", ON, &[set(1, 0, b"set")])
        .chunk("counter-samples", ON, &[sample(1, 1, &[], &[])])
        .end(1, 0)
        .finish()
}

fn correlation(device: i128, flags: i128, id: i128, driver_ns: i128, begin_ns: i128) -> Vec<u8> {
    let fields = [
        ("flags", flags),
        ("physical_device_ordinal", device),
        ("sample_id", id),
        ("device_tick", 300 * id),
        ("host_cpu_timestamp_ns", driver_ns),
        ("host_time_begin_ns", begin_ns),
        ("host_time_end_ns", begin_ns + 3),
    ];
    record("clock_correlation_record", &fields, &[])
}

fn queued(layout: &str, kind: i128, device: i128, fields: &[(&str, i128)]) -> Vec<u8> {
    let mut all = vec![("type", kind), ("physical_device_ordinal", device)];
    all.extend_from_slice(fields);
    record(layout, &all, &[])
}

/// Every kind of statistics, in interleaved chunks: events with and without times, functions, command buffers and
/// commands, and devices whose clocks are fitted to either host clock or to none.
pub fn statistics() -> Vec<u8> {
    let dispatch = |ids: [i128; 4], start: i128, end: i128| {
        let [executable, function, buffer, index] = ids;
        let fields = [
            ("executable_id", executable),
            ("function_ordinal", function),
            ("command_buffer_id", buffer),
            ("command_index", index),
            ("start_tick", start),
            ("end_tick", end),
        ];
        record("dispatch_event", &fields, &[])
    };
    let on_device = |kind: i128, device: i128, start: i128, end: i128| {
        let fields = [("start_tick", start), ("end_tick", end), ("operation_count", kind)];
        queued("queue_device_event", kind, device, &fields)
    };
    let on_host = |kind: i128, start: i128, ready: i128, length: i128| {
        let fields =
            [("host_time_ns", start), ("ready_host_time_ns", ready), ("payload_length", length)];
        queued("queue_event", kind, NONE, &fields)
    };
    let span = |ids: [i128; 4], start: i128, end: i128, tiles: [i128; 2]| {
        let [executable, function, buffer, index] = ids;
        let fields = [
            ("executable_id", executable),
            ("function_ordinal", function),
            ("command_buffer_id", buffer),
            ("command_index", index),
            ("start_host_time_ns", start),
            ("end_host_time_ns", end),
            ("tile_count", tiles[0]),
            ("tile_duration_sum_ns", tiles[1]),
        ];
        queued("host_execution_event", 2, 0, &fields)
    };
    let memory = |kind: i128, length: i128| {
        queued("memory_event", kind, 0, &[("length", length), ("queue_ordinal", NONE)])
    };
    executables(Bundle::new().begin(1, "gpu"))
        .chunk(
            "clock-correlations",
            ON,
            &[
                correlation(0, 0b0011, 1, 1_000, 0),
                correlation(0, 0b0011, 2, 1_100, 0),
                correlation(1, 0b1011, 1, 1_000, 5_000),
                correlation(1, 0b1001, 2, 0, 6_000),
                correlation(2, 0b1011, 1, 2_000, 5_000),
                correlation(2, 0b1011, 2, 2_000, 6_000),
                correlation(3, 0b1011, 1, 1_000, 5_000),
                correlation(3, 0b11011, 2, 2_000, 6_000),
                correlation(4, 0b1011, 1, 1_000, 5_000),
            ],
        )
        .chunk(
            "dispatch-events",
            ON_QUEUE,
            &[
                dispatch([0, 0, 0, 3], 5, 9),
                dispatch([1, NONE, 0, NONE], 5, 9),
                dispatch([1, 0, 0, NONE], 5, 9),
                dispatch([1, 0, 0, 3], 0, 9),
                dispatch([1, 1, 4, NONE], 9, 5),
                dispatch([7, 0, 4, 3], 5, 5),
                dispatch([0, NONE, 4, 3], 5, 1_000_000),
            ],
        )
        .chunk("queue-events", ON, &[on_host(0, 5, 9, 7), on_host(12, 5, 0, 0)])
        .chunk(
            "queue-device-events",
            ON,
            &(0..5).map(|kind| on_device(kind, kind, 7, 1_000)).collect::<Vec<_>>(),
        )
        .chunk(
            "host-execution-events",
            Chunk { session: 2, flags: 1, dropped: 5, ..ON },
            &[
                span([1, 0, 4, 3], 5, 9, [2, -1]),
                span([1, 0, 4, NONE], -1, 9, [0, 50]),
                span([9, 9, 0, 3], 9, 5, [1, 6]),
                span([1, NONE, 0, 0], 0, 0, [0, 0]),
            ],
        )
        .chunk("memory-events", ON, &[memory(0, 0), memory(NONE, 9), memory(9, 3), memory(9, 4)])
        .chunk("dispatch-events", ON, &[dispatch([1, 0, 0, 0], 1, 1)])
        .chunk("queue-events", ON, &[on_host(0, -5, 9, 1), on_host(1, 0, 0, HUGE)])
        .chunk("later-events", Chunk { dropped: 7, ..ON }, &[vec![1, 2, 3]])
        .end(1, 0)
        .finish()
}

/// A function of an executable that no record describes; statistics do not check that.
pub fn statistics_without_executables() -> Vec<u8> {
    let dispatch =
        record("dispatch_event", &[("executable_id", 1), ("start_tick", 1), ("end_tick", 3)], &[]);
    Bundle::new()
        .begin(1, "gpu")
        .chunk("executable-functions", ON, &[function(1, 0, b"one")])
        .chunk("dispatch-events", ON_QUEUE, &[dispatch])
        .end(1, 0)
        .finish()
}

/// Two payloads whose sum overflows 64 bits, of events that only contribute to one common row, that of their type.
pub fn statistics_that_overflow() -> Vec<u8> {
    let span = |executable: i128| {
        let fields = [("executable_id", executable), ("payload_length", HUGE)];
        queued("host_execution_event", 4, 0, &fields)
    };
    Bundle::new()
        .begin(1, "gpu")
        .chunk("host-execution-events", ON, &[span(1), span(2)])
        .end(1, 0)
        .finish()
}

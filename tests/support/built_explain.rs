//! Built bundles for `summary` and `explain`: equal durations, overflowing conversions, memory, and all counted
//! records.

use super::builder::{Bundle, Chunk, record};

const ON: Chunk<'static> = Chunk { name: "explain", ..Chunk::PLAIN };

/// The flags of a clock correlation with a tick, a driver timestamp and a bracket of host times.
const CLOCK: i128 = 0b1011;
const UNALIGNED: i128 = 1 << 4;
const RESERVATION: i128 = 1 << 3;

fn queue(device: i128, ordinal: i128, stream: i128) -> Vec<u8> {
    let fields =
        [("physical_device_ordinal", device), ("queue_ordinal", ordinal), ("stream_id", stream)];
    record("queue_record", &fields, &[])
}

fn executable(id: i128) -> Vec<u8> {
    record("executable_record", &[("executable_id", id)], &[])
}

fn function(executable: i128, ordinal: i128, name: &[u8]) -> Vec<u8> {
    let fields = [
        ("executable_id", executable),
        ("function_ordinal", ordinal),
        ("name_length", name.len() as i128),
    ];
    record("executable_function_record", &fields, name)
}

fn clock(device: i128, flags: i128, tick: i128, time: i128, bracket: [i128; 2]) -> Vec<u8> {
    let fields = [
        ("flags", flags),
        ("physical_device_ordinal", device),
        ("device_tick", tick),
        ("host_cpu_timestamp_ns", time),
        ("host_time_begin_ns", bracket[0]),
        ("host_time_end_ns", bracket[1]),
    ];
    record("clock_correlation_record", &fields, &[])
}

fn dispatch(event: i128, submission: i128, function: i128, start: i128, end: i128) -> Vec<u8> {
    let fields = [
        ("event_id", event),
        ("submission_id", submission),
        ("command_buffer_id", event % 3),
        ("executable_id", 1),
        ("function_ordinal", function),
        ("start_tick", start),
        ("end_tick", end),
    ];
    record("dispatch_event", &fields, &[])
}

fn host_span(event: i128, kind: i128, function: i128, start: i128, end: i128) -> Vec<u8> {
    let fields = [
        ("type", kind),
        ("event_id", event),
        ("submission_id", event / 4),
        ("command_buffer_id", event % 2),
        ("executable_id", 1),
        ("command_index", if event % 5 == 0 { u32::MAX.into() } else { event }),
        ("function_ordinal", function),
        ("start_host_time_ns", start),
        ("end_host_time_ns", end),
        ("tile_count", event),
        ("tile_duration_sum_ns", 2 * event),
    ];
    record("host_execution_event", &fields, &[])
}

fn queue_event(kind: i128, strategy: i128, payload: i128) -> Vec<u8> {
    let fields = [("type", kind), ("dependency_strategy", strategy), ("payload_length", payload)];
    record("queue_event", &fields, &[])
}

fn memory(kind: i128, device: i128, flags: i128, ids: [i128; 2], length: i128) -> Vec<u8> {
    let fields = [
        ("type", kind),
        ("flags", flags),
        ("physical_device_ordinal", device),
        ("allocation_id", ids[0]),
        ("pool_id", ids[1]),
        ("length", length),
    ];
    record("memory_event", &fields, &[])
}

/// Appends thirteen functions, one without a name, and one whose name has quotes and a byte that is not UTF-8.
fn catalog(bundle: Bundle) -> Bundle {
    let names: Vec<Vec<u8>> = (0..13).map(|nth| format!("main_dispatch_{nth}").into()).collect();
    let functions = names.iter().zip(0..).map(|(name, ordinal)| match ordinal {
        3 => function(1, 3, b""),
        4 => function(1, 4, b"a\"b\\\xe9\n"),
        _ => function(1, ordinal, name),
    });
    bundle.chunk("executables", ON, &[executable(1)]).chunk(
        "executable-functions",
        ON,
        &functions.collect::<Vec<_>>(),
    )
}

/// Device 0 has a clock, device 1 none, device 2 an unusable one, and device 7 only an empty chunk of dispatches.
/// Submissions overlap, touch and leave gaps; dispatches have equal durations.
pub fn ranks() -> Vec<u8> {
    let on = |device, queue, stream| Chunk { stream, device, queue, ..ON };
    let first: Vec<Vec<u8>> = (0..40)
        .map(|nth: i128| {
            let start = 1_000 + 50 * nth + if nth > 20 { 700 } else { 0 };
            let length = [30, 30, 70, 30, 90, 70][nth as usize % 6];
            dispatch(nth + 1, nth / 3, nth % 13, start, start + length)
        })
        .collect();
    let others = [
        dispatch(50, 100, 0, 0, 9_000),
        dispatch(51, 100, 1, 9_100, 9_000),
        dispatch(52, 101, 1, 5_000, 5_000),
        dispatch(53, 102, 2, 5_000, 5_700),
    ];
    let clocks = [
        clock(2, CLOCK | UNALIGNED, 10, 10, [5, 4]),
        clock(0, CLOCK, 900, 1_000, [10, 13]),
        clock(2, CLOCK, 20, 30, [5, 5]),
        clock(0, CLOCK & !1, 1_500, 2_000, [20, 21]),
        clock(0, CLOCK, 6_900, 3_001_000, [30, 90]),
    ];
    let bundle = Bundle::new().begin(1, "ranks");
    let bundle = catalog(bundle)
        .chunk("queues", ON, &[queue(0, 0, 5), queue(1, 0, 0), queue(0, 1, 6), queue(2, 0, 0)])
        .chunk("queues", ON, &[queue(0, 0, 5)])
        .chunk("dispatch-events", on(7, 0, 0), &[])
        .chunk("dispatch-events", on(1, 0, 0), &others)
        .chunk("clock-correlations", ON, &clocks)
        .chunk("dispatch-events", on(0, 0, 5), &first)
        .chunk("dispatch-events", on(0, 1, 6), &[dispatch(60, 1, 5, 2_000, 2_100)])
        .chunk("dispatch-events", on(2, 0, 0), &[dispatch(61, 1, 5, 1, u64::MAX.into())]);
    let operations = (0..14).map(|kind| queue_event(kind, kind % 6, 1_000 + kind));
    let operations: Vec<Vec<u8>> = operations
        .map(|mut event| {
            // Offset 56 is `stream_id`: the stream of an existing queue.
            event[56..64].copy_from_slice(&5_u64.to_le_bytes());
            event
        })
        .collect();
    bundle.chunk("queue-events", ON, &operations).end(1, 0).finish()
}

/// Device dispatches only, on a clock so slow that the longest dispatch can be converted, but the total overflows.
pub fn long_ticks() -> Vec<u8> {
    let half = i128::from(u32::MAX) << 30;
    let bundle = Bundle::new().begin(1, "long");
    catalog(bundle)
        .chunk("queues", ON, &[queue(0, 0, 0)])
        .chunk(
            "clock-correlations",
            ON,
            &[clock(0, CLOCK, 1, 1, [-5, -3]), clock(0, CLOCK, 2, 3, [0, 0])],
        )
        .chunk(
            "dispatch-events",
            Chunk { device: 0, queue: 0, ..ON },
            &[
                dispatch(1, 1, 0, 1, half),
                dispatch(2, 2, 0, 1, half),
                dispatch(3, 3, 1, 1, half),
                dispatch(4, 4, 2, half, half + (1 << 53)),
                dispatch(5, 5, 4, half, half + (1 << 53) + 1),
            ],
        )
        .end(1, 0)
        .finish()
}

/// Host spans with equal durations, in a capture with every cause of a hint.
pub fn host_hints() -> Vec<u8> {
    let spans: Vec<Vec<u8>> = (0..40)
        .map(|nth: i128| {
            let length = [5, 5, 9, 5, 12, 9, 9][nth as usize % 7];
            let kind = if nth % 8 == 7 { 3 } else { 2 };
            host_span(nth, kind, nth % 13, 100 * nth, 100 * nth + length)
        })
        .chain([host_span(90, 2, 0, -1, 5), host_span(91, 2, 1, 50, 49)])
        .collect();
    let failed = |session: i128, status: i128| {
        [
            ("record_type", 3),
            ("session_id", session),
            ("stream_id", 8),
            ("event_id", 9),
            ("session_status_code", status),
        ]
    };
    let session = b"application/vnd.iree.hal.profile.session";
    let truncated = Chunk { flags: 1, dropped: u64::MAX, ..ON };
    let bundle = Bundle::new().begin(1, "host");
    catalog(bundle)
        .chunk("queues", ON, &[queue(0, 0, 0)])
        .chunk("host-execution-events", truncated, &spans)
        .chunk(
            "dispatch-events",
            Chunk { device: 0, queue: 0, flags: 1, dropped: 3, ..ON },
            &[dispatch(1, 1, 0, 0, 5)],
        )
        .chunk("memory-events", ON, &[memory(6, 0, 0, [1, 1], 5)])
        .chunk("not-yet-invented", ON, &[])
        .record(&[("record_type", 9)], b"", b"", b"")
        .record(&failed(5, 19), session, b"", b"")
        .record(&failed(6, 15), session, b"", b"")
        .finish()
}

/// Slabs, reservations with and without materialization, queue allocations, buffers and imports on two devices, with
/// some releases of more than is allocated.
pub fn pressure() -> Vec<u8> {
    let events = [
        memory(1, 1, 0, [1, 0], 4096),
        memory(3, 0, RESERVATION, [1, 7], 100),
        memory(3, 0, 0, [2, 7], 5_000),
        memory(3, 0, RESERVATION, [3, 7], 50),
        memory(4, 0, RESERVATION, [1, 7], 100),
        memory(4, 0, 0, [3, 7], 60),
        memory(6, 0, RESERVATION, [3, 7], 0),
        memory(5, 0, RESERVATION, [1, 7], 100),
        memory(5, 0, RESERVATION, [3, 7], 50),
        memory(5, 0, 0, [3, 7], 999),
        memory(3, 0, RESERVATION, [4, 8], 120),
        memory(4, 0, RESERVATION, [4, 8], 70),
        memory(5, 0, RESERVATION, [4, 9], 120),
        memory(4, 0, RESERVATION, [4, 8], 80),
        memory(5, 0, RESERVATION, [4, 8], 200),
        memory(5, 0, RESERVATION, [4, 8], 1),
        memory(4, 0, RESERVATION, [4, 8], 90),
        memory(7, 0, 0, [5, 0], 300),
        memory(8, 0, 0, [5, 0], 400),
        memory(7, 0, 0, [5, 0], 301),
        memory(9, 1, 0, [6, 0], 10),
        memory(9, 1, 0, [7, 0], 11),
        memory(10, 1, 0, [6, 0], 10),
        memory(11, 1, 0, [8, 0], 77),
        memory(12, 1, 0, [8, 0], 77),
        memory(2, 1, 0, [1, 0], 4096),
        memory(0, 2, 0, [0, 0], 5),
        memory(13, 2, 0, [0, 0], 5),
    ];
    Bundle::new().begin(1, "memory").chunk("memory-events", ON, &events).end(1, 0).finish()
}

/// Every family that a summary counts, with records longer than their layout, and a function of an unknown executable,
/// which only `summary` accepts.
pub fn counted() -> Vec<u8> {
    let sample = |device: i128, values: usize, begin: i128, end: i128| {
        let fields = [
            ("physical_device_ordinal", device),
            ("value_count", values as i128),
            ("host_time_begin_ns", begin),
            ("host_time_end_ns", end),
        ];
        record("device_metric_sample_record", &fields, &vec![0; 24 * values])
    };
    let region = |start: i128, end: i128| {
        let fields = [
            ("command_region.start_host_time_ns", start),
            ("command_region.end_host_time_ns", end),
        ];
        record("command_region_event", &fields, &[])
    };
    let device = |ordinal: i128, queues: i128| {
        let fields = [("physical_device_ordinal", ordinal), ("queue_count", queues)];
        record("device_record", &fields, b"newer field")
    };
    let code = record("executable_code_object_record", &[("data_length", 4)], b"code");
    let trace = record("executable_trace_record", &[("data_length", 5)], &[]);
    let counter = [("block_name_length", 1), ("name_length", 2), ("description_length", 3)];
    let plain = |name: &str| [record(name, &[], &[])];
    Bundle::new()
        .begin(1, "counted")
        .chunk(
            "device-metric-samples",
            ON,
            &[sample(3, 2, 5, 4), sample(3, 0, 5, 5), sample(4, 1, -1, 9)],
        )
        .chunk("devices", ON, &[device(1, 4), device(3, 9), device(1, 2)])
        .chunk("queues", ON, &[queue(5, 0, 0), queue(1, 0, 0)])
        .chunk("executable-functions", ON, &[function(8, 0, b"nowhere"), function(8, 1, b"")])
        .chunk("executable-code-objects", ON, &[code.clone(), code])
        .chunk("executable-code-object-loads", ON, &plain("executable_code_object_load_record"))
        .chunk("command-region-events", ON, &[region(5, 25), region(-1, 5), region(5, 4)])
        .chunk("event-relationships", ON, &plain("event_relationship_record"))
        .chunk("counter-sets", ON, &[record("counter_set_record", &[("name_length", 1)], b"s")])
        .chunk("counters", ON, &[record("counter_record", &counter, b"bnnddd")])
        .chunk(
            "counter-samples",
            ON,
            &[record("counter_sample_record", &[("sample_value_count", 2)], &[0; 16])],
        )
        .chunk("device-metric-sources", ON, &plain("device_metric_source_record"))
        .chunk("device-metric-descriptors", ON, &plain("device_metric_descriptor_record"))
        .chunk("executable-traces", ON, &[trace, b"bytes".to_vec()])
        .chunk("clock-correlations", ON, &[clock(6, CLOCK, 5, i128::from(u64::MAX), [9, 3])])
        .chunk("dispatch-events", Chunk { device: 9, queue: 0, ..ON }, &[dispatch(1, 1, 1, 5, 9)])
        .finish()
}

/// A trace whose chunk is longer than its lengths declare, which `summary` rejects.
pub fn long_trace() -> Vec<u8> {
    let trace = record("executable_trace_record", &[("data_length", 5)], &[]);
    Bundle::new()
        .begin(1, "trace")
        .chunk("executable-traces", ON, &[trace, b"longer".to_vec()])
        .end(1, 0)
        .finish()
}

//! Built bundles about times: two sessions whose clocks differ, with dispatches that overlap; transfers of command buffers; and
//! counters beside the times of functions with the same contents.

use super::builder::{Bundle, Chunk, clock_correlation, record};

const ON: Chunk<'static> = Chunk { name: "times", ..Chunk::PLAIN };

fn queues(bundle: Bundle, chunk: Chunk<'_>) -> Bundle {
    let queue = |ordinal: i128| {
        let fields = [("queue_ordinal", ordinal), ("stream_id", ordinal)];
        record("queue_record", &fields, &[])
    };
    bundle.chunk("devices", chunk, &[record("device_record", &[("queue_count", 2)], &[])]).chunk(
        "queues",
        chunk,
        &[queue(0), queue(1)],
    )
}

fn metadata(bundle: Bundle, chunk: Chunk<'_>) -> Bundle {
    let name = b"kernel";
    let function = [("executable_id", 1), ("name_length", name.len() as i128)];
    let executable = [("executable_id", 1), ("function_count", 1)];
    queues(bundle, chunk)
        .chunk("executables", chunk, &[record("executable_record", &executable, &[])])
        .chunk(
            "executable-functions",
            chunk,
            &[record("executable_function_record", &function, name)],
        )
}

fn correlation(id: i128, tick: i128, time: i128) -> Vec<u8> {
    clock_correlation(0, id, tick, [time; 3])
}

/// A dispatch: its submission, start and end.
fn dispatch([submission, start, end]: &[i128; 3]) -> Vec<u8> {
    let fields = [
        ("event_id", 100 * submission + start % 97),
        ("submission_id", *submission),
        ("executable_id", 1),
        ("start_tick", *start),
        ("end_tick", *end),
    ];
    record("dispatch_event", &fields, &[])
}

/// Two sessions, each with a clock of its own: ticks of 10 ns, then of 1 ns. In the first, two queues run at once, and then one
/// alone: 400 of 800 µs. In the second, dispatches of one queue overlap: 400 of 900 µs.
pub fn two_clocks() -> Vec<u8> {
    let on = |session, queue: u32| Chunk { session, device: 0, queue, stream: queue.into(), ..ON };
    let plain = |session| Chunk { session, ..ON };
    let events = |all: &[[i128; 3]]| all.iter().map(dispatch).collect::<Vec<_>>();
    let first = metadata(Bundle::new().begin(1, "times"), plain(1))
        .chunk("clock-correlations", plain(1), &[correlation(1, 1_000, 1_000_000)])
        .chunk("dispatch-events", on(1, 0), &events(&[[1, 11_000, 31_000], [2, 81_000, 91_000]]))
        .chunk("dispatch-events", on(1, 1), &events(&[[1, 21_000, 41_000]]))
        .chunk("clock-correlations", plain(1), &[correlation(2, 101_000, 2_000_000)])
        .end(1, 0)
        .begin(2, "times");
    let second = [[1, 5_100_000, 5_300_000], [1, 5_200_000, 5_400_000], [2, 5_900_000, 6_000_000]];
    metadata(first, plain(2))
        .chunk("clock-correlations", plain(2), &[correlation(1, 5_000_000, 3_000_000)])
        .chunk("dispatch-events", on(2, 0), &events(&second))
        .chunk("clock-correlations", plain(2), &[correlation(2, 6_000_000, 4_000_000)])
        .end(2, 0)
        .finish()
}

/// A command buffer with a fill, a copy and a dispatch that is executed twice, of which the host timed one copy, and recorded an invalid time of the other; a copy of the
/// queue; and a span, a memory event and a relationship of objects that no record describes.
pub fn transfers() -> Vec<u8> {
    let operation = |index: i128, kind: i128, length: i128| {
        let fields = [
            ("type", kind),
            ("command_index", index),
            ("command_buffer_id", 5),
            ("flags", 1 << 6),
            ("block_command_ordinal", index),
            ("executable_id", i128::from(kind == 2)),
            ("length", length),
        ];
        record("command_operation_record", &fields, &[])
    };
    let request = |event: i128, kind: i128, buffer: i128, payload: i128| {
        let fields = [
            ("type", kind),
            ("event_id", event),
            ("host_time_ns", 1_000 * event),
            ("submission_id", event),
            ("command_buffer_id", buffer),
            ("payload_length", payload),
        ];
        record("queue_event", &fields, &[])
    };
    let span = |submission: i128, start: i128, end: i128| {
        let fields = [
            ("type", 4),
            ("event_id", submission),
            ("submission_id", submission),
            ("command_buffer_id", 5),
            ("command_index", 1),
            ("function_ordinal", u32::MAX.into()),
            ("payload_length", 128),
            ("start_host_time_ns", start),
            ("end_host_time_ns", end),
        ];
        record("host_execution_event", &fields, &[])
    };
    let nowhere = [("physical_device_ordinal", 7), ("queue_ordinal", 3)];
    let freed = [("type", 10), ("event_id", 1), ("host_time_ns", 4_000)];
    let buffer = [("command_buffer_id", 5)];
    metadata(Bundle::new().begin(1, "times"), ON)
        .chunk("command-buffers", ON, &[record("command_buffer_record", &buffer, &[])])
        .chunk(
            "command-operations",
            ON,
            &[operation(0, 3, 64), operation(1, 4, 128), operation(2, 2, 0)],
        )
        .chunk(
            "queue-events",
            ON,
            &[request(1, 3, 5, 0), request(2, 3, 5, 0), request(3, 4, 0, 32)],
        )
        .chunk("host-execution-events", ON, &[span(2, 2_100, 2_200), span(1, -1, 50)])
        .chunk(
            "memory-events",
            ON,
            &[record("memory_event", &[&freed[..], &nowhere[..]].concat(), &[])],
        )
        .chunk("clock-correlations", ON, &[record("clock_correlation_record", &nowhere[..1], &[])])
        .chunk("event-relationships", ON, &[record("event_relationship_record", &nowhere, &[])])
        .end(1, 0)
        .finish()
}

/// Two functions with the same contents, each with a dispatch and a value of a counter.
pub fn same_hash() -> Vec<u8> {
    let executable = [("executable_id", 1), ("function_count", 2)];
    let function = |ordinal: i128, name: &[u8]| {
        let fields = [
            ("flags", 1),
            ("executable_id", 1),
            ("function_ordinal", ordinal),
            ("name_length", name.len() as i128),
            ("function_hash[0]", 5),
        ];
        record("executable_function_record", &fields, name)
    };
    let span = |ordinal: i128, start: i128, end: i128| {
        let fields = [
            ("event_id", ordinal + 1),
            ("executable_id", 1),
            ("function_ordinal", ordinal),
            ("start_tick", start),
            ("end_tick", end),
        ];
        record("dispatch_event", &fields, &[])
    };
    let sample = |ordinal: i128, value: u64| {
        let fields = [
            ("flags", 1),
            ("scope", 1),
            ("sample_id", ordinal + 1),
            ("counter_set_id", 1),
            ("dispatch_event_id", ordinal + 1),
            ("executable_id", 1),
            ("function_ordinal", ordinal),
            ("command_index", u32::MAX.into()),
            ("sample_value_count", 1),
        ];
        record("counter_sample_record", &fields, &value.to_le_bytes())
    };
    let set = [
        ("counter_set_id", 1),
        ("counter_count", 1),
        ("sample_value_count", 1),
        ("name_length", 1),
    ];
    let counter = [("counter_set_id", 1), ("sample_value_count", 1), ("name_length", 5)];
    queues(Bundle::new().begin(1, "times"), ON)
        .chunk("executables", ON, &[record("executable_record", &executable, &[])])
        .chunk("executable-functions", ON, &[function(0, b"first"), function(1, b"second")])
        .chunk("clock-correlations", ON, &[correlation(1, 100, 1_000), correlation(2, 900, 9_000)])
        .chunk(
            "dispatch-events",
            Chunk { device: 0, queue: 0, ..ON },
            &[span(0, 200, 300), span(1, 400, 450)],
        )
        .chunk("counter-sets", ON, &[record("counter_set_record", &set, b"s")])
        .chunk("counters", ON, &[record("counter_record", &counter, b"waves")])
        .chunk("counter-samples", ON, &[sample(0, 7), sample(1, 11)])
        .end(1, 0)
        .finish()
}

//! A built bundle whose queue idles for reasons that cover much or little of the time, or not at all: dispatches that ran in
//! between were not recorded.

use super::builder::{Bundle, Chunk, clock_correlation, command_operation, record};

const ON: Chunk<'static> = Chunk { name: "idle", ..Chunk::PLAIN };
const ON_QUEUE: Chunk<'static> = Chunk { device: 0, queue: 0, ..ON };

/// A tick is 10 ns, and tick 0 is 0 ns of both clocks.
const TICK_NS: i128 = 10;

/// The recorded dispatches: submission, operation of the command buffer, start and end in ticks.
const RAN: &[[i128; 4]] = &[
    [1, 0, 100, 200],
    [1, 1, 200, 300],
    [1, 2, 350, 400],
    // Submitted after 5.8 of 6 µs, in which three short copies ran.
    [2, 0, 1_000, 1_100],
    // The operation 1 was not recorded.
    [2, 2, 1_300, 1_400],
    // The submission 3 was not recorded.
    [4, 0, 2_000, 2_100],
    [4, 1, 2_100, 2_200],
    [4, 2, 2_200, 2_300],
    // The operation 0 was not recorded.
    [5, 1, 2_600, 2_700],
    [5, 2, 2_700, 2_800],
    // A copy ran for 1.5 of 2 µs.
    [6, 0, 3_000, 3_100],
    [6, 1, 3_100, 3_200],
    // This one has no valid times.
    [6, 2, 0, 0],
    [7, 0, 3_500, 3_600],
    [7, 1, 3_600, 3_700],
    [7, 2, 3_700, 3_800],
];

/// The copies: submission, start and end in ticks.
const COPIES: &[[i128; 3]] = &[[2, 500, 510], [2, 600, 610], [2, 700, 710], [6, 2_820, 2_970]];

/// Builds the bundle. A command buffer of three dispatches is submitted seven times.
pub fn idle() -> Vec<u8> {
    let device = [("physical_device_ordinal", 0), ("queue_count", 1)];
    let queue = [("physical_device_ordinal", 0)];
    let executable = [("executable_id", 1), ("function_count", 3)];
    let buffer = [("command_buffer_id", 1), ("physical_device_ordinal", 0)];
    let operation = |index| command_operation(index, Some(index));
    let records = |of: &dyn Fn(i128) -> Vec<u8>, count| (0..count).map(of).collect::<Vec<_>>();
    Bundle::new()
        .begin(1, "idle")
        .chunk("devices", ON, &[record("device_record", &device, &[])])
        .chunk("queues", ON, &[record("queue_record", &queue, &[])])
        .chunk("executables", ON, &[record("executable_record", &executable, &[])])
        .chunk("executable-functions", ON, &records(&function, 3))
        .chunk("command-buffers", ON, &[record("command_buffer_record", &buffer, &[])])
        .chunk("command-operations", ON, &records(&operation, 3))
        .chunk("clock-correlations", ON, &[correlation(1, 0), correlation(2, 5_000)])
        .chunk("queue-events", ON, &records(&submitted, 7))
        .chunk("dispatch-events", ON_QUEUE, &RAN.iter().zip(1..).map(dispatch).collect::<Vec<_>>())
        .chunk("queue-device-events", ON, &COPIES.iter().zip(1..).map(copy).collect::<Vec<_>>())
        .end(1, 0)
        .finish()
}

fn function(ordinal: i128) -> Vec<u8> {
    let fields = [("executable_id", 1), ("function_ordinal", ordinal), ("name_length", 1)];
    let letter = ["a", "b", "c"][usize::try_from(ordinal).unwrap()];
    record("executable_function_record", &fields, letter.as_bytes())
}

fn correlation(id: i128, tick: i128) -> Vec<u8> {
    clock_correlation(0, id, tick, [TICK_NS * tick; 3])
}

/// The submissions were made before anything ran, but for the second.
fn submitted(nth: i128) -> Vec<u8> {
    let time = if nth == 1 { 9_800 } else { 10 * nth + 1 };
    let fields = [
        ("type", 3),
        ("event_id", nth + 1),
        ("submission_id", nth + 1),
        ("command_buffer_id", 1),
        ("host_time_ns", time),
        ("ready_host_time_ns", time + 1),
    ];
    record("queue_event", &fields, &[])
}

fn dispatch(([submission, index, start, end], event): (&[i128; 4], i128)) -> Vec<u8> {
    let fields = [
        ("flags", 1),
        ("event_id", event),
        ("submission_id", *submission),
        ("command_buffer_id", 1),
        ("command_index", *index),
        ("executable_id", 1),
        ("function_ordinal", *index),
        ("start_tick", *start),
        ("end_tick", *end),
    ];
    record("dispatch_event", &fields, &[])
}

fn copy(([submission, start, end], event): (&[i128; 3], i128)) -> Vec<u8> {
    let fields = [
        ("type", 4),
        ("event_id", event),
        ("submission_id", *submission),
        ("payload_length", 4096),
        ("start_tick", *start),
        ("end_tick", *end),
    ];
    record("queue_device_event", &fields, &[])
}

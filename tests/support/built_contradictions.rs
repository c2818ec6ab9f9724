//! A built bundle whose families contradict each other in all ways that a bundle can show.

use super::builder::{Bundle, Chunk, clock_correlation, command_operation, record};

const ON: Chunk<'static> = Chunk { name: "gpu", ..Chunk::PLAIN };

/// The first device. A tick is a nanosecond, and its tick 0 is the host's 4000.
const ON_FIRST: Chunk<'static> = Chunk { device: 0, queue: 0, ..ON };

/// Builds the bundle. On the device 0, the command buffer 1 is executed three times, of two dispatches with a barrier
/// between. In the submission 1, the second dispatch outlasts it; in the submission 2, the first one ends after the second;
/// of the submission 3, the second one is missing, and the first one starts before the first clock correlation and before it
/// was submitted. Two of the dispatches have the same id. The clock correlation of the device 1 is later than its queue
/// event, and its span has tiles that take longer than its two workers have.
pub fn contradictory() -> Vec<u8> {
    let bundle = metadata(Bundle::new().begin(1, "gpu")).chunk(
        "clock-correlations",
        ON,
        &[correlation(0, 1, 1_000), correlation(1, 1, 90_000)],
    );
    let bundle = bundle
        .chunk(
            "queue-events",
            ON,
            &[
                queued(1, 0, 1, 6_000),
                queued(2, 0, 2, 7_000),
                queued(3, 0, 3, 8_000),
                queued(4, 1, 1, 9_000),
            ],
        )
        .chunk(
            "dispatch-events",
            ON_FIRST,
            &[
                dispatch(1, 1, 0, 2_100, 2_500),
                dispatch(2, 1, 2, 2_520, 2_600),
                dispatch(3, 2, 0, 3_100, 3_700),
                dispatch(4, 2, 2, 3_200, 3_600),
                dispatch(4, 3, 0, 900, 4_400),
            ],
        )
        .chunk(
            "queue-device-events",
            ON,
            &[ran(1, 1, 2_050, 2_560), ran(2, 2, 3_050, 3_800), ran(3, 3, 900, 4_500)],
        );
    let span = [
        ("type", 2),
        ("event_id", 1),
        ("submission_id", 1),
        ("physical_device_ordinal", 1),
        ("start_host_time_ns", 95_000),
        ("end_host_time_ns", 96_000),
        ("tile_count", 4),
        ("tile_duration_sum_ns", 2_500),
        ("executable_id", 1),
    ];
    let region = [("event_id", 1), ("submission_id", 1), ("scheduler.worker_count", 2)];
    bundle
        .chunk("host-execution-events", ON, &[record("host_execution_event", &span, &[])])
        .chunk("command-region-events", ON, &[record("command_region_event", &region, &[])])
        .chunk("clock-correlations", ON, &[correlation(0, 2, 10_000)])
        .end(1, 0)
        .finish()
}

fn metadata(bundle: Bundle) -> Bundle {
    let device = |ordinal| {
        let fields = [("physical_device_ordinal", ordinal), ("queue_count", 1)];
        record("device_record", &fields, &[])
    };
    let queue = |ordinal| record("queue_record", &[("physical_device_ordinal", ordinal)], &[]);
    let executable = [("executable_id", 1), ("function_count", 1)];
    let name = b"main_dispatch_0";
    let function = [("executable_id", 1), ("name_length", name.len() as i128)];
    let buffer = [("command_buffer_id", 1), ("physical_device_ordinal", 0)];
    bundle
        .chunk("devices", ON, &[device(0), device(1)])
        .chunk("queues", ON, &[queue(0), queue(1)])
        .chunk("executables", ON, &[record("executable_record", &executable, &[])])
        .chunk("executable-functions", ON, &[record("executable_function_record", &function, name)])
        .chunk("command-buffers", ON, &[record("command_buffer_record", &buffer, &[])])
        .chunk(
            "command-operations",
            ON,
            &[
                command_operation(0, Some(0)),
                command_operation(1, None),
                command_operation(2, Some(0)),
            ],
        )
}

fn correlation(device: i128, id: i128, tick: i128) -> Vec<u8> {
    clock_correlation(device, id, tick, [4_000, 3_995, 4_005].map(|from| tick + from))
}

/// A queue event that executes the command buffer on the first device.
fn queued(event: i128, device: i128, submission: i128, time: i128) -> Vec<u8> {
    let fields = [
        ("type", 3),
        ("event_id", event),
        ("submission_id", submission),
        ("physical_device_ordinal", device),
        ("command_buffer_id", i128::from(device == 0)),
        ("host_time_ns", time),
        ("ready_host_time_ns", time + 10),
    ];
    record("queue_event", &fields, &[])
}

fn dispatch(event: i128, submission: i128, index: i128, start: i128, end: i128) -> Vec<u8> {
    let fields = [
        ("flags", 1),
        ("event_id", event),
        ("submission_id", submission),
        ("command_buffer_id", 1),
        ("command_index", index),
        ("executable_id", 1),
        ("start_tick", start),
        ("end_tick", end),
    ];
    record("dispatch_event", &fields, &[])
}

fn ran(event: i128, submission: i128, start: i128, end: i128) -> Vec<u8> {
    let fields = [
        ("type", 3),
        ("event_id", event),
        ("submission_id", submission),
        ("start_tick", start),
        ("end_tick", end),
    ];
    record("queue_device_event", &fields, &[])
}

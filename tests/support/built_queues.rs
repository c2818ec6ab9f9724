//! A built bundle with two queues that wait for each other, and devices that differ in who timed their dispatches.

use super::builder::{Bundle, Chunk, clock_correlation, record};

const ON: Chunk<'static> = Chunk { name: "queues", ..Chunk::PLAIN };

/// A tick is 10 ns of the driver's clock, which is 100 ns behind IREE's.
const TICK_NS: i128 = 10;
const BEHIND_NS: i128 = 100;

/// A dispatch: submission, function (a letter), start and end in ticks.
type Dispatch = (i128, char, i128, i128);

/// The dispatches of the first queue of the device 0. Those of the submission 7 overlap.
const FIRST: &[Dispatch] = &[
    (1, 'a', 100, 200),
    (1, 'b', 200, 240),
    (1, 'c', 250, 300),
    (2, 'e', 420, 450),
    (3, 'f', 480, 500),
    (4, 'g', 530, 560),
    (6, 'h', 580, 600),
    (7, 'i', 610, 620),
    (7, 'j', 612, 640),
    (7, 'k', 615, 618),
    (8, 'a', 660, 670),
];

/// That of the second queue, for which the submission 2 of the first one waits.
const SECOND: &[Dispatch] = &[(1, 'd', 210, 400)];

/// The queue operations of both queues of the device 0: queue, submission, waits, and the driver's times of submission
/// and readiness.
const REQUESTS: &[[i128; 5]] = &[
    [0, 1, 0, 500, 510],
    [1, 1, 1, 520, 2_010],
    // Ready after the second queue has ended at 4000.
    [0, 2, 1, 530, 4_050],
    // Submitted after the submission 2 has ended at 4500.
    [0, 3, 1, 4_700, 4_750],
    // Ready after the submission 3 has ended at 5000; nothing else ended since.
    [0, 4, 1, 4_700, 5_200],
    [0, 6, 1, 4_710, 4_720],
    [0, 7, 1, 4_720, 4_730],
    [0, 8, 1, 4_730, 4_740],
];

/// Builds the bundle. The device 0 has a clock, and its first dispatch a host span, too. The device 1 has no clock. The
/// device 2 has a clock, but recorded no times; its dispatches have host spans.
pub fn queues() -> Vec<u8> {
    let on = |device, queue| Chunk { device, queue, stream: u64::from(10 * device + queue), ..ON };
    let bundle = metadata(Bundle::new().begin(1, "queues"));
    let requests: Vec<Vec<u8>> = REQUESTS.iter().zip(1..).map(request).collect();
    let spans =
        [span(1, 0, 1, 950, 2_250), span(2, 2, 1, 9_000, 9_500), span(3, 2, 1, 9_600, 9_800)];
    bundle
        .chunk("queue-events", ON, &requests)
        .chunk("dispatch-events", on(0, 0), &dispatches(10, FIRST))
        .chunk("dispatch-events", on(0, 1), &dispatches(30, SECOND))
        .chunk("dispatch-events", on(1, 0), &dispatches(40, &[(1, 'm', 100, 200)]))
        .chunk("dispatch-events", on(2, 0), &dispatches(50, &[(1, 'n', 0, 0), (1, 'n', 0, 0)]))
        .chunk("queue-device-events", ON, &[copy(5, 565, 575)])
        .chunk("host-execution-events", ON, &spans)
        .end(1, 0)
        .finish()
}

fn metadata(bundle: Bundle) -> Bundle {
    let queue = |[device, ordinal]: [i128; 2]| {
        let fields = [
            ("physical_device_ordinal", device),
            ("queue_ordinal", ordinal),
            ("stream_id", 10 * device + ordinal),
        ];
        record("queue_record", &fields, &[])
    };
    let device = |ordinal| {
        record("device_record", &[("physical_device_ordinal", ordinal), ("queue_count", 1)], &[])
    };
    let function = |letter: char| {
        let fields =
            [("executable_id", 1), ("function_ordinal", ordinal(letter)), ("name_length", 1)];
        record("executable_function_record", &fields, letter.to_string().as_bytes())
    };
    let sample = |device: i128, id: i128, tick: i128| {
        let time = TICK_NS * tick;
        let host = time + BEHIND_NS;
        clock_correlation(device, id, tick, [time, host - 10, host + 10])
    };
    let executable = [("executable_id", 1), ("function_count", 14)];
    bundle
        .chunk("devices", ON, &[0, 1, 2].map(device))
        .chunk("queues", ON, &[[0, 0], [0, 1], [1, 0], [2, 0]].map(queue))
        .chunk("executables", ON, &[record("executable_record", &executable, &[])])
        .chunk("executable-functions", ON, &('a'..='n').map(function).collect::<Vec<_>>())
        .chunk(
            "clock-correlations",
            ON,
            &[sample(0, 1, 50), sample(2, 1, 50), sample(0, 2, 1_050), sample(2, 2, 1_050)],
        )
}

fn ordinal(letter: char) -> i128 {
    (u32::from(letter) - u32::from('a')).into()
}

fn dispatches(first: i128, all: &[Dispatch]) -> Vec<Vec<u8>> {
    let each = all.iter().zip(first..).map(|((submission, letter, start, end), event)| {
        let fields = [
            ("event_id", event),
            ("submission_id", *submission),
            ("executable_id", 1),
            ("function_ordinal", ordinal(*letter)),
            ("start_tick", *start),
            ("end_tick", *end),
        ];
        record("dispatch_event", &fields, &[])
    });
    each.collect()
}

fn request(([queue, submission, waits, submit, ready], event): (&[i128; 5], i128)) -> Vec<u8> {
    let fields = [
        ("type", 3),
        ("event_id", event),
        ("host_time_ns", submit + BEHIND_NS),
        ("ready_host_time_ns", ready + BEHIND_NS),
        ("submission_id", *submission),
        ("queue_ordinal", *queue),
        ("stream_id", *queue),
        ("wait_count", *waits),
    ];
    record("queue_event", &fields, &[])
}

fn copy(submission: i128, start: i128, end: i128) -> Vec<u8> {
    let fields = [
        ("type", 4),
        ("event_id", 1),
        ("submission_id", submission),
        ("payload_length", 4096),
        ("start_tick", start),
        ("end_tick", end),
    ];
    record("queue_device_event", &fields, &[])
}

fn span(event: i128, device: i128, submission: i128, start: i128, end: i128) -> Vec<u8> {
    let fields = [
        ("type", 2),
        ("event_id", event),
        ("submission_id", submission),
        ("executable_id", 1),
        ("function_ordinal", if device == 0 { ordinal('a') } else { ordinal('n') }),
        ("stream_id", 10 * device),
        ("physical_device_ordinal", device),
        ("start_host_time_ns", start),
        ("end_host_time_ns", end),
    ];
    record("host_execution_event", &fields, &[])
}

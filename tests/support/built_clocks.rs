//! A built bundle with clocks that do not run evenly.

use super::builder::{Bundle, Chunk, clock_correlation, record};

const ON: Chunk<'static> = Chunk { name: "clocks", ..Chunk::PLAIN };

/// The tick and the host time of the first clock correlation of each device.
const TICK: i128 = 1_000_000;
const HOST_NS: i128 = 10_000_000;

const US: i128 = 1_000;
const MS: i128 = 1_000_000;

/// What devices do: submission, start and end in ticks of a nanosecond since the first clock correlation, and the host times
/// of submission and readiness since then.
const WORK: [&[[i128; 5]]; 3] = [
    &[[1, 3_200, 3_400, 3_000, 3_100], [2, 3_600, 3_800, 3_500, 3_550]],
    &[
        [1, 3_200, 3_400, 3_000, 3_100],
        // Submitted after the first has ended, and after the jump.
        [2, 3_600, 3_800, 6_400, 6_500],
        // Submitted before the second ends at 6,800, and before the third ends at 7,400.
        [3, 4_200, 4_400, 6_450, 6_500],
        [4, 4_600, 4_800, 7_000, 7_100],
    ],
    &[[1, 3_200, 3_400, 3_000, 3_100], [2, 3_600, 3_800, 3_500, 3_550]],
];

/// Builds the bundle. Each device has a clock correlation every millisecond of its ticks, from 0 to 10. On the device 0, a
/// tick is 1 ns in the first half and 1.2 ns in the second. On the device 1, the host's clock goes on by 3 ms at the tick of
/// 3.5 ms, as if the device's had stood still. The clock of the device 2 runs evenly; its first reading took 30 µs, in which the
/// tick was read at once.
pub fn uneven() -> Vec<u8> {
    let samples = |range: std::ops::RangeInclusive<i128>| -> Vec<Vec<u8>> {
        range.flat_map(|nth| (0..3).map(move |device| correlation(device, nth))).collect()
    };
    let mut bundle = metadata(Bundle::new().begin(1, "clocks"));
    bundle = bundle.chunk("clock-correlations", ON, &samples(0..=0));
    for (device, work) in (0..).zip(WORK) {
        let requests: Vec<Vec<u8>> = work.iter().map(|it| request(device, it)).collect();
        let dispatches: Vec<Vec<u8>> = work.iter().map(|it| dispatch(device, it)).collect();
        let number = u32::try_from(device).expect("it is small");
        let on = Chunk { device: number, queue: 0, stream: u64::from(number), ..ON };
        bundle =
            bundle.chunk("queue-events", ON, &requests).chunk("dispatch-events", on, &dispatches);
    }
    bundle.chunk("clock-correlations", ON, &samples(1..=10)).end(1, 0).finish()
}

fn metadata(bundle: Bundle) -> Bundle {
    let device = |ordinal| {
        record("device_record", &[("physical_device_ordinal", ordinal), ("queue_count", 1)], &[])
    };
    let queue = |ordinal| {
        let fields = [("physical_device_ordinal", ordinal), ("stream_id", ordinal)];
        record("queue_record", &fields, &[])
    };
    let executable = [("executable_id", 1), ("function_count", 1)];
    let name = b"kernel";
    let function = [("executable_id", 1), ("name_length", name.len() as i128)];
    bundle
        .chunk("devices", ON, &[0, 1, 2].map(device))
        .chunk("queues", ON, &[0, 1, 2].map(queue))
        .chunk("executables", ON, &[record("executable_record", &executable, &[])])
        .chunk("executable-functions", ON, &[record("executable_function_record", &function, name)])
}

fn correlation(device: i128, nth: i128) -> Vec<u8> {
    let since = match device {
        0 => nth * MS + (nth - 5).max(0) * 200 * US,
        1 => nth * MS + if nth > 3 { 3 * MS } else { 0 },
        _ => nth * MS,
    };
    // How long before and after the tick the host's clock was read.
    let [before, after] = match (device, nth) {
        (2, 0) => [0, 30 * US],
        (2, 10) => [10 * US, 10 * US],
        (2, _) => [200, 300],
        _ => [50, 50],
    };
    let host = HOST_NS + since;
    let driver = if device == 2 { host + after } else { host };
    clock_correlation(device, nth, TICK + nth * MS, [driver, host - before, host + after])
}

fn request(device: i128, [submission, _, _, submit, ready]: &[i128; 5]) -> Vec<u8> {
    let fields = [
        ("type", 2),
        ("event_id", 10 * device + submission),
        ("submission_id", *submission),
        ("physical_device_ordinal", device),
        ("stream_id", device),
        ("wait_count", 1),
        ("host_time_ns", HOST_NS + submit * US),
        ("ready_host_time_ns", HOST_NS + ready * US),
    ];
    record("queue_event", &fields, &[])
}

fn dispatch(device: i128, [submission, start, end, ..]: &[i128; 5]) -> Vec<u8> {
    let fields = [
        ("event_id", 10 * device + submission),
        ("submission_id", *submission),
        ("executable_id", 1),
        ("start_tick", TICK + start * US),
        ("end_tick", TICK + end * US),
    ];
    record("dispatch_event", &fields, &[])
}

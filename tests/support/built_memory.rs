//! Built bundles with memory events: every type and flag, events without a pool, pool statistics, lifetimes timed by
//! the device, and events that are rejected.

use super::builder::{Bundle, Chunk, record};
use super::random::Random;

/// Builds the bundle called `memory_<name>`.
pub fn named(name: &str) -> Vec<u8> {
    match name {
        "types" => types(),
        "pools" => pools(),
        "stats" => stats(),
        "moments" => moments(),
        "lifetimes" => lifetimes(true),
        "lifetimes_before_queues" => lifetimes(false),
        "truncated" => truncated(),
        "overflow" => overflow(),
        "random" => random(7),
        "results" => results(),
        other => panic!("no bundle memory_{other}"),
    }
}

const ON: Chunk<'static> = Chunk { name: "memory", ..Chunk::PLAIN };
const U32: i128 = u32::MAX as i128;
const U64: i128 = u64::MAX as i128;

const SLAB_ACQUIRE: i128 = 1;
const POOL_RESERVE: i128 = 3;
const POOL_MATERIALIZE: i128 = 4;
const POOL_RELEASE: i128 = 5;
const POOL_WAIT: i128 = 6;
const QUEUE_ALLOCA: i128 = 7;
const QUEUE_DEALLOCA: i128 = 8;
const BUFFER_ALLOCATE: i128 = 9;
const BUFFER_FREE: i128 = 10;
const BUFFER_IMPORT: i128 = 11;

const RESERVATION: i128 = 1 << 3;
const STATS: i128 = 1 << 4;

fn event(fields: &[(&str, i128)]) -> Vec<u8> {
    let all: Vec<_> =
        [("result", U32), ("queue_ordinal", U32)].iter().chain(fields).copied().collect();
    record("memory_event", &all, &[])
}

fn bundle(events: &[Vec<u8>]) -> Vec<u8> {
    Bundle::new().begin(1, "memory").chunk("memory-events", ON, events).end(1, 0).finish()
}

/// Every known type and some unknown ones, with every combination of flags.
fn types() -> Vec<u8> {
    let types = (0..15).chain([255, U32]);
    let events: Vec<Vec<u8>> = types
        .flat_map(|kind| (0..64).map(move |flags| (kind, flags)))
        .map(|(kind, flags)| {
            event(&[
                ("type", kind),
                ("flags", flags),
                ("event_id", 100 * kind + flags),
                ("host_time_ns", kind),
                ("allocation_id", kind % 3),
                ("pool_id", flags % 4),
                ("length", 10 * kind % 1000 + 1),
            ])
        })
        .collect();
    bundle(&events)
}

/// Queue deallocations without a pool, materialized reservations, and releases of more than is allocated.
fn pools() -> Vec<u8> {
    let of = |kind: i128, allocation: i128, pool: i128, length: i128| {
        move |flags: i128, device: i128| {
            event(&[
                ("type", kind),
                ("flags", flags),
                ("event_id", 10 * allocation + kind),
                ("allocation_id", allocation),
                ("pool_id", pool),
                ("length", length),
                ("physical_device_ordinal", device),
                ("memory_type", device),
            ])
        }
    };
    bundle(&[
        of(QUEUE_DEALLOCA, 1, 0, 3)(0, 0),
        of(QUEUE_ALLOCA, 1, 4, 8)(0, 0),
        of(QUEUE_DEALLOCA, 1, 0, 3)(0, 0),
        of(QUEUE_ALLOCA, 1, 5, 8)(0, 0),
        of(QUEUE_DEALLOCA, 1, 0, 3)(0, 0),
        of(QUEUE_ALLOCA, 1, 4, 8)(0, 0),
        of(QUEUE_DEALLOCA, 1, 0, 8)(0, 0),
        of(QUEUE_DEALLOCA, 1, 0, 8)(0, 1),
        of(BUFFER_ALLOCATE, 1, 3, 8)(0, 0),
        of(BUFFER_FREE, 1, 0, 8)(0, 0),
        of(POOL_RESERVE, 2, 4, 8)(RESERVATION, 0),
        of(POOL_MATERIALIZE, 2, 4, 8)(RESERVATION, 0),
        of(POOL_RELEASE, 2, 4, 8)(RESERVATION, 0),
        of(POOL_RESERVE, 3, 4, 8)(RESERVATION, 0),
        of(POOL_MATERIALIZE, 3, 4, 8)(0, 0),
        of(POOL_RELEASE, 3, 4, 8)(RESERVATION, 0),
        of(POOL_RELEASE, 3, 4, 8)(0, 0),
        of(POOL_MATERIALIZE, 4, 4, 0)(RESERVATION, 0),
        of(POOL_RELEASE, 4, 4, 0)(RESERVATION, 0),
        of(POOL_RELEASE, 4, 4, 0)(RESERVATION, 0),
        of(POOL_MATERIALIZE, 5, 4, 5)(RESERVATION, 0),
        of(POOL_RELEASE, 5, 4, 9)(RESERVATION, 0),
        of(POOL_WAIT, 5, 4, 0)(RESERVATION, 0),
        of(POOL_WAIT, 5, 4, 0)(0, 0),
        of(POOL_RESERVE, 6, 4, 99)(0, 0),
    ])
}

/// Pool statistics in events of any type; those of events without a pool are ignored.
fn stats() -> Vec<u8> {
    let sample = |kind: i128, pool: i128, usage: i128, values: [i128; 6]| {
        event(&[
            ("type", kind),
            ("flags", STATS | RESERVATION),
            ("event_id", usage),
            ("allocation_id", 1),
            ("pool_id", pool),
            ("memory_type", 1),
            ("buffer_usage", usage),
            ("pool_bytes_reserved", values[0]),
            ("pool_bytes_free", values[1]),
            ("pool_bytes_committed", values[2]),
            ("pool_budget_limit", values[3]),
            ("pool_reservation_count", values[4]),
            ("pool_slab_count", values[5]),
        ])
    };
    bundle(&[
        sample(QUEUE_ALLOCA, 4, 1, [5, 9, 3, 8, 2, 7]),
        sample(POOL_RESERVE, 4, 2, [4, 10, 2, 7, 1, 6]),
        sample(POOL_RELEASE, 4, 8, [U64, 3, U64, 0, U32, U32]),
        sample(99, 6, 16, [1, 0, 1, 1, 1, 1]),
        sample(99, 0, 32, [1, 1, 1, 1, 1, 1]),
        sample(QUEUE_DEALLOCA, 0, 64, [0; 6]),
    ])
}

/// Results that the host frees without an event, which the statistics of their pool show: before the capture, the pool has 4
/// reservations of 9,000 bytes. Results of no pool, and allocations of two pools with one id, of which one is released.
fn results() -> Vec<u8> {
    let at = |kind: i128, time: i128, id: i128, pool: i128, length: i128, stats: [i128; 2]| {
        let has_stats = if stats[1] > 0 { STATS } else { 0 };
        event(&[
            ("type", kind),
            ("flags", has_stats | RESERVATION),
            ("event_id", time),
            ("host_time_ns", time),
            ("allocation_id", id),
            ("pool_id", pool),
            ("queue_ordinal", 0),
            ("length", length),
            ("pool_bytes_reserved", stats[0]),
            ("pool_reservation_count", stats[1]),
        ])
    };
    let none = [0, 0];
    bundle(&[
        at(POOL_RESERVE, 10, 1, 9, 16, [9_016, 5]),
        at(QUEUE_ALLOCA, 11, 1, 9, 16, [9_016, 5]),
        at(POOL_RESERVE, 12, 2, 9, 32, [9_048, 6]),
        at(QUEUE_ALLOCA, 13, 2, 9, 32, [9_048, 6]),
        at(QUEUE_DEALLOCA, 14, 2, 0, 32, none),
        at(POOL_RELEASE, 15, 2, 9, 32, [9_016, 5]),
        // The result of the first call is gone.
        at(POOL_RESERVE, 20, 3, 9, 16, [9_016, 5]),
        at(QUEUE_ALLOCA, 21, 3, 9, 16, [9_016, 5]),
        at(POOL_RESERVE, 22, 4, 9, 32, [9_048, 6]),
        at(QUEUE_ALLOCA, 23, 4, 9, 32, [9_048, 6]),
        at(QUEUE_DEALLOCA, 24, 4, 9, 32, [9_048, 6]),
        at(POOL_RELEASE, 25, 4, 9, 32, [9_016, 5]),
        // All reservations but this are gone, those of before, too.
        at(POOL_RESERVE, 30, 5, 9, 16, [16, 1]),
        at(QUEUE_ALLOCA, 31, 5, 9, 16, [16, 1]),
        at(QUEUE_ALLOCA, 40, 6, 0, 100, none),
        at(QUEUE_ALLOCA, 41, 7, 0, 100, none),
        at(QUEUE_ALLOCA, 50, 8, 11, 1_000, none),
        at(QUEUE_ALLOCA, 51, 8, 12, 1_000, none),
        at(QUEUE_DEALLOCA, 52, 8, 11, 1_000, none),
        at(QUEUE_ALLOCA, 53, 9, 11, 1_000, none),
        at(QUEUE_DEALLOCA, 54, 9, 0, 1_000, none),
    ])
}

/// Times that decrease or are extreme, ids of 0, and the maximum of every field.
fn moments() -> Vec<u8> {
    let at = |allocation: i128, id: i128, time: i128| {
        event(&[
            ("type", BUFFER_ALLOCATE),
            ("event_id", id),
            ("allocation_id", allocation),
            ("host_time_ns", time),
            ("length", 1),
        ])
    };
    let greatest = event(&[
        ("type", BUFFER_IMPORT),
        ("flags", U32),
        ("result", 0),
        ("event_id", U64),
        ("allocation_id", U64),
        ("pool_id", U64),
        ("backing_id", U64),
        ("submission_id", U64),
        ("physical_device_ordinal", U32),
        ("frontier_entry_count", U32),
        ("memory_type", U64),
        ("buffer_usage", U64),
        ("offset", U64),
        ("length", U64),
        ("alignment", U64),
    ]);
    bundle(&[
        at(1, 1, i64::MIN.into()),
        at(1, 2, i64::MAX.into()),
        at(2, 1, 5),
        at(2, 1, 4),
        at(3, 0, 7),
        at(3, 0, 9),
        at(3, 4, 11),
        at(3, 5, 13),
        at(0, 0, 3),
        greatest,
    ])
}

/// Queue allocations whose operations the device timed, with every kind of invalid timing.
fn lifetimes(queues_first: bool) -> Vec<u8> {
    let queue = |device: i128| {
        record(
            "queue_record",
            &[("physical_device_ordinal", device), ("stream_id", 10 * device)],
            &[],
        )
    };
    let queues = |bundle: Bundle| bundle.chunk("queues", ON, &[queue(0), queue(1)]);
    let sample = |device: i128, id: i128, tick: i128, time: i128| {
        let fields = [
            ("flags", 0b11),
            ("physical_device_ordinal", device),
            ("sample_id", id),
            ("device_tick", tick),
            ("host_cpu_timestamp_ns", time),
        ];
        record("clock_correlation_record", &fields, &[])
    };
    let begun = Bundle::new().begin(1, "memory");
    let begun = if queues_first { queues(begun) } else { begun }
        .chunk("queue-device-events", ON, &timed())
        .chunk("memory-events", ON, &held())
        .chunk("clock-correlations", ON, &[sample(0, 1, 10, 1_000), sample(0, 2, 110, 1_333)]);
    let finished = if queues_first { begun } else { queues(begun) };
    finished.end(1, 0).finish()
}

/// Returns the timed operations; `at` is device, submission, allocation, start and end.
fn timed() -> Vec<Vec<u8>> {
    let operation = |event: i128, kind: i128, at: [i128; 5]| {
        let [device, submission, allocation, start, end] = at;
        let fields = [
            ("type", kind),
            ("event_id", event),
            ("submission_id", submission),
            ("allocation_id", allocation),
            ("stream_id", 10 * device),
            ("physical_device_ordinal", device),
            ("start_tick", start),
            ("end_tick", end),
        ];
        record("queue_device_event", &fields, &[])
    };
    vec![
        // Of several matching operations, the one with the lowest event id counts.
        operation(7, 9, [0, 1, 1, 100, 200]),
        operation(5, 9, [0, 1, 1, 150, 200]),
        operation(6, 10, [0, 2, 1, 300, 457]),
        // The deallocation ends before the allocation starts; the allocation ends before it starts.
        operation(8, 9, [0, 3, 3, 400, 457]),
        operation(9, 10, [0, 3, 3, 300, 399]),
        operation(10, 9, [0, 4, 4, 5, 4]),
        operation(11, 10, [0, 4, 4, 5, 9]),
        // No start; no clock; too long for a duration.
        operation(12, 9, [1, 5, 5, 0, 9]),
        operation(13, 10, [1, 5, 5, 5, 9]),
        operation(14, 9, [1, 6, 6, 5, 9]),
        operation(0, 10, [1, 6, 6, 5, 9]),
        operation(15, 9, [0, 7, 7, 1, U64]),
        operation(16, 10, [0, 7, 7, 5, U64]),
        // Neither an allocation nor a deallocation, so its queue is not checked.
        operation(17, 3, [9, 1, 1, 5, 9]),
    ]
}

fn held() -> Vec<Vec<u8>> {
    let held = |kind: i128, device: i128, submission: i128, allocation: i128, queue: i128| {
        event(&[
            ("type", kind),
            ("event_id", kind),
            ("submission_id", submission),
            ("allocation_id", allocation),
            ("physical_device_ordinal", device),
            ("queue_ordinal", queue),
            ("length", 64),
        ])
    };
    let mut events = vec![
        held(QUEUE_ALLOCA, 0, 1, 1, 0),
        held(QUEUE_DEALLOCA, 0, 2, 1, 0),
        held(BUFFER_ALLOCATE, 0, 1, 1, 0),
        held(BUFFER_FREE, 0, 2, 1, 0),
        held(QUEUE_ALLOCA, 0, 0, 8, 0),
        held(QUEUE_DEALLOCA, 0, 2, 8, U32),
    ];
    for (device, id) in [(0, 3), (0, 4), (1, 5), (1, 6), (0, 7)] {
        events.extend([
            held(QUEUE_ALLOCA, device, id, id, 0),
            held(QUEUE_DEALLOCA, device, id, id, 0),
        ]);
    }
    events
}

/// Truncated chunks with and without events.
fn truncated() -> Vec<u8> {
    let cut = |dropped| Chunk { flags: 1, dropped, ..ON };
    let one = |kind: i128| event(&[("type", kind), ("event_id", kind), ("length", 4)]);
    Bundle::new()
        .begin(1, "memory")
        .chunk("memory-events", cut(5), &[])
        .chunk("memory-events", cut(u64::MAX), &[one(SLAB_ACQUIRE)])
        .chunk("memory-events", Chunk { flags: 2, dropped: 9, ..ON }, &[one(BUFFER_FREE)])
        .chunk("queue-events", cut(9), &[])
        .end(1, 0)
        .finish()
}

/// Allocations whose total overflows 64 bits, which is rejected.
fn overflow() -> Vec<u8> {
    let take =
        |length: i128| event(&[("type", BUFFER_ALLOCATE), ("event_id", 1), ("length", length)]);
    bundle(&[take(U64), take(1)])
}

/// Events with random fields, of few devices, pools and allocations.
fn random(seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let mut bundle = Bundle::new().begin(1, "memory");
    for chunk in 0..6 {
        let events: Vec<Vec<u8>> = (0..100)
            .map(|_| {
                let mut below = |limit: usize| random.below(limit) as i128;
                event(&[
                    ("type", below(14)),
                    ("flags", below(64)),
                    ("event_id", below(300)),
                    ("host_time_ns", below(100_000) - 1_000),
                    ("allocation_id", below(5)),
                    ("pool_id", below(3)),
                    ("backing_id", below(3)),
                    ("submission_id", below(4)),
                    ("physical_device_ordinal", [0, 1, U32][below(3) as usize]),
                    ("queue_ordinal", [0, 1, U32][below(3) as usize]),
                    ("memory_type", below(2)),
                    ("buffer_usage", below(64)),
                    ("length", below(100)),
                    ("pool_bytes_reserved", below(1_000)),
                    ("pool_bytes_free", below(1_000)),
                    ("pool_bytes_committed", below(1_000)),
                ])
            })
            .collect();
        let flags = u64::from(chunk == 3);
        bundle = bundle.chunk("memory-events", Chunk { flags, dropped: 7, ..ON }, &events);
    }
    bundle.end(1, 0).finish()
}

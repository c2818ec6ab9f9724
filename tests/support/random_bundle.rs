//! Generates bundles with random records of every family from a seed: ids with and without a referenced record, extreme
//! numbers, names that are not UTF-8, and empty and truncated chunks.

use super::builder::{Bundle, Chunk, record};
use super::layouts::layout;
use super::random::Random;

const IDS: [u64; 4] = [1, 2, 3, u64::MAX];
const ORDINALS: [u32; 3] = [0, 1, u32::MAX];
const STREAMS: [u64; 2] = [0, 7];
const NAMES: [&[u8]; 8] = [
    b"matmul",
    b"softmax_32x64",
    b"quote\"back\\slash",
    b"new\nline\ttab\x01\x1f",
    b"caf\xe9 \xff",
    "été ✓".as_bytes(),
    b"",
    b"matmul",
];

/// The parameters of a bundle.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    /// Omits some metadata records, so that some references are dangling.
    pub incomplete: bool,
    /// Maximum number of records of a chunk of events.
    pub events: usize,
}

/// Returns the bundle of a seed.
pub fn bundle(seed: u64) -> Vec<u8> {
    let mut random = Random(seed.wrapping_mul(0x517c_c1b7_2722_0a95));
    let shape =
        Shape { incomplete: seed % 5 == 4, events: [0, 1, 3, 12, 40][(seed % 7 % 5) as usize] };
    let mut bundle = Bundle::new().begin(1, "random");
    bundle = metadata(bundle, &mut random, shape);
    let sessions = 1 + seed % 2;
    for session in 1..=sessions {
        if session > 1 {
            bundle = bundle.end(1, 0).begin(2, "again");
        }
        for _ in 0..=random.below(2) {
            bundle = events(bundle, &mut random, shape, session);
        }
    }
    bundle.end(sessions, if seed.is_multiple_of(3) { 13 } else { 0 }).finish()
}

fn pick<T: Copy>(random: &mut Random, values: &[T]) -> T {
    values[random.below(values.len())]
}

fn chunk(random: &mut Random, session: u64) -> Chunk<'static> {
    let truncated = random.below(8) == 0;
    Chunk {
        session,
        stream: pick(random, &STREAMS),
        device: pick(random, &ORDINALS),
        queue: pick(random, &ORDINALS),
        flags: u64::from(truncated),
        dropped: if truncated { random.below(100) as u64 } else { 0 },
        name: "random",
    }
}

fn metadata(bundle: Bundle, random: &mut Random, shape: Shape) -> Bundle {
    let mut queues = Vec::new();
    for device in ORDINALS {
        for queue in ORDINALS {
            for stream in STREAMS {
                queues.push(vec![
                    ("physical_device_ordinal", device.into()),
                    ("queue_ordinal", queue.into()),
                    ("stream_id", stream.into()),
                ]);
            }
        }
    }
    let ids = || std::iter::once(0).chain(IDS);
    let functions = ids().flat_map(|id| {
        ORDINALS
            .map(|ordinal| vec![("executable_id", id.into()), ("function_ordinal", ordinal.into())])
    });
    let counters = ids().flat_map(|id| {
        [0_i128, 1].map(|ordinal| {
            vec![
                ("counter_set_id", id.into()),
                ("counter_ordinal", ordinal),
                ("sample_value_offset", ordinal * 2),
                ("sample_value_count", 2 - ordinal),
            ]
        })
    });
    let descriptors = ids().flat_map(|id| {
        [1_i128, 2].map(|metric| {
            vec![("source_id", id.into()), ("metric_id", metric), ("value_kind", metric + 1)]
        })
    });
    let keyed =
        |key: &'static str| ids().map(move |id| vec![(key, i128::from(id))]).collect::<Vec<_>>();
    let families: [(&str, &str, Vec<Fields>); 11] = [
        (
            "devices",
            "device_record",
            ORDINALS.map(|device| vec![("physical_device_ordinal", device.into())]).into(),
        ),
        ("queues", "queue_record", queues),
        ("executables", "executable_record", keyed("executable_id")),
        ("executable-functions", "executable_function_record", functions.collect()),
        ("command-buffers", "command_buffer_record", keyed("command_buffer_id")),
        (
            "counter-sets",
            "counter_set_record",
            keyed("counter_set_id").into_iter().map(with_values).collect(),
        ),
        ("counters", "counter_record", counters.collect()),
        ("device-metric-sources", "device_metric_source_record", keyed("source_id")),
        ("device-metric-descriptors", "device_metric_descriptor_record", descriptors.collect()),
        ("clock-correlations", "clock_correlation_record", clocks(random)),
        ("command-operations", "command_operation_record", vec![Vec::new(); shape.events]),
    ];
    let mut bundle = bundle;
    for (suffix, name, records) in families {
        let kept = records.into_iter().filter(|_| !shape.incomplete || random.below(12) > 0);
        let records: Vec<Vec<u8>> =
            kept.collect::<Vec<_>>().iter().map(|fixed| one(random, name, fixed)).collect();
        let chunk = Chunk { name: "random", ..Chunk::PLAIN };
        bundle = bundle.chunk(suffix, chunk, &records);
    }
    bundle
}

type Fields = Vec<(&'static str, i128)>;

/// Adds the counts of a counter set with two counters and three values.
fn with_values(mut fields: Fields) -> Fields {
    fields.extend([("counter_count", 2), ("sample_value_count", 3)]);
    fields
}

/// Returns clock correlations: up to three per device, whose times may not ascend.
fn clocks(random: &mut Random) -> Vec<Fields> {
    let mut records = Vec::new();
    for device in ORDINALS {
        let flags = [0b1011, 0b1011, 0b0011, 0b1001, 0b11011][random.below(5)];
        let mut tick = 1000 + random.below(1000) as i128;
        let mut time = 5_000_000 + random.below(1000) as i128;
        for sample in 0..random.below(4) {
            records.push(vec![
                ("flags", flags),
                ("physical_device_ordinal", device.into()),
                ("sample_id", sample as i128),
                ("device_tick", tick),
                ("host_cpu_timestamp_ns", time),
                ("host_time_begin_ns", time + 3),
                ("host_time_end_ns", time + 10),
            ]);
            tick += random.below(100_000) as i128;
            time += random.below(300_000) as i128 - 10;
        }
    }
    records
}

fn events(bundle: Bundle, random: &mut Random, shape: Shape, session: u64) -> Bundle {
    const FAMILIES: [(&str, &str); 8] = [
        ("dispatch-events", "dispatch_event"),
        ("queue-events", "queue_event"),
        ("queue-device-events", "queue_device_event"),
        ("host-execution-events", "host_execution_event"),
        ("memory-events", "memory_event"),
        ("event-relationships", "event_relationship_record"),
        ("counter-samples", "counter_sample_record"),
        ("device-metric-samples", "device_metric_sample_record"),
    ];
    let mut bundle = bundle;
    for (suffix, name) in FAMILIES {
        let count = random.below(shape.events + 1);
        let records: Vec<Vec<u8>> = (0..count).map(|_| one(random, name, &Vec::new())).collect();
        bundle = bundle.chunk(suffix, chunk(random, session), &records);
    }
    bundle.chunk("of-tomorrow", chunk(random, session), &[vec![8, 0, 0, 0, 1, 2, 3, 4]])
}

/// Encodes a record with the given fields, random values in all others, and a tail.
fn one(random: &mut Random, name: &str, given: &Fields) -> Vec<u8> {
    let mut fields: Vec<(String, i128)> = Vec::new();
    let mut start = (0, 0);
    for field in &layout(name).fields {
        for index in 0..field.count {
            let is_given = given.iter().any(|(known, _)| *known == field.name);
            if field.name == "record_length" || field.name.starts_with("reserved") || is_given {
                continue;
            }
            let value = match field.name.as_str() {
                "start_tick" => {
                    start.0 = tick(random);
                    start.0
                }
                "end_tick" => after(random, start.0),
                "start_host_time_ns" => {
                    start.1 = tick(random) - i128::from(random.below(20) == 0);
                    start.1
                }
                "end_host_time_ns" => after(random, start.1),
                other => value(random, other),
            };
            fields.push((
                if field.count > 1 {
                    format!("{}[{index}]", field.name)
                } else {
                    field.name.clone()
                },
                value,
            ));
        }
    }
    fields.extend(given.iter().map(|(name, value)| ((*name).to_owned(), *value)));
    let tail = tail(random, name, &mut fields);
    place_in_blocks(random, name, &mut fields);
    let borrowed: Vec<(&str, i128)> =
        fields.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    record(name, &borrowed, &tail)
}

fn tick(random: &mut Random) -> i128 {
    match random.below(12) {
        0 => 0,
        1 => 1 << 40,
        _ => 1000 + random.below(50) as i128,
    }
}

fn after(random: &mut Random, start: i128) -> i128 {
    match random.below(10) {
        0 => 0,
        1 => start - 1,
        2 => start,
        3 => start + random.below(1_000_000_000) as i128,
        _ => start + random.below(20) as i128,
    }
}

fn value(random: &mut Random, name: &str) -> i128 {
    match name {
        "flags" => random.below(64) as i128,
        "type" | "source_type" | "target_type" => random.below(14) as i128,
        "unit" | "scope" | "dependency_strategy" | "value_kind" => random.below(6) as i128,
        "status_code" | "result" => [0, 0, 0, 13][random.below(4)],
        "stream_id" => pick(random, &STREAMS).into(),
        "event_id" | "sample_id" => random.below(30) as i128,
        name if name.ends_with("_id") => {
            if random.below(6) == 0 {
                0
            } else {
                pick(random, &IDS).into()
            }
        }
        name if name.ends_with("_ordinal") || name.ends_with("_index") => {
            pick(random, &ORDINALS).into()
        }
        name if name.ends_with("_ns") || name.ends_with("_tick") => tick(random),
        "length" | "payload_length" | "offset" | "alignment" => match random.below(8) {
            0 => 0,
            1 => 1 << 50,
            _ => (random.below(8) * 64) as i128,
        },
        name if name.contains("hash") || name.contains("uuid") => random.below(200) as i128,
        _ => random.below(5) as i128,
    }
}

/// Returns the names and values after the fixed fields of a record, and sets the fields of their lengths.
fn tail(random: &mut Random, name: &str, fields: &mut Vec<(String, i128)>) -> Vec<u8> {
    let mut set = |field: &str, value: i128| {
        fields.retain(|(known, _)| known != field);
        fields.push((field.to_owned(), value));
    };
    let mut tail = Vec::new();
    let lengths: &[&str] = match name {
        "executable_function_record" | "counter_set_record" | "device_metric_source_record" => {
            &["name_length"]
        }
        "counter_record" => &["block_name_length", "name_length", "description_length"],
        "device_metric_descriptor_record" => &["name_length", "description_length"],
        _ => &[],
    };
    for length in lengths {
        let text = pick(random, &NAMES);
        set(length, text.len() as i128);
        tail.extend_from_slice(text);
    }
    match name {
        "counter_sample_record" => {
            set("sample_value_count", 3);
            (0..3).for_each(|_| tail.extend((random.next() >> random.below(64)).to_le_bytes()));
        }
        "device_metric_sample_record" => {
            let count = random.below(3);
            set("value_count", count as i128);
            for _ in 0..count {
                let metric = [
                    ("metric_id", 1 + random.below(2) as i128),
                    ("value_bits", random.below(1000) as i128),
                ];
                tail.extend(super::builder::fixed("device_metric_value", &metric));
            }
        }
        _ => {}
    }
    tail
}

/// Makes the block fields of a command operation consistent: either all set or all absent.
fn place_in_blocks(random: &mut Random, name: &str, fields: &mut Vec<(String, i128)>) {
    if name != "command_operation_record" {
        return;
    }
    let has_blocks = random.below(2) == 0;
    for (field, value) in fields {
        match field.as_str() {
            "flags" => *value = (*value & 0x3f) | i128::from(has_blocks) << 6,
            "block_ordinal" | "block_command_ordinal" => {
                *value = if has_blocks { 1 } else { u32::MAX.into() }
            }
            "target_block_ordinal" | "alternate_block_ordinal" if !has_blocks => {
                *value = u32::MAX.into();
            }
            _ => {}
        }
    }
}

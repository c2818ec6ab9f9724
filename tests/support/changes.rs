//! Changes fields of captures, so that what is wrong with them is known.

use super::layouts::layout;
use super::parts::{Part, Parts, number};

/// Returns a field of a record.
pub fn get(record: &[u8], of: &str, field: &str) -> u64 {
    let (at, width) = place(of, field);
    number(&record[at..at + width])
}

/// Sets a field of a record.
pub fn set(record: &mut [u8], of: &str, field: &str, value: u64) {
    let (at, width) = place(of, field);
    record[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
}

/// A clock of a capture, with the fields that have its times.
pub struct Clock {
    /// The field of clock correlations that tells when they were read.
    read: &'static str,
    fields: &'static [(&'static str, &'static str, &'static [&'static str])],
}

/// The clock of the host.
pub const HOST: Clock = Clock {
    read: "host_time_begin_ns",
    fields: &[
        (
            "clock-correlations",
            CORRELATION,
            &["host_cpu_timestamp_ns", "host_time_begin_ns", "host_time_end_ns"],
        ),
        ("queue-events", "queue_event", &["host_time_ns", "ready_host_time_ns"]),
        ("memory-events", "memory_event", &["host_time_ns"]),
    ],
};

/// The clock of the device.
pub const DEVICE: Clock = Clock {
    read: "device_tick",
    fields: &[
        ("clock-correlations", CORRELATION, &["device_tick"]),
        ("dispatch-events", "dispatch_event", &["start_tick", "end_tick"]),
        ("queue-device-events", "queue_device_event", &["start_tick", "end_tick"]),
    ],
};

const CORRELATION: &str = "clock_correlation_record";

/// Changes all times of a clock from the clock correlation with this number on, as if it had run otherwise since then: `change`
/// gets and returns the time since then.
pub fn bend(parts: &mut Parts, clock: &Clock, number: usize, change: impl Fn(u64) -> u64) {
    let mut reads = Vec::new();
    each(parts, "clock-correlations", |record| reads.push(get(record, CORRELATION, clock.read)));
    let since = reads[number];
    for (family, of, names) in clock.fields {
        each(parts, family, |record| {
            for name in *names {
                let time = get(record, of, name);
                if time >= since {
                    set(record, of, name, since + change(time - since));
                }
            }
        });
    }
}

/// Returns where a field is, or an element of an array (`name[i]`), and its width.
fn place(of: &str, field: &str) -> (usize, usize) {
    let (name, index) = match field.strip_suffix(']').and_then(|field| field.rsplit_once('[')) {
        Some((name, index)) => (name, index.parse().expect("an index")),
        None => (field, 0),
    };
    let found = layout(of).fields.iter().find(|known| known.name == name);
    let found = found.unwrap_or_else(|| panic!("{of} has no field {field}"));
    assert!(index < found.count, "{of}.{name} has {} elements", found.count);
    (found.offset + index * found.width(), found.width())
}

/// Calls `each` with all records of a family, in file order.
pub fn each(parts: &mut Parts, family: &str, each: impl FnMut(&mut Vec<u8>)) {
    let chunks = parts.chunks.iter_mut().filter(|part| part.family() == family);
    chunks.flat_map(|part| &mut part.records).for_each(each);
}

/// Removes the chunks of a family for which `is_kept` is false; it gets their number.
pub fn keep(parts: &mut Parts, family: &str, is_kept: impl Fn(usize) -> bool) {
    let mut nth = 0;
    parts.chunks.retain(|part| {
        if part.family() != family {
            return true;
        }
        nth += 1;
        is_kept(nth - 1)
    });
}

/// Inserts a copy of the chunk of a family with this number behind it.
pub fn repeat(parts: &mut Parts, family: &str, number: usize) {
    let of_family = |(_, part): &(usize, &Part)| part.family() == family;
    let (at, part) = parts.chunks.iter().enumerate().filter(of_family).nth(number).unwrap();
    let copy = part.clone();
    parts.chunks.insert(at + 1, copy);
}

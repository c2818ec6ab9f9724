//! Seeded changes of bundles that stay readable: other values in fields, records and chunks that are repeated, dropped or
//! moved, longer and shorter records, unknown families. [`damage`] makes a file unreadable.

use super::layouts::{Field, layout};
use super::parts::{Part, Parts, number};
use super::random::Random;

/// Texts for names.
const TEXTS: [&[u8]; 8] = [
    b"",
    b"matmul",
    b"quote\"back\\slash",
    b"new\nline\ttab\x01\x1f\x7f",
    b"caf\xe9 \xff\xc0\x80",
    "été ✓ \u{10ff41} \u{feff}".as_bytes(),
    b"zero\0byte",
    b"\xed\xa0\x80\xf4\x90\x80\x80",
];

/// Changes the parts once, and returns what was changed.
pub fn change(parts: &mut Parts, random: &mut Random) -> String {
    let changes: [(usize, Change); 12] = [
        (12, value),
        (4, related),
        (4, records),
        (3, chunks),
        (3, chunk_header),
        (2, longer),
        (2, text),
        (1, shorter),
        (1, family),
        (1, split),
        (1, heads),
        (1, rest),
    ];
    let mut draw = random.below(changes.iter().map(|(weight, _)| weight).sum());
    for (weight, change) in changes {
        if draw < weight {
            return change(parts, random).unwrap_or_else(|| "nothing".into());
        }
        draw -= weight;
    }
    unreachable!("the draw is below the sum")
}

/// A kind of change; `None` if the bundle has nothing to change in this way.
type Change = fn(&mut Parts, &mut Random) -> Option<String>;

fn pick<T: Clone>(random: &mut Random, values: &[T]) -> Option<T> {
    values.get(random.below(values.len())).cloned()
}

/// Draws a chunk: first its family, so that rare families are drawn as often as others.
fn draw(parts: &Parts, random: &mut Random, which: impl Fn(&Part) -> bool) -> Option<usize> {
    let fitting: Vec<usize> =
        (0..parts.chunks.len()).filter(|at| which(&parts.chunks[*at])).collect();
    let mut families: Vec<&str> = fitting.iter().map(|at| parts.chunks[*at].family()).collect();
    families.sort_unstable();
    families.dedup();
    let family = pick(random, &families)?;
    let same: Vec<usize> =
        fitting.into_iter().filter(|at| parts.chunks[*at].family() == family).collect();
    pick(random, &same)
}

/// Draws a typed record, and returns the chunk and its position there.
fn draw_record(parts: &Parts, random: &mut Random) -> Option<(usize, usize)> {
    let chunk = draw(parts, random, |part| !part.records.is_empty())?;
    Some((chunk, random.below(parts.chunks[chunk].records.len())))
}

fn set(bytes: &mut [u8], at: usize, width: usize, value: u64) {
    if let Some(place) = bytes.get_mut(at..at + width) {
        place.copy_from_slice(&value.to_le_bytes()[..width]);
    }
}

/// Draws a number of this width: a boundary, a neighbour of what is there, or one that occurs in the same field elsewhere.
fn other(random: &mut Random, width: usize, now: u64, elsewhere: &[u64]) -> u64 {
    let bits = width as u32 * 8;
    let most = u64::MAX >> (64 - bits);
    let half = 1_u64 << (bits - 1);
    match random.below(10) {
        0..3 => {
            let bounds =
                [0, 1, 2, 3, half - 1, half, half + 1, most, most - 1, most / 3, 1 << 31, 1 << 53];
            pick(random, &bounds).unwrap_or_default()
        }
        3..6 => {
            let step = 1 + random.below(3) as u64;
            if random.below(2) == 0 { now.wrapping_add(step) } else { now.wrapping_sub(step) }
        }
        6..9 => pick(random, elsewhere).unwrap_or(now),
        _ => random.next() >> random.below(64),
    }
}

/// Sets a field of a record to another number.
fn value(parts: &mut Parts, random: &mut Random) -> Option<String> {
    let (chunk, record) = draw_record(parts, random)?;
    let fields: Vec<&Field> = parts.chunks[chunk].layout()?.fields.iter().collect();
    let field = fields[1 + random.below(fields.len() - 1)];
    let (width, at) = (field.width(), field.offset + random.below(field.count) * field.width());
    let family = parts.chunks[chunk].family().to_owned();
    let elsewhere = parts.values(&family, at, width);
    let bytes = &mut parts.chunks[chunk].records[record];
    let now = bytes.get(at..at + width).map(number)?;
    let value = other(random, width, now, &elsewhere);
    set(bytes, at, width, value);
    Some(format!("{family} {chunk}[{record}].{} = {value}", field.name))
}

/// Sets pairs of times of a record so that they are reversed, equal, or as far apart as possible.
fn related(parts: &mut Parts, random: &mut Random) -> Option<String> {
    const PAIRS: [(&str, &str); 8] = [
        ("start_tick", "end_tick"),
        ("start_host_time_ns", "end_host_time_ns"),
        ("host_time_begin_ns", "host_time_end_ns"),
        ("host_time_ns", "ready_host_time_ns"),
        ("device_tick", "host_cpu_timestamp_ns"),
        ("source_id", "target_id"),
        ("allocation_id", "pool_id"),
        ("command_buffer_id", "command_index"),
    ];
    let (first, second) = pick(random, &PAIRS)?;
    let find = |part: &Part, name: &str| {
        part.layout()?.fields.iter().find(|field| field.name == name).map(|field| field.offset)
    };
    let chunk = draw(parts, random, |part| {
        !part.records.is_empty() && find(part, first).is_some() && find(part, second).is_some()
    })?;
    let part = &mut parts.chunks[chunk];
    let (one, two) = (find(part, first)?, find(part, second)?);
    let index = random.below(part.records.len());
    let record = &mut part.records[index];
    let (a, b) = (number(record.get(one..one + 8)?), number(record.get(two..two + 4)?));
    let b = record.get(two..two + 8).map_or(b, number);
    let (a, b) = match random.below(6) {
        0 => (b, a),
        1 => (a, a),
        2 => (0, u64::MAX),
        3 => (1, u64::MAX >> 1),
        4 => (a, a.wrapping_add(1 << (30 + random.below(33)))),
        _ => (a.wrapping_sub(1 << random.below(63)), b),
    };
    let width = if second == "command_index" { 4 } else { 8 };
    set(record, one, 8, a);
    set(record, two, width, b);
    Some(format!("chunk {chunk}[{index}] {first}, {second} = {a}, {b}"))
}

/// Repeats, drops or moves typed records.
fn records(parts: &mut Parts, random: &mut Random) -> Option<String> {
    let (chunk, index) = draw_record(parts, random)?;
    let family = parts.chunks[chunk].family().to_owned();
    let list = &mut parts.chunks[chunk].records;
    let target = random.below(list.len());
    let what = match random.below(6) {
        0 => {
            let copy = list[index].clone();
            list.insert(target, copy);
            "repeated"
        }
        1 => {
            list.remove(index);
            "dropped"
        }
        2 => {
            list.swap(index, target);
            "swapped"
        }
        3 => {
            list.reverse();
            "reversed"
        }
        4 => {
            list.truncate(index);
            "cut off"
        }
        _ => {
            let times = 1 + random.below(40);
            let copies = std::iter::repeat_n(list[index].clone(), times);
            list.splice(index..index, copies);
            "repeated many times"
        }
    };
    Some(format!("{family} {chunk}[{index}] {what}, {target}"))
}

/// Repeats, drops or moves file records.
fn chunks(parts: &mut Parts, random: &mut Random) -> Option<String> {
    let index = draw(parts, random, |_| true)?;
    let target = random.below(parts.chunks.len());
    let list = &mut parts.chunks;
    let what = match random.below(5) {
        0 => {
            let copy = list[index].clone();
            list.insert(target, copy);
            "repeated at"
        }
        1 => {
            list.remove(index);
            "dropped, not"
        }
        2 => {
            list.swap(index, target);
            "swapped with"
        }
        3 => {
            let part = list.remove(index);
            list.insert(target, part);
            "moved to"
        }
        _ => {
            list[index].records.clear();
            list[index].rest.clear();
            "emptied, not"
        }
    };
    Some(format!("chunk {index} {what} {target}"))
}

/// Sets a field of a record's header other than its lengths.
fn chunk_header(parts: &mut Parts, random: &mut Random) -> Option<String> {
    let index = draw(parts, random, |_| true)?;
    let fields = &layout("file_record_header").fields;
    let free = |field: &&Field| !field.name.ends_with("_length") && (field.name != "flags");
    let free: Vec<&Field> = fields.iter().filter(free).collect();
    let field = free[random.below(free.len())];
    let (at, width) = (field.offset, field.width());
    let read = |part: &Part| number(&part.header[at..at + width]);
    let elsewhere: Vec<u64> = parts.chunks.iter().map(read).collect();
    let value = match field.name.as_str() {
        "record_type" => 1 + random.below(4) as u64,
        "chunk_flags" => random.below(4) as u64,
        _ => other(random, width, elsewhere[index], &elsewhere),
    };
    set(&mut parts.chunks[index].header, at, width, value);
    Some(format!("header of chunk {index}: {} = {value}", field.name))
}

/// Appends bytes to records, as a later version with more fields would.
fn longer(parts: &mut Parts, random: &mut Random) -> Option<String> {
    let (chunk, index) = draw_record(parts, random)?;
    let all = random.below(2) == 0;
    let more = 1 + random.below(24);
    for (at, record) in parts.chunks[chunk].records.iter_mut().enumerate() {
        if all || at == index {
            record.extend((0..more).map(|byte| byte as u8));
            let length = record.len() as u64;
            set(record, 0, 4, length);
        }
    }
    Some(format!("chunk {chunk}[{index}] has {more} bytes more, all: {all}"))
}

/// Removes bytes of a record, or sets a length that does not fit.
fn shorter(parts: &mut Parts, random: &mut Random) -> Option<String> {
    let (chunk, index) = draw_record(parts, random)?;
    let record = &mut parts.chunks[chunk].records[index];
    let less = 1 + random.below(record.len() - 4);
    if random.below(2) == 0 {
        record.truncate(record.len() - less);
    }
    let length = if random.below(4) == 0 { random.next() } else { record.len() as u64 };
    set(record, 0, 4, length);
    Some(format!("chunk {chunk}[{index}] has {less} bytes less and the length {length}"))
}

/// Replaces the text at the end of a record, mostly with lengths that agree.
fn text(parts: &mut Parts, random: &mut Random) -> Option<String> {
    let has_text = |part: &Part| {
        part.layout().is_some_and(|layout| {
            layout.fields.iter().any(|field| field.name.ends_with("name_length"))
        })
    };
    let chunk = draw(parts, random, |part| !part.records.is_empty() && has_text(part))?;
    let layout = parts.chunks[chunk].layout()?;
    let index = random.below(parts.chunks[chunk].records.len());
    let record = &mut parts.chunks[chunk].records[index];
    record.truncate(layout.size);
    for field in &layout.fields {
        if matches!(field.name.as_str(), "name_length" | "block_name_length" | "description_length")
        {
            let text = pick(random, &TEXTS)?;
            let off = u64::from(random.below(8) == 0);
            set(record, field.offset, field.width(), text.len() as u64 + off);
            record.extend_from_slice(text);
        }
    }
    let length = record.len() as u64;
    set(record, 0, 4, length);
    Some(format!("chunk {chunk}[{index}] has other texts"))
}

/// Gives a chunk another family: an unknown one, that of older builds, or that of another chunk.
fn family(parts: &mut Parts, random: &mut Random) -> Option<String> {
    let index = draw(parts, random, |_| true)?;
    let other = parts.chunks[random.below(parts.chunks.len())].family().to_owned();
    let names = ["of-tomorrow", "executable-exports", "", "session", "dispatch-events-v2", &other];
    let name = pick(random, &names)?.to_owned();
    parts.chunks[index].set_family(&name);
    if random.below(4) == 0 {
        parts.chunks[index].content_type.push(0xff);
    }
    Some(format!("chunk {index} is of the family {name}"))
}

/// Splits a chunk in two.
fn split(parts: &mut Parts, random: &mut Random) -> Option<String> {
    let (chunk, index) = draw_record(parts, random)?;
    let mut second = parts.chunks[chunk].clone();
    second.records = parts.chunks[chunk].records.split_off(index);
    if random.below(2) == 0 {
        parts.chunks[chunk].rest.clear();
    }
    parts.chunks.insert(chunk + 1, second);
    Some(format!("chunk {chunk} split at {index}"))
}

/// Changes the minor version, or makes headers longer.
fn heads(parts: &mut Parts, random: &mut Random) -> Option<String> {
    match random.below(4) {
        0 => {
            parts.head.extend([0xaa; 16]);
            Some("a longer file header".into())
        }
        1 => {
            let index = draw(parts, random, |_| true)?;
            parts.chunks[index].header.extend([0xbb; 24]);
            Some(format!("a longer header of chunk {index}"))
        }
        2 => {
            let index = draw(parts, random, |_| true)?;
            parts.chunks[index].name = pick(random, &TEXTS)?.to_vec();
            Some(format!("another name of chunk {index}"))
        }
        _ => {
            let minor = pick(random, &[0, 1, 5, 7, 99, 0xffff])?;
            set(&mut parts.head, 6, 2, minor);
            Some(format!("version 1.{minor}"))
        }
    }
}

/// Changes the bytes after the typed records of a chunk.
fn rest(parts: &mut Parts, random: &mut Random) -> Option<String> {
    let index = draw(parts, random, |part| part.header[100] == 2)?;
    let count = random.below(12);
    parts.chunks[index].rest = (0..count).map(|_| random.next() as u8).collect();
    Some(format!("chunk {index} ends with {count} other bytes"))
}

/// Damages the bytes of a file without regard to its structure, and returns how.
pub fn damage(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    let at = random.below(bytes.len());
    match random.below(5) {
        0 => {
            bytes[at] = random.next() as u8;
            format!("byte {at} is {}", bytes[at])
        }
        1 => {
            bytes.truncate(at.max(24));
            format!("cut at {at}")
        }
        2 => {
            let end = (at + 4).min(bytes.len());
            bytes[at..end].fill(0xff);
            format!("ones at {at}")
        }
        3 => {
            let length = random.below(2 * bytes.len()) as u64;
            set(bytes, 16, 8, length);
            format!("file_length {length}")
        }
        _ => {
            bytes.extend([0; 100]);
            "100 bytes after the end".into()
        }
    }
}

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

fn place(of: &str, field: &str) -> (usize, usize) {
    let found = layout(of).fields.iter().find(|known| known.name == field);
    let found = found.unwrap_or_else(|| panic!("{of} has no field {field}"));
    (found.offset, found.width())
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

//! Offsets of fields in records, computed at compile time, for code that reads millions of records without decoding
//! columns.

use crate::spec::{Field, Read, Shape, Table};
use crate::tables;

/// Where a number is in a record: in the eight little-endian bytes at `at`, shifted right by `shift` and masked by
/// `mask`, so that numbers of every width are read by the same code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    pub at: usize,
    pub shift: u32,
    pub mask: u64,
}

impl Place {
    /// Returns the place of a number of a table, or `None` if its records have no such number.
    pub const fn of(table: &Table, field: &str) -> Option<Self> {
        match look_up(table, field) {
            Some((at, width)) => {
                let mut place = Self { at, shift: 0, mask: u64::MAX >> (64 - 8 * width) };
                // Near the end of the layout, the eight bytes begin before the number, to stay within the record.
                while place.at + 8 > layout(table) {
                    place.at -= 1;
                    place.shift += 8;
                }
                Some(place)
            }
            None => None,
        }
    }
}

/// The places of some numbers in a table's records.
#[derive(Debug, Clone, Copy)]
pub struct Places<const N: usize> {
    pub table: &'static str,
    pub places: [Place; N],
    /// Size of the record layout in bytes; every place is within it.
    pub layout: usize,
}

impl<const N: usize> Places<N> {
    /// Returns the places of these fields. Fails to compile if the table has no such number.
    #[expect(clippy::indexing_slicing, reason = "constant functions have no iterators")]
    #[expect(clippy::panic, clippy::missing_panics_doc, reason = "fails while compiling")]
    pub const fn new(table: &'static str, fields: [&str; N]) -> Self {
        let declared = find(table);
        let mut places = [Place { at: 0, shift: 0, mask: 0 }; N];
        let mut nth = 0;
        while nth < N {
            places[nth] = match Place::of(declared, fields[nth]) {
                Some(place) => place,
                None => panic!("the table has no such number"),
            };
            nth += 1;
        }
        Self { table, places, layout: layout(declared) }
    }
}

/// Returns the layout size of a table.
#[expect(clippy::panic, reason = "fails while compiling")]
const fn layout(table: &Table) -> usize {
    match table.reads() {
        Some(family) if family.layout >= 8 => family.layout,
        _ => panic!("the table has no records of one layout"),
    }
}

/// Returns the table called `name`.
#[expect(clippy::panic, reason = "fails while compiling")]
const fn find(name: &str) -> &'static Table {
    let mut tables = tables::ALL;
    while let [table, rest @ ..] = tables {
        if is_same(table.name, name) {
            return table;
        }
        tables = rest;
    }
    panic!("there is no such table")
}

/// Returns offset and width in bytes of a number of the record, by the name of its field or column.
const fn look_up(table: &Table, name: &str) -> Option<(usize, usize)> {
    let all = [table.fields, table.repeated];
    let mut lists = all.as_slice();
    while let [list, more @ ..] = lists {
        let mut fields = *list;
        while let [field, rest @ ..] = fields {
            if let Read::Record(at) = field.read {
                if let Some(width) = width(field)
                    && is_same(field.name, name)
                {
                    return Some((at, width));
                }
                if let Shape::Each(suffixes) = field.shape
                    && let Some(nth) = nth_of(field.name, suffixes, name)
                {
                    return Some((at + 4 * nth, 4));
                }
            }
            fields = rest;
        }
        lists = more;
    }
    None
}

/// Returns the width of a number in bytes, or `None` for other fields.
const fn width(field: &Field) -> Option<usize> {
    match field.shape {
        Shape::One(kind) | Shape::Bits(_, kind) => kind.width(),
        Shape::Named(_) => Some(4),
        Shape::Named16(_) => Some(2),
        Shape::Each(_) => None,
    }
}

/// Returns which suffix makes `name` of the name of a field.
const fn nth_of(field: &str, suffixes: &[&str], name: &str) -> Option<usize> {
    let (mut nth, mut rest) = (0, suffixes);
    while let [suffix, more @ ..] = rest {
        if let Some((head, [b'_', tail @ ..])) = name.as_bytes().split_at_checked(field.len())
            && is_same_bytes(head, field.as_bytes())
            && is_same_bytes(tail, suffix.as_bytes())
        {
            return Some(nth);
        }
        (nth, rest) = (nth + 1, more);
    }
    None
}

/// Compares texts in constant functions, where `==` is not available.
const fn is_same(left: &str, right: &str) -> bool {
    is_same_bytes(left.as_bytes(), right.as_bytes())
}

const fn is_same_bytes(mut left: &[u8], mut right: &[u8]) -> bool {
    while let ([first, left_rest @ ..], [other, right_rest @ ..]) = (left, right) {
        if *first != *other {
            return false;
        }
        (left, right) = (left_rest, right_rest);
    }
    left.is_empty() && right.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_where_they_are_declared() {
        const SPANS: Places<4> = Places::new(
            "host_execution_events",
            ["type", "end_host_time_ns", "queue_ordinal", "operation_count"],
        );
        const MEMORY: Places<1> = Places::new("memory_events", ["pool_slab_count"]);
        let narrow = u64::from(u32::MAX);
        let place = |at, shift, mask| Place { at, shift, mask };
        assert_eq!(
            SPANS.places,
            [
                place(4, 0, narrow),
                place(112, 0, u64::MAX),
                place(68, 0, narrow),
                place(144, 0, narrow)
            ]
        );
        assert_eq!((SPANS.table, SPANS.layout), ("host_execution_events", 152));
        assert_eq!(MEMORY.places, [place(152, 32, narrow)]);
    }
}

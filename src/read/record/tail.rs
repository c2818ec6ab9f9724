//! Checks and locates the data that trails the layout of a record.

use std::borrow::Cow;
use std::ops::Range;

use schemas::escape::escaped;
use schemas::ireeperf::LEFT_OUT;
use schemas::spec::{Family, Tail};

use crate::bundle::Fault;
use crate::bundle::cursor::{u32_at, u64_at};

/// Checks that the trailing data which a record declares is there. `record` is the whole record at absolute `offset`,
/// `rest` the payload after it.
pub fn check(family: &Family, record: &[u8], rest: &[u8], offset: u64) -> Result<(), Fault> {
    let available = record.len().saturating_sub(family.layout) as u64;
    let (needed, field, at) = match family.tail {
        Tail::None => return Ok(()),
        Tail::Texts(lengths) => {
            let needed: u64 = lengths.iter().map(|at| u64::from(u32_at(record, *at))).sum();
            (needed, "name_length", lengths.first().copied().unwrap_or(0))
        }
        Tail::Data(at) => (u64_at(record, at), "data_length", at),
        Tail::Entries { count, entry } => {
            (u64::from(u32_at(record, count)).saturating_mul(entry as u64), "value_count", count)
        }
        Tail::Following(at) => {
            let promised = u64_at(record, at);
            // A bundle that was converted from an exported stream has the size of a trace, but not its data.
            let is_left_out = record.get(family.layout..) == Some(&LEFT_OUT) && rest.is_empty();
            return if promised == rest.len() as u64 || is_left_out {
                Ok(())
            } else {
                let what = format!(
                    "{promised} does not match the {} bytes that follow the record",
                    rest.len()
                );
                Err(Fault::new(offset.saturating_add(at as u64), "data_length", what))
            };
        }
    };
    if needed <= available {
        return Ok(());
    }
    let what = format!("requires {needed} trailing bytes, but the record has {available}");
    Err(Fault::new(offset.saturating_add(at as u64), field, what))
}

/// Returns the range of the n-th trailing string within a record; empty if its family has none.
pub fn text_spans(family: &Family, record: &[u8], nth: usize) -> Range<usize> {
    let Tail::Texts(lengths) = family.tail else { return 0..0 };
    let length = |at: &usize| u32_at(record, *at) as usize;
    let start = family.layout + lengths.iter().take(nth).map(length).sum::<usize>();
    start..start + lengths.get(nth).map_or(0, length)
}

/// Returns the n-th trailing string of a record as text.
pub fn text<'a>(family: &Family, record: &'a [u8], nth: usize) -> Cow<'a, str> {
    escaped(record.get(text_spans(family, record, nth)).unwrap_or_default())
}

/// Returns the data of a record, which is inside it or after it.
pub fn data<'a>(family: &Family, row: &'a [u8]) -> &'a [u8] {
    let (start, length) = match family.tail {
        Tail::Data(at) => (family.layout, u64_at(row, at)),
        Tail::Following(at) => (u32_at(row, 0) as usize, u64_at(row, at)),
        _ => (0, 0),
    };
    let rest = row.get(start..).unwrap_or_default();
    usize::try_from(length).ok().and_then(|length| rest.get(..length)).unwrap_or_default()
}

//! Finds the bytes of traces and code objects in the map of a bundle, without copying them.

use schemas::ireeperf::LEFT_OUT;
use schemas::spec::Table;

use read::bundle::Bundle;
use read::bundle::cursor::u32_at;
use read::record::data;

/// Returns the bytes of the trace whose record is at this offset of the file; `None` if the bundle was converted from an
/// exported stream, which leaves them out.
pub fn trace(bundle: &Bundle, offset: u64) -> Option<&[u8]> {
    let family = schemas::find("executable_traces").and_then(Table::reads)?;
    let record = rest(bundle, offset);
    let length = usize::try_from(u32_at(record, 0)).unwrap_or(usize::MAX);
    let is_left_out = record.get(family.layout..length) == Some(&LEFT_OUT);
    (!is_left_out).then(|| data(family, record))
}

/// Returns the image of the code object whose record is at this offset of the file.
pub fn code_object(bundle: &Bundle, offset: u64) -> &[u8] {
    let family = schemas::find("executable_code_objects").and_then(Table::reads);
    family.map(|family| data(family, rest(bundle, offset))).unwrap_or_default()
}

fn rest(bundle: &Bundle, offset: u64) -> &[u8] {
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    bundle.bytes().get(start..).unwrap_or_default()
}

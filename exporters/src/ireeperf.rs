//! `ireeperf-jsonl`: IREE's interchange format of decoded profiles, with one JSON object per line, in file order.

/// Version of the row types and keys of the stream.
const SCHEMA_VERSION: u32 = 15;

/// Returns the start of each line of a record type: a JSON object that is not closed yet.
pub fn head(record_type: &str) -> Vec<u8> {
    format!("{{\"schema_version\":{SCHEMA_VERSION},\"record_type\":\"{record_type}\"").into_bytes()
}

//! `ireeperf-jsonl`: IREE's interchange of decoded profiles, one JSON object a line, in the order of the bundle.

/// Version of the stream's rows and keys.
pub const SCHEMA_VERSION: u32 = 15;

/// What the lines of a record type begin with, an object that is still open.
pub fn head(record_type: &str) -> Vec<u8> {
    format!("{{\"schema_version\":{SCHEMA_VERSION},\"record_type\":\"{record_type}\"").into_bytes()
}

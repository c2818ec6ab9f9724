//! `ireeperf-jsonl`: the table of each record type, and the keys whose names differ from those of the table's fields.
//!
//! Other keys have the name of the field that they hold. The key of an enumeration's number ends in `_value`, as the
//! column does. Keys that belong to no field repeat or convert the values of others.

use crate::enums::{self, Enum};

/// A part of a trailing entry: its key, offset and width in bytes.
pub type EntryPart = (&'static str, usize, usize);

/// A record type of the stream.
#[derive(Debug)]
pub struct RecordType {
    pub name: &'static str,
    pub table: &'static str,
    /// Fields whose names differ from their keys: the field and the path of the key.
    pub renamed: &'static [(&'static str, &'static str)],
    /// A field for which the stream has a name instead of the number: the field, its key and the enumeration.
    pub named: Option<(&'static str, &'static str, &'static Enum)>,
    /// The key of the trailing entries, and the parts of an entry.
    pub entries: Option<(&'static str, &'static [EntryPart])>,
}

const fn of(name: &'static str, table: &'static str) -> RecordType {
    RecordType { name, table, renamed: &[], named: None, entries: None }
}

impl RecordType {
    const fn renamed(mut self, renamed: &'static [(&'static str, &'static str)]) -> Self {
        self.renamed = renamed;
        self
    }
}

/// Every record type that holds rows of a table.
pub static RECORD_TYPES: &[RecordType] = &[
    of("device", "devices"),
    of("queue", "queues"),
    of("executable", "executables"),
    of("executable_function", "executable_functions"),
    of("command_buffer", "command_buffers"),
    RecordType {
        named: Some(("type", "op", &enums::COMMAND_OPERATION_TYPE)),
        ..of("command_operation", "command_operations")
    },
    of("clock_correlation", "clock_correlations"),
    of("dispatch_event", "dispatch_events"),
    RecordType {
        named: Some((
            "dependency_strategy",
            "dependency_strategy",
            &enums::QUEUE_DEPENDENCY_STRATEGY,
        )),
        ..of("queue_event", "queue_events")
    },
    of("queue_device_event", "queue_device_events"),
    of("host_execution_event", "host_execution_events"),
    of("command_region_event", "command_region_events").renamed(REGION),
    of("memory_event", "memory_events").renamed(&[("type", "event_type_value")]),
    of("event_relationship", "event_relationships").renamed(&[("type", "kind_value")]),
    of("counter_set", "counter_sets"),
    of("counter", "counters").renamed(&[("unit", "unit"), ("block_name", "block")]),
    RecordType {
        entries: Some(("values", &[("", 0, 8)])),
        ..of("counter_sample", "counter_samples")
    },
    of("device_metric_source", "device_metric_sources"),
    of("device_metric_descriptor", "device_metric_descriptors"),
    RecordType {
        entries: Some(("values", &[("metric_id", 0, 8), ("value_bits", 8, 8), ("flags", 16, 4)])),
        ..of("device_metric_sample", "device_metric_samples")
    },
    of("executable_trace", "executable_traces"),
];

const REGION: &[(&str, &str)] = &[
    ("epoch", "region_epoch"),
    ("command_region_index", "region_index"),
    ("dispatch_count", "region_dispatch_count"),
    ("command_region_tile_count", "region_tile_count"),
    ("command_region_width_bucket", "region_width_bucket"),
    ("command_region_lookahead_width_bucket", "region_lookahead_width_bucket"),
    ("next_command_region_index", "next_region_index"),
    ("next_command_region_tile_count", "next_region_tile_count"),
    ("next_command_region_width_bucket", "next_region_width_bucket"),
    ("next_command_region_lookahead_width_bucket", "next_region_lookahead_width_bucket"),
    ("tail_no_work_count", "tail_no_work.count"),
    ("tail_no_work_remaining_tiles_min", "tail_no_work.remaining_tiles.min"),
    ("tail_no_work_remaining_tiles_max", "tail_no_work.remaining_tiles.max"),
    ("tail_no_work_remaining_tiles_bucket_counts", "tail_no_work.remaining_tiles.bucket_counts"),
    ("tail_no_work_first_start_host_time_ns", "tail_no_work.first_start_host_time_ns"),
    ("tail_no_work_last_end_host_time_ns", "tail_no_work.last_end_host_time_ns"),
    ("tail_no_work_start_offset_sum_ns", "tail_no_work.time_sums.start_offset_ns"),
    ("tail_no_work_drain_duration_sum_ns", "tail_no_work.time_sums.drain_duration_ns"),
    ("keep_active_count", "retention_keep_active_count"),
    ("publish_keep_active_count", "retention_publish_keep_active_count"),
    ("keep_warm_count", "retention_keep_warm_count"),
];

/// The content type of a placeholder for a record that is missing from the stream, so that the others keep their
/// indices.
pub const ABSENT: &str = "application/vnd.ireescope.absent";

/// The marker at the end of a trace record whose trace bytes are not in the stream.
pub const LEFT_OUT: [u8; 8] = *b"left out";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_renamed_are_fields_of_the_table() {
        for kind in RECORD_TYPES {
            let table = crate::find(kind.table).expect("a table");
            let named = kind.named.map(|(field, ..)| field);
            for field in kind.renamed.iter().map(|(field, _)| *field).chain(named) {
                let has = |fields: &[crate::Field]| fields.iter().any(|known| known.name == field);
                assert!(has(table.fields) || has(table.repeated), "{}.{field}", kind.table);
            }
        }
    }
}

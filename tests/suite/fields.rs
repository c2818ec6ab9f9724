//! Writes a distinct value to every field of every family, and reads it back with SQL.
//!
//! The offsets are from tests/support/layouts.txt and the tables from schemas/, so a wrong offset in either of them
//! fails a test.

use std::collections::BTreeMap;

use crate::Test;
use crate::support::ask::{cell, engine_of, rows};
use crate::support::builder::{Bundle, Chunk, record};
use crate::support::layouts::{Field, LAYOUTS, layout};

pub const TESTS: &[Test] = &[
    ("every_field_of_every_family_reads_back", every_field),
    ("every_field_of_the_record_header_reads_back", record_header),
    ("every_named_value_and_bit_reads_back", names),
    ("absent_values_are_null", absent),
    ("trailing_text_and_bytes_read_back", trailing),
];

/// Family suffix, layout, and the fields with the lengths of the tail.
const FAMILIES: &[(&str, &str, &[&str])] = &[
    ("devices", "device_record", &[]),
    ("queues", "queue_record", &[]),
    ("executables", "executable_record", &[]),
    ("executable-code-objects", "executable_code_object_record", &["data_length"]),
    ("executable-code-object-loads", "executable_code_object_load_record", &[]),
    ("executable-functions", "executable_function_record", &["name_length"]),
    ("command-buffers", "command_buffer_record", &[]),
    ("command-operations", "command_operation_record", &[]),
    ("clock-correlations", "clock_correlation_record", &[]),
    ("dispatch-events", "dispatch_event", &[]),
    ("queue-events", "queue_event", &[]),
    ("queue-device-events", "queue_device_event", &[]),
    ("host-execution-events", "host_execution_event", &[]),
    ("command-region-events", "command_region_event", &[]),
    ("memory-events", "memory_event", &[]),
    ("event-relationships", "event_relationship_record", &[]),
    ("counter-sets", "counter_set_record", &["name_length"]),
    ("counters", "counter_record", &["block_name_length", "name_length", "description_length"]),
    ("counter-samples", "counter_sample_record", &["sample_value_count"]),
    ("device-metric-sources", "device_metric_source_record", &["name_length"]),
    (
        "device-metric-descriptors",
        "device_metric_descriptor_record",
        &["name_length", "description_length"],
    ),
    ("device-metric-samples", "device_metric_sample_record", &["value_count"]),
    ("executable-traces", "executable_trace_record", &["data_length"]),
];

fn table_of(suffix: &str) -> String {
    suffix.replace('-', "_")
}

/// Returns the columns of a field, with the expected value of each.
fn expected(field: &Field, values: &[i128], columns: &[String]) -> Vec<(String, String)> {
    let plain = field.name.replace('.', "_");
    let last = field.name.rsplit('.').next().unwrap().to_owned();
    let special = BTreeMap::from([
        (
            "command_region.tail_no_work.time_sums.start_offset_ns",
            "tail_no_work_start_offset_sum_ns",
        ),
        (
            "command_region.tail_no_work.time_sums.drain_duration_ns",
            "tail_no_work_drain_duration_sum_ns",
        ),
    ]);
    let without_region = plain.strip_prefix("command_region_").unwrap_or(&plain).to_owned();
    let name = special.get(field.name.as_str()).map_or_else(
        || {
            let known = |name: &String| {
                columns
                    .iter()
                    .any(|column| column == name || column.starts_with(&format!("{name}_")))
            };
            [plain.clone(), without_region, last].into_iter().find(known).unwrap_or(plain)
        },
        |name| (*name).to_owned(),
    );
    let hex = |value: &i128| format!("{value:016x}");
    if field.kind == "u8" {
        let text: String = values.iter().map(|value| format!("{value:02x}")).collect();
        let parts = [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]];
        return vec![(name, parts.join("-"))];
    }
    if field.kind == "u64" && field.count == 2 {
        return vec![(name, values.iter().map(hex).collect())];
    }
    if field.count > 1 {
        let suffixes: &[&str] = if field.count == 3 {
            &["x", "y", "z"]
        } else {
            &["0", "1", "2", "3_4", "5_8", "9_16", "17_32", "33_up"]
        };
        let pairs = suffixes.iter().zip(values);
        return pairs
            .map(|(suffix, value)| (format!("{name}_{suffix}"), value.to_string()))
            .collect();
    }
    let raw = format!("{name}_value");
    let name = if columns.contains(&raw) { raw } else { name };
    vec![(name, values[0].to_string())]
}

/// Returns distinct values for all elements of a field. Flag words have high bits set, too, which no flag names.
fn distinct(field: &Field, next: &mut i128) -> Vec<i128> {
    (0..field.count)
        .map(|_| {
            *next += 1;
            match field.kind.as_str() {
                "u8" => *next & 0xff,
                "u32" if field.name == "flags" => 0xff00_0000 + *next,
                "u32" => 0x1234_0000 + *next,
                "i32" => -0x1234_0000 - *next,
                "i64" => -0x1234_5678_0000_0000 - *next,
                _ => 0xfedc_ba98_0000_0000 + *next,
            }
        })
        .collect()
}

fn every_field() {
    let mut next = 0;
    for (suffix, name, lengths) in FAMILIES {
        let table = table_of(suffix);
        let mut fields: Vec<(String, i128)> = Vec::new();
        let mut wanted: Vec<(String, String)> = Vec::new();
        let columns: Vec<String> = schemas::find(&table)
            .unwrap()
            .columns()
            .into_iter()
            .map(|column| column.name)
            .collect();
        for field in &layout(name).fields {
            let structural = field.name == "record_length" || field.name.starts_with("reserved");
            if structural || lengths.contains(&field.name.as_str()) {
                continue;
            }
            let mut values = distinct(field, &mut next);
            if field.name == "flags" {
                // The lowest bit declares that a hash or UUID is present.
                values[0] |= 1;
            }
            for (index, value) in values.iter().enumerate() {
                fields.push((format!("{}[{index}]", field.name), *value));
            }
            wanted.extend(expected(field, &values, &columns));
        }
        let fields: Vec<(&str, i128)> =
            fields.iter().map(|(name, value)| (name.as_str(), *value)).collect();
        let bytes = Bundle::new()
            .begin(1, "x")
            .chunk(suffix, Chunk::default(), &[record(name, &fields, &[])])
            .end(1, 0)
            .finish();
        let engine = engine_of(&bytes);
        for (column, value) in wanted {
            assert!(columns.contains(&column), "{table} has no column {column}");
            assert_eq!(
                cell(&engine, &format!("SELECT {column} FROM {table}")),
                value,
                "{table}.{column}"
            );
        }
    }
}

fn record_header() {
    let columns: Vec<String> =
        schemas::find("records").unwrap().columns().into_iter().map(|column| column.name).collect();
    let mut next = 0;
    let mut fields: Vec<(String, i128)> = Vec::new();
    let mut wanted = Vec::new();
    for field in &layout("file_record_header").fields {
        let structural = field.name.ends_with("_length") || field.name == "flags";
        if structural {
            continue;
        }
        let values = if field.kind == "u16" { vec![0x4321] } else { distinct(field, &mut next) };
        fields.push((field.name.clone(), values[0]));
        wanted.extend(expected(field, &values, &columns));
    }
    let fields: Vec<(&str, i128)> =
        fields.iter().map(|(name, value)| (name.as_str(), *value)).collect();
    let engine = engine_of(&Bundle::new().record(&fields, b"type", b"a name", b"payload").finish());
    for (column, value) in wanted {
        assert_eq!(
            cell(&engine, &format!("SELECT {column} FROM records")),
            value,
            "records.{column}"
        );
    }
    let lengths = cell(
        &engine,
        "SELECT record_length, payload_length, content_type, name, byte_offset, record_index FROM records",
    );
    assert_eq!(lengths, "121,7,type,a name,24,0");
    // Dispatch events take their device, queue and stream from the chunk header, and all families their session.
    let chunk = Chunk { session: 11, stream: 12, device: 13, queue: 14, ..Chunk::default() };
    let bytes = Bundle::new()
        .chunk("dispatch-events", chunk, &[record("dispatch_event", &[], &[])])
        .finish();
    let lent = cell(
        &engine_of(&bytes),
        "SELECT session_id, stream_id, physical_device_ordinal, queue_ordinal, record_index, byte_offset FROM dispatch_events",
    );
    assert_eq!(lent, "11,12,13,14,0,180");
}

/// Checks the names of all enumeration values and flags.
fn names() {
    for (suffix, name, field, values) in [
        ("command-operations", "command_operation_record", "type", "command_operation_type"),
        ("queue-events", "queue_event", "type", "queue_event_type"),
        ("queue-events", "queue_event", "dependency_strategy", "queue_dependency_strategy"),
        ("queue-device-events", "queue_device_event", "type", "queue_event_type"),
        ("host-execution-events", "host_execution_event", "type", "queue_event_type"),
        ("memory-events", "memory_event", "type", "memory_event_type"),
        ("event-relationships", "event_relationship_record", "type", "event_relationship_type"),
        ("event-relationships", "event_relationship_record", "source_type", "event_endpoint_type"),
        ("event-relationships", "event_relationship_record", "target_type", "event_endpoint_type"),
        ("counters", "counter_record", "unit", "counter_unit"),
        ("counter-samples", "counter_sample_record", "scope", "counter_sample_scope"),
        ("device-metric-sources", "device_metric_source_record", "device_class", "device_class"),
        ("device-metric-descriptors", "device_metric_descriptor_record", "unit", "metric_unit"),
        (
            "device-metric-descriptors",
            "device_metric_descriptor_record",
            "value_kind",
            "metric_value_kind",
        ),
        (
            "device-metric-descriptors",
            "device_metric_descriptor_record",
            "semantic",
            "metric_semantic",
        ),
        (
            "device-metric-descriptors",
            "device_metric_descriptor_record",
            "plot_hint",
            "metric_plot_hint",
        ),
        ("executable-traces", "executable_trace_record", "format", "executable_trace_format"),
    ] {
        let known = &LAYOUTS.enums[values];
        let mut bundle = Bundle::new();
        for (_, value) in known.iter().chain([&(String::new(), 4_000_000_000)]) {
            bundle = bundle.chunk(
                suffix,
                Chunk::default(),
                &[record(name, &[(field, (*value).into())], &[])],
            );
        }
        let query =
            format!("SELECT {field}, {field}_value FROM {} ORDER BY byte_offset", table_of(suffix));
        let mut wanted: Vec<Vec<String>> =
            known.iter().map(|(name, value)| vec![name.clone(), value.to_string()]).collect();
        wanted.push(vec!["unknown".into(), "4000000000".into()]);
        assert_eq!(rows(&engine_of(&bundle.finish()), &query), wanted, "{name}.{field}");
    }
    for (suffix, name, flags) in [
        ("devices", "device_record", "device_flag"),
        ("executables", "executable_record", "executable_flag"),
        ("executable-code-objects", "executable_code_object_record", "executable_code_object_flag"),
        ("executable-functions", "executable_function_record", "executable_function_flag"),
        ("command-operations", "command_operation_record", "command_operation_flag"),
        ("clock-correlations", "clock_correlation_record", "clock_correlation_flag"),
        ("dispatch-events", "dispatch_event", "dispatch_event_flag"),
        ("queue-events", "queue_event", "queue_event_flag"),
        ("host-execution-events", "host_execution_event", "host_execution_event_flag"),
        ("command-region-events", "command_region_event", "command_region_event_flag"),
        ("memory-events", "memory_event", "memory_event_flag"),
        ("counters", "counter_record", "counter_flag"),
        ("counter-samples", "counter_sample_record", "counter_sample_flag"),
        ("device-metric-samples", "device_metric_sample_record", "device_metric_sample_flag"),
        ("executable-traces", "executable_trace_record", "executable_trace_flag"),
    ] {
        for (bit, number) in &LAYOUTS.flags[flags] {
            let bytes = Bundle::new()
                .chunk(suffix, Chunk::default(), &[record(name, &[("flags", 1 << number)], &[])])
                .finish();
            let engine = engine_of(&bytes);
            let others: Vec<String> =
                LAYOUTS.flags[flags].iter().map(|(name, _)| format!("flag_{name}")).collect();
            let answer =
                cell(&engine, &format!("SELECT {} FROM {}", others.join(", "), table_of(suffix)));
            let wanted: Vec<String> =
                LAYOUTS.flags[flags].iter().map(|(name, _)| (name == bit).to_string()).collect();
            assert_eq!(answer, wanted.join(","), "{name} flag {bit}");
        }
    }
}

fn absent() {
    let ones: i128 = u32::MAX.into();
    for (suffix, name, fields, query) in [
        (
            "dispatch-events",
            "dispatch_event",
            vec![("command_index", ones), ("function_ordinal", ones)],
            "SELECT count(command_index), count(function_ordinal), count(command_buffer_id), count(executable_id), count(submission_id), count(physical_device_ordinal), count(queue_ordinal) FROM dispatch_events",
        ),
        (
            "queue-events",
            "queue_event",
            vec![("queue_ordinal", ones), ("physical_device_ordinal", ones)],
            "SELECT count(queue_ordinal), count(physical_device_ordinal), count(allocation_id), count(ready_host_time_ns) FROM queue_events",
        ),
        (
            "host-execution-events",
            "host_execution_event",
            vec![("status_code", ones)],
            "SELECT count(status_code), count(status) FROM host_execution_events",
        ),
        (
            "memory-events",
            "memory_event",
            vec![("result", ones)],
            "SELECT count(result), count(allocation_id) FROM memory_events",
        ),
        (
            "executables",
            "executable_record",
            vec![],
            "SELECT count(code_object_hash) FROM executables",
        ),
        ("devices", "device_record", vec![], "SELECT count(physical_device_uuid) FROM devices"),
        (
            "command-operations",
            "command_operation_record",
            vec![
                ("block_ordinal", ones),
                ("block_command_ordinal", ones),
                ("target_block_ordinal", ones),
                ("alternate_block_ordinal", ones),
                ("source_ordinal", ones),
                ("target_ordinal", ones),
            ],
            "SELECT count(block_ordinal), count(block_command_ordinal), count(target_block_ordinal), count(alternate_block_ordinal), count(source_ordinal), count(target_ordinal) FROM command_operations",
        ),
    ] {
        let bytes =
            Bundle::new().chunk(suffix, Chunk::default(), &[record(name, &fields, &[])]).finish();
        let engine = engine_of(&bytes);
        assert_eq!(cell(&engine, &format!("SELECT count(*) FROM {}", table_of(suffix))), "1");
        let counts = cell(&engine, query);
        assert!(counts.split(',').all(|count| count == "0"), "{query}: {counts}");
    }
}

fn trailing() {
    let engine = engine_of(&crate::support::built::named("gpu"));
    for (query, wanted) in [
        ("SELECT name FROM executable_functions WHERE function_ordinal = 1", "softmax"),
        (
            "SELECT encode(data, 'hex') FROM executable_code_objects",
            "7f454c4620636f6465206f626a656374",
        ),
        ("SELECT encode(data, 'base64') FROM executable_traces", "cmF3IHRyYWNlIGJ5dGVz"),
        ("SELECT name FROM counter_sets", "waves"),
        (
            "SELECT block_name, name, description FROM counters WHERE counter_ordinal = 0",
            "SQ,busy,Busy cycles",
        ),
        ("SELECT name FROM device_metric_sources", "smi"),
        (
            "SELECT name, description FROM device_metric_descriptors WHERE metric_id = 3",
            "temperature.edge,",
        ),
        (
            "SELECT physical_device_uuid FROM devices WHERE physical_device_ordinal = 1",
            "ab000000-0000-0000-0000-000000000001",
        ),
        ("SELECT code_object_hash FROM executables", "00000000000000110000000000000022"),
    ] {
        assert_eq!(cell(&engine, query), wanted, "{query}");
    }
    let name = b"caf\xe9 \xff";
    let function =
        record("executable_function_record", &[("name_length", name.len() as i128)], name);
    let bytes = Bundle::new().chunk("executable-exports", Chunk::default(), &[function]).finish();
    assert_eq!(
        cell(&engine_of(&bytes), "SELECT name FROM executable_functions"),
        "caf\u{10ffe9} \u{10ffff}"
    );
}

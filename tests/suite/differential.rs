//! Compares results with other tools on the same bundles: counts, sums and times with `iree-profile`, and the files
//! that `ireescope sql` writes with `DuckDB` and pyarrow.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use ireescope::engine::Engine;
use libtest_mimic::Trial;
use serde_json::Value;
use tempfile::NamedTempFile;

use crate::support::ask::{captures, cell, engine, engine_of, file, root, rows};
use crate::support::built;
use crate::support::random_bundle;
use crate::trial;

/// Incomplete captures, which `iree-profile` rejects. Their complete records are compared.
const REFUSED: &[&str] = &["killed"];

const BUILT: &[&str] = &["gpu", "no_clock", "empty", "lossy", "two_sessions"];

/// Returns a trial for each bundle and check.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in captures() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        trials.extend(of_bundle(&name, move || std::fs::read(&path).unwrap()));
    }
    for name in BUILT {
        trials.extend(of_bundle(name, || built::named(name)));
    }
    trials
        .push(trial("differential::duckdb_and_pyarrow_read_what_sql_writes".into(), other_readers));
    trials.push(trial("differential::memory_and_busy_times_are_those_of_the_events".into(), views));
    trials.push(trial("differential::queries_are_answered_as_by_duckdb".into(), queries));
    trials
}

/// A check that compares results for a bundle with those of `iree-profile`.
type Check = fn(&Path, &Engine);

fn of_bundle(name: &str, bytes: impl Fn() -> Vec<u8> + Clone + Send + 'static) -> Vec<Trial> {
    if REFUSED.contains(&name) {
        let test = {
            let bytes = bytes.clone();
            move || {
                assert!(
                    reference(&["cat", "--format=jsonl"], file(&bytes()).path()).is_none(),
                    "the reference refuses it"
                );
            }
        };
        let refused = trial(format!("differential::{name}::the_reference_refuses_it"), test);
        let whole = move || whole_records(bytes());
        return questions(name, whole).into_iter().chain([refused]).collect();
    }
    questions(name, bytes)
}

/// Truncates a capture to its complete records, and sets the file length as for a finished capture.
pub fn whole_records(mut bytes: Vec<u8>) -> Vec<u8> {
    let end: usize = cell(&engine_of(&bytes), "SELECT bundle_bytes FROM bundles").parse().unwrap();
    bytes.truncate(end);
    bytes[16..24].copy_from_slice(&(end as u64).to_le_bytes());
    bytes
}

/// Creates a file of the complete records of a capture, because the tools reject truncated files.
pub fn whole_capture(path: &Path) -> NamedTempFile {
    file(&whole_records(std::fs::read(path).unwrap()))
}

fn questions(name: &str, bytes: impl Fn() -> Vec<u8> + Clone + Send + 'static) -> Vec<Trial> {
    let questions: [(&str, Check); 4] =
        [("summary", summary), ("cat", cat), ("dispatch", dispatch), ("export", export)];
    let trials = questions.into_iter().map(|(question, check)| {
        let bytes = bytes.clone();
        trial(format!("differential::{name}::{question}"), move || {
            let file = file(&bytes());
            check(file.path(), &engine(file.path()));
        })
    });
    trials.collect()
}

/// The folder of the native IREE tools.
pub static TOOLS: LazyLock<PathBuf> = LazyLock::new(|| folder_of_tools("--print-native"));

/// The folder of the entry points of the IREE tools and of Python.
pub static BIN: LazyLock<PathBuf> = LazyLock::new(|| folder_of_tools("--print-bin"));

/// Returns the folder that `tests/tools/setup` prints, after it has installed what is missing.
pub fn folder_of_tools(flag: &str) -> PathBuf {
    let output = Command::new(root().join("tests/tools/setup")).arg(flag).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().trim().into()
}

/// Returns the rows that `iree-profile` prints; `None` if it rejects the bundle.
fn reference(arguments: &[&str], path: &Path) -> Option<Vec<Value>> {
    let output =
        Command::new(TOOLS.join("iree-profile")).args(arguments).arg(path).output().unwrap();
    output.status.success().then(|| {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.lines()
            .map(|line| {
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{line}: {error}"))
            })
            .collect()
    })
}

fn asked(arguments: &[&str], path: &Path) -> Vec<Value> {
    reference(arguments, path)
        .unwrap_or_else(|| panic!("iree-profile {arguments:?} {} answers", path.display()))
}

/// Keys of the summary row, and the equivalent SQL.
const SUMMARY: &[(&str, &str)] = &[
    ("file_records", "SELECT count(*) FROM records"),
    ("session_begin_records", "SELECT count(*) FROM records WHERE record_type = 'session_begin'"),
    ("chunk_records", "SELECT count(*) FROM records WHERE record_type = 'chunk'"),
    ("session_end_records", "SELECT count(*) FROM records WHERE record_type = 'session_end'"),
    (
        "non_ok_session_end_records",
        "SELECT count(*) FROM records WHERE record_type = 'session_end' AND session_status_code <> 0",
    ),
    ("unknown_records", "SELECT sum(unknown_record_count) FROM bundles"),
    (
        "executable_code_object_data_bytes",
        "SELECT coalesce(sum(data_length), 0) FROM executable_code_objects",
    ),
    ("executable_trace_data_bytes", "SELECT coalesce(sum(data_length), 0) FROM executable_traces"),
    (
        "total_host_execution_duration_ns",
        "SELECT coalesce(sum(end_host_time_ns - start_host_time_ns), 0) FROM host_execution_events WHERE start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns",
    ),
    (
        "total_command_region_duration_ns",
        "SELECT coalesce(sum(end_host_time_ns - start_host_time_ns), 0) FROM command_region_events WHERE start_host_time_ns >= 0 AND end_host_time_ns >= start_host_time_ns",
    ),
    ("device_metric_values", "SELECT count(*) FROM device_metric_values"),
    ("unknown_chunks", "SELECT sum(unknown_chunk_count) FROM bundles"),
    ("truncated_chunks", "SELECT sum(truncated_chunk_count) FROM bundles"),
    ("dropped_records", "SELECT sum(dropped_record_count) FROM bundles"),
];

fn summary(path: &Path, engine: &Engine) {
    let rows_of_reference = asked(&["summary", "--format=jsonl"], path);
    let totals = rows_of_reference[0].as_object().unwrap();
    for (key, query) in SUMMARY {
        assert_eq!(cell(engine, query), totals[*key].to_string(), "{key}");
    }
    let mut compared = 0;
    for table in
        schemas::all().iter().filter(|table| matches!(table.source, schemas::Source::Family(_)))
    {
        let family = table.name.strip_suffix('s').unwrap();
        let chunks = format!("SELECT count(*) FROM records WHERE family = '{}'", table.name);
        assert_eq!(
            cell(engine, &chunks),
            totals[&format!("{family}_chunks")].to_string(),
            "chunks of {family}"
        );
        // Devices, queues, clocks and dispatches are counted per device and compared below.
        if let Some(count) = totals.get(&format!("{family}_records")) {
            assert_eq!(
                cell(engine, &format!("SELECT count(*) FROM {}", table.name)),
                count.to_string(),
                "{family}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 19, "families that the summary counts");
    for device in &rows_of_reference[1..] {
        summary_of_device(device, engine);
    }
}

fn summary_of_device(device: &Value, engine: &Engine) {
    let ordinal = &device["physical_device_ordinal"];
    let on = |table: &str, what: &str| {
        cell(
            engine,
            &format!("SELECT {what} FROM {table} WHERE physical_device_ordinal = {ordinal}"),
        )
    };
    let valid = "FILTER (WHERE is_valid)";
    for (key, table, what) in [
        ("device_records", "devices", "count(*)".to_owned()),
        ("queue_records", "queues", "count(*)".to_owned()),
        ("clock_samples", "clock_correlations", "count(*)".to_owned()),
        (
            "invalid_clock_alignment_samples",
            "clock_correlations",
            "count(*) FILTER (WHERE flag_device_tick_unaligned)".to_owned(),
        ),
        ("dispatches", "dispatches WHERE timing_source = 'device'", "count(*)".to_owned()),
        (
            "valid_dispatches",
            "dispatches WHERE timing_source = 'device'",
            format!("count(*) {valid}"),
        ),
        (
            "min_dispatch_ticks",
            "dispatches WHERE timing_source = 'device'",
            "coalesce(min(duration_ticks), 0)".to_owned(),
        ),
        (
            "max_dispatch_ticks",
            "dispatches WHERE timing_source = 'device'",
            "coalesce(max(duration_ticks), 0)".to_owned(),
        ),
        (
            "total_dispatch_ticks",
            "dispatches WHERE timing_source = 'device'",
            "coalesce(sum(duration_ticks), 0)".to_owned(),
        ),
        (
            "earliest_dispatch_start_tick",
            "dispatches WHERE timing_source = 'device'",
            format!("coalesce(min(start_tick) {valid}, 0)"),
        ),
        (
            "latest_dispatch_end_tick",
            "dispatches WHERE timing_source = 'device'",
            format!("coalesce(max(end_tick) {valid}, 0)"),
        ),
        (
            "min_dispatch_ns",
            "dispatches WHERE timing_source = 'device'",
            "coalesce(min(duration_ns), 0)".to_owned(),
        ),
        (
            "max_dispatch_ns",
            "dispatches WHERE timing_source = 'device'",
            "coalesce(max(duration_ns), 0)".to_owned(),
        ),
        ("device_metric_samples", "device_metric_samples", "count(*)".to_owned()),
        ("device_metric_values", "device_metric_values", "count(*)".to_owned()),
    ] {
        let table = table.replace(" WHERE ", ") AS t WHERE ");
        let answer = match table.split_once(") AS t WHERE ") {
            Some((table, condition)) => {
                on(&format!("(SELECT * FROM {table} WHERE {condition})"), &what)
            }
            None => on(&table, &what),
        };
        assert_eq!(answer, device[key].to_string(), "{key} of device {ordinal}");
    }
    let fit = rows(
        engine,
        &format!(
            "SELECT available, ns_per_tick, tick_frequency_hz FROM clock_fits WHERE physical_device_ordinal = {ordinal} \
             AND time_domain = 'driver_host_cpu_timestamp_ns'"
        ),
    );
    let available = fit.first().is_some_and(|fit| fit[0] == "true");
    assert_eq!(available.to_string(), device["clock_fit_available"].to_string());
    if available {
        for (cell, key) in [(1, "ns_per_tick"), (2, "tick_frequency_hz")] {
            let (ours, theirs): (f64, f64) =
                (fit[0][cell].parse().unwrap(), device[key].as_f64().unwrap());
            // `iree-profile` prints nine digits after the decimal point of one, and three of the other.
            assert!(
                (ours - theirs).abs() <= 0.5e-3_f64.max(theirs * 1e-9),
                "{key}: {ours} and {theirs}"
            );
        }
    }
}

fn cat(path: &Path, engine: &Engine) {
    let theirs = asked(&["cat", "--format=jsonl"], path);
    assert_eq!(
        theirs[0]["version_minor"].to_string(),
        cell(engine, "SELECT version_minor FROM bundles")
    );
    let columns = [
        "record_index",
        "record_type",
        "record_type_value",
        "record_length",
        "payload_length",
        "content_type",
        "name",
        "session_id",
        "stream_id",
        "event_id",
        "executable_id",
        "command_buffer_id",
        "physical_device_ordinal",
        "queue_ordinal",
        "chunk_flags",
        "session_status_code",
        "session_status",
    ];
    let keys = [&["index"], &columns[1..]].concat();
    let ours =
        rows(engine, &format!("SELECT {} FROM records ORDER BY record_index", columns.join(", ")));
    assert_eq!(ours.len(), theirs.len() - 1);
    for (ours, theirs) in ours.iter().zip(&theirs[1..]) {
        for (ours, key) in ours.iter().zip(&keys) {
            let theirs = &theirs[*key];
            let text = theirs.as_str().map_or_else(|| theirs.to_string(), str::to_owned);
            // NULL stands for the raw value that means absent.
            let raw = match (ours.as_str(), *key) {
                ("", "executable_id" | "command_buffer_id") => "0",
                ("", "physical_device_ordinal" | "queue_ordinal") => "4294967295",
                (cell, _) => cell,
            };
            assert_eq!(raw, text, "{key} of {theirs}");
        }
    }
}

fn dispatch(path: &Path, engine: &Engine) {
    let groups = asked(&["dispatch", "--format=jsonl"], path);
    let mut compared = 0;
    for group in groups.iter().filter(|row| row["type"] == "dispatch_group") {
        let number = |key: &str| group[key].to_string();
        let query = format!(
            "SELECT count(*), count(*) FILTER (WHERE is_valid), coalesce(min(duration_ticks), 0), \
             coalesce(max(duration_ticks), 0), coalesce(sum(duration_ticks), 0), coalesce(sum(duration_ns), 0), min(key) \
             FROM dispatches WHERE timing_source = 'device' AND physical_device_ordinal = {} AND executable_id = {} \
             AND function_ordinal = {}",
            number("physical_device_ordinal"),
            number("executable_id"),
            number("function_ordinal")
        );
        let ours = rows(engine, &query).remove(0);
        let keys = ["count", "valid", "min_ticks", "max_ticks", "total_ticks"];
        for (ours, key) in ours.iter().zip(keys) {
            assert_eq!(*ours, number(key), "{key} of {group}");
        }
        if group["time_ns_available"] == true {
            // `iree-profile` converts the total of a group; the sum of converted durations may differ by half a
            // nanosecond per dispatch.
            let (sum, total): (i64, i64) =
                (ours[5].parse().unwrap(), group["total_ns"].as_i64().unwrap());
            let slack = group["count"].as_i64().unwrap().midpoint(1);
            assert!((sum - total).abs() <= slack, "total_ns {sum} of {group}");
        }
        // `iree-profile` prefixes the key of a function without a name with the device.
        let key = group["key"].as_str().unwrap();
        assert!(
            key == ours[6] || key.split_once('/').is_some_and(|(_, key)| key == ours[6]),
            "{key} and {}",
            ours[6]
        );
        compared += 1;
    }
    let expected = "SELECT count(*) FROM (SELECT DISTINCT session_id, physical_device_ordinal, executable_id, function_ordinal \
                    FROM dispatches WHERE timing_source = 'device')";
    assert_eq!(compared.to_string(), cell(engine, expected), "groups");
}

/// Row types of `iree-profile export`, the table of each, and fields with a column of the same name.
const EXPORTED: &[(&str, &str, &[&str])] = &[
    (
        "queue_event",
        "queue_events",
        &[
            "event_id",
            "submission_id",
            "host_time_ns",
            "wait_count",
            "operation_count",
            "payload_length",
        ],
    ),
    (
        "host_execution_event",
        "host_execution_events",
        &[
            "event_id",
            "submission_id",
            "start_host_time_ns",
            "end_host_time_ns",
            "tile_count",
            "tile_duration_sum_ns",
        ],
    ),
    (
        "memory_event",
        "memory_events",
        &["event_id", "host_time_ns", "length", "pool_id", "memory_type", "buffer_usage"],
    ),
    (
        "queue_device_event",
        "queue_device_events",
        &["event_id", "submission_id", "start_tick", "end_tick", "payload_length"],
    ),
    ("dispatch_event", "dispatch_events", &["event_id", "submission_id", "start_tick", "end_tick"]),
    (
        "command_region_event",
        "command_region_events",
        &["event_id", "submission_id", "start_host_time_ns", "end_host_time_ns"],
    ),
    ("event_relationship", "event_relationships", &["relationship_id", "source_id", "target_id"]),
    ("counter_sample", "counter_samples", &["sample_id", "counter_set_id"]),
];

fn export(path: &Path, engine: &Engine) {
    let all = asked(&["export", "--format=ireeperf-jsonl"], path);
    for (row_type, table, fields) in EXPORTED {
        let theirs: Vec<&Value> =
            all.iter().filter(|row| row["record_type"] == *row_type).collect();
        if theirs.is_empty() {
            let count = cell(engine, &format!("SELECT count(*) FROM {table}"));
            assert_eq!(count, "0", "{row_type} rows of the export");
            continue;
        }
        let known: Vec<&str> =
            fields.iter().copied().filter(|field| theirs[0].get(*field).is_some()).collect();
        assert!(known.len() >= 2, "{row_type} carries {fields:?}: {}", theirs[0]);
        let ours =
            rows(engine, &format!("SELECT {} FROM {table} ORDER BY byte_offset", known.join(", ")));
        assert_eq!(ours.len(), theirs.len(), "{row_type}");
        for (ours, theirs) in ours.iter().zip(&theirs) {
            for (ours, field) in ours.iter().zip(&known) {
                let raw = if ours.is_empty() { "0" } else { ours };
                assert_eq!(raw, theirs[*field].to_string(), "{field} of {theirs}");
            }
        }
    }
}

/// Runs generated queries in `DuckDB` and in `ireescope sql`. No answer differs but for the reasons in docs/sql.md.
fn queries() {
    let compared = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools/compare_sql.py"))
        .arg(env!("CARGO_BIN_EXE_ireescope"))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&compared.stdout).into_owned()
        + &String::from_utf8_lossy(&compared.stderr);
    let count = |after: &str| {
        let line = said.lines().find(|line| line.contains(after));
        let number = line.and_then(|line| line.split(' ').next()?.parse::<u32>().ok());
        number.unwrap_or_else(|| panic!("no count of {after}: {said}"))
    };
    assert_eq!(count(" answers differ"), 0, "{said}");
    assert!(count(" same, ") >= 1_000, "{said}");
}

/// Built bundles whose memory and busy times are computed again. Those of the others are the same, or cannot be summed.
const COMPUTED: &[&str] =
    &["gpu", "two_clocks", "transfers", "memory_results", "memory_pools", "memory_random", "ranks"];

/// Runs `tests/tools/check_views.py`, which computes memory and busy times again from the raw tables, with `DuckDB`.
fn views() {
    let built = COMPUTED.iter().map(|name| file(&built::named(name)));
    let random = (0..8).map(|seed| file(&random_bundle::bundle(seed)));
    let files: Vec<NamedTempFile> =
        captures().iter().map(|path| whole_capture(path)).chain(built).chain(random).collect();
    let checked = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools/check_views.py"))
        .arg(env!("CARGO_BIN_EXE_ireescope"))
        .args(files.iter().map(NamedTempFile::path))
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stdout).into_owned()
        + &String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{said}");
    let agreed = said.lines().filter(|line| line.ends_with(" agree")).count();
    assert_eq!(agreed, files.len(), "{said}");
}

/// Writes Parquet, Arrow and CSV files, and runs `tests/tools/check_files.py`, which reads them with pyarrow and
/// `DuckDB`.
fn other_readers() {
    let folder = tempfile::tempdir().unwrap();
    let gpu = file(&built::named("gpu"));
    for (bundle, path) in [
        ("gpu", gpu.path()),
        ("mlp-vulkan", &root().join("tests/data/mlp-vulkan.ireeprof")),
        ("mlp-local-task", &root().join("tests/data/mlp-local-task.ireeprof")),
    ] {
        for relation in [
            "dispatches",
            "top_functions",
            "dispatch_events",
            "host_execution_events",
            "executable_code_objects",
        ] {
            for extension in ["parquet", "arrow", "csv"] {
                let output = folder.path().join(format!("{bundle}.{relation}.{extension}"));
                let status = Command::new(env!("CARGO_BIN_EXE_ireescope"))
                    .args(["sql", "-c", &format!("SELECT * FROM {relation}"), "-o"])
                    .arg(&output)
                    .arg(format!("{bundle}={}", path.display()))
                    .status()
                    .unwrap();
                assert!(status.success(), "{relation} of {bundle} as {extension}");
            }
        }
    }
    let checked = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools/check_files.py"))
        .arg(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stdout).into_owned()
        + &String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{said}");
    assert!(said.contains("15 relations agree"), "{said}");
}

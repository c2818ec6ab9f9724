//! Tests reading the streams of `export --format=ireeperf-jsonl`: they give the same tables and the same stream again.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use schemas::ireeperf::RECORD_TYPES;
use tempfile::NamedTempFile;

use super::export::{diagnosed, export, measured};
use super::profile::{first_difference, ours};
use crate::Test;
use crate::support::ask::{captures, csv, engine, file, open, root};
use crate::support::{built, random_bundle};

pub const TESTS: &[Test] = &[
    ("captures_have_the_same_tables", of_captures),
    ("built_bundles_have_the_same_tables", of_built),
    ("random_bundles_have_the_same_tables", of_random),
    ("what_the_stream_does_not_say_is_null", unsaid),
    ("streams_are_read_compressed_and_from_standard_input", other_inputs),
    ("commands_take_a_stream_for_a_bundle", commands),
    ("an_unfinished_capture_stays_unfinished", unfinished),
    ("newer_keys_and_record_types_are_passed_over", newer),
    ("a_bad_line_is_named", bad_lines),
];

const SEEDS: u64 = 48;

/// Creates a file of a stream.
fn stream_file(stream: &[u8], suffix: &str) -> NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(suffix).tempfile().unwrap();
    file.write_all(stream).unwrap();
    file
}

/// Exports the stream of a bundle; `None` if the export is rejected.
fn stream(path: &Path) -> Option<Vec<u8>> {
    let output = export(&ours(), path);
    output.status.success().then_some(output.stdout)
}

/// Returns a select list of the columns of a table that the stream preserves.
fn carried(table: &str, with_session: bool) -> String {
    let columns = schemas::find(table).unwrap().columns();
    let names = columns.iter().map(|column| column.name.as_str());
    let kept = names.filter(|name| match *name {
        // The stream lacks file offsets and trace bytes, and has names of strategies instead of numbers.
        "byte_offset" | "data" | "dependency_strategy_value" => false,
        // Rows take their session from the preceding session row.
        "session_id" => with_session,
        // Operations have names of types instead of numbers, too.
        "type" | "type_value" => table != "command_operations",
        _ => true,
    });
    let mut list: Vec<String> = kept
        .map(|name| match name {
            "dependency_strategy" => "coalesce(dependency_strategy, 'unknown') AS strategy".into(),
            name => format!("\"{name}\""),
        })
        .collect();
    if table == "command_operations" {
        list.push("coalesce(nullif(type, 'none'), 'unknown') AS type".into());
    }
    list.join(", ")
}

/// Checks that the stream of a bundle has the same tables and the same stream. Returns false if there is no stream.
fn compare(path: &Path, name: &str, with_session: bool) -> bool {
    let Some(first) = stream(path) else { return false };
    let back = stream_file(&first, ".ireeperf.jsonl");
    let again = stream(back.path()).unwrap_or_else(|| panic!("{name}: the stream is read"));
    assert!(first == again, "{name}: {}", first_difference(&first, &again));
    let (bundle, back) = (engine(path), engine(back.path()));
    for kind in RECORD_TYPES {
        let columns = carried(kind.table, with_session);
        let query = format!("SELECT {columns} FROM {} ORDER BY byte_offset", kind.table);
        let (expected, found) = (csv(&bundle, &query).unwrap(), csv(&back, &query).unwrap());
        assert!(
            expected == found,
            "{name}, {}: {}",
            kind.table,
            first_difference(expected.as_bytes(), found.as_bytes())
        );
    }
    let query = "SELECT record_index, record_type, session_status_code FROM records WHERE record_type_value IN (1, 3)";
    assert_eq!(csv(&bundle, query).unwrap(), csv(&back, query).unwrap(), "{name}");
    true
}

fn of_captures() {
    for path in captures() {
        assert!(compare(&path, &path.display().to_string(), true));
    }
}

fn of_built() {
    let mut read = 0;
    for name in built::ALL {
        let with_session = matches!(*name, "gpu" | "two_sessions");
        read += usize::from(compare(file(&built::named(name)).path(), name, with_session));
    }
    assert!(read > 20, "{read} built bundles have a stream");
    assert!(compare(file(&diagnosed()).path(), "diagnosed", false));
    assert!(compare(file(&measured()).path(), "measured", true));
}

fn of_random() {
    let read = (0..SEEDS)
        .filter(|seed| {
            compare(file(&random_bundle::bundle(*seed)).path(), &format!("seed {seed}"), false)
        })
        .count();
    assert!(read > 5, "{read} random bundles have a stream");
}

fn unsaid() {
    let gpu = file(&built::named("gpu"));
    let back = engine(stream_file(&stream(gpu.path()).unwrap(), ".jsonl").path());
    for (query, answer) in [
        (
            "SELECT length(data) AS bytes, data_length > 0 AS said FROM executable_traces",
            "bytes,said\n0,true\n",
        ),
        ("SELECT count(*) AS n FROM executable_code_objects", "n\n0\n"),
        ("SELECT name FROM sessions", "name\n\"\"\n"),
        ("SELECT count(*) AS n FROM records WHERE name <> ''", "n\n0\n"),
        ("SELECT kind FROM problems", "kind\n"),
    ] {
        assert_eq!(csv(&back, query).unwrap(), answer, "{query}");
    }
    let text = b"{\"record_type\":\"schema\",\"format\":\"ireeperf-jsonl\"}\n{\"record_type\":\"queue_event\",\"source_record_index\":2}\n";
    let back = engine(stream_file(text, ".jsonl").path());
    let query = "SELECT record_index, physical_device_ordinal, queue_ordinal, submission_id, ready_host_time_ns FROM queue_events";
    let answer = "record_index,physical_device_ordinal,queue_ordinal,submission_id,ready_host_time_ns\n2,,,,\n";
    assert_eq!(csv(&back, query).unwrap(), answer);
}

fn other_inputs() {
    let capture = root().join("tests/data/mlp-vulkan.ireeprof");
    let first = stream(&capture).unwrap();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(&first).unwrap();
    let packed = encoder.finish().unwrap();
    assert!(stream(stream_file(&packed, ".ireeperf.jsonl.gz").path()).unwrap() == first);
    for input in [&first, &packed, &std::fs::read(&capture).unwrap()] {
        let mut child = Command::new(ours())
            .args(["export", "-"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (mut stdin, input) = (child.stdin.take().unwrap(), input.clone());
        let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        assert!(output.status.success() && output.stdout == first);
    }
}

fn commands() {
    let capture = root().join("tests/data/mlp-local-task.ireeprof");
    let back = stream_file(&stream(&capture).unwrap(), ".ireeperf.jsonl");
    for command in ["dispatch", "explain", "queue", "memory", "command", "statistics"] {
        let run = |path: &Path| {
            let output =
                Command::new(ours()).args([command, "--format=jsonl"]).arg(path).output().unwrap();
            assert!(
                output.status.success(),
                "{command}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            output.stdout
        };
        let (expected, found) = (run(&capture), run(back.path()));
        assert!(expected == found, "{command}: {}", first_difference(&expected, &found));
    }
}

fn unfinished() {
    let capture = root().join("tests/data/killed.ireeprof");
    assert!(compare(&capture, "killed", true));
    let first = stream(&capture).unwrap();
    let text = String::from_utf8(first.clone()).unwrap();
    let second = text.lines().nth(1).unwrap();
    assert!(second.contains("\"category\":\"unfinished_capture\""), "{second}");
    let back = stream_file(&first, ".ireeperf.jsonl");
    let run = |words: &[&str], path: &Path| {
        let output = Command::new(ours()).args(words).arg(path).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    assert_eq!(run(&["doctor"], back.path()).0, Some(1));
    assert_eq!(run(&["--strict", "doctor"], back.path()).0, Some(3));
    let answered = "SELECT question, answerable FROM gaps ORDER BY question";
    let [of_bundle, of_stream] = [capture.as_path(), back.path()]
        .map(|path| run(&["sql", "--format=csv", "-c", answered], path));
    assert_eq!(of_bundle, of_stream);
    assert!(of_stream.0 == Some(0) && !of_stream.1.contains(",yes"), "{}", of_stream.1);
    // Readers that do not know the row pass over it.
    let others: String =
        text.lines().filter(|line| *line != second).map(|line| line.to_owned() + "\n").collect();
    assert_eq!(run(&["doctor"], stream_file(others.as_bytes(), ".jsonl").path()).0, Some(0));
}

const HEAD: &str = "{\"schema_version\":99,\"record_type\":\"schema\",\"format\":\"ireeperf-jsonl\",\"source_version_minor\":9}\n";

fn newer() {
    let text = format!(
        "{HEAD}{{\"record_type\":\"dream\",\"source_record_index\":0,\"of\":[{{}}]}}\n\n\
         {{\"later\":{{\"a\":[1]}},\"record_type\":\"queue\",\"source_record_index\":1,\"stream_id\":7}}\r\n"
    );
    let back = engine(stream_file(text.as_bytes(), ".jsonl").path());
    assert_eq!(
        csv(&back, "SELECT record_index, stream_id FROM queues").unwrap(),
        "record_index,stream_id\n1,7\n"
    );
    assert_eq!(csv(&back, "SELECT version_minor FROM bundles").unwrap(), "version_minor\n9\n");
}

fn bad_lines() {
    let at = HEAD.len();
    for (line, said) in [
        ("{\"record_type\":", "it is not a JSON object"),
        ("[1]", "it is not a JSON object"),
        ("{\"source_record_index\":0}", "it has no record_type"),
        ("{\"record_type\":\"queue\"}", "it has no source_record_index"),
        (
            "{\"record_type\":\"queue\",\"source_record_index\":0,\"stream_id\":\"x\"}",
            "stream_id has the invalid value \"x\"",
        ),
        (
            "{\"record_type\":\"queue\",\"source_record_index\":0,\"queue_ordinal\":4294967296}",
            "queue_ordinal has the invalid value 4294967296",
        ),
        (
            "{\"record_type\":\"queue\",\"source_record_index\":1e3}",
            "it has no source_record_index",
        ),
        ("{\"record_type\":\"queue\",\"source_record_index\":99999999999}", "records are missing"),
        (
            "{\"record_type\":\"executable\",\"source_record_index\":0,\"code_object_hash\":\"xyz\"}",
            "code_object_hash has the invalid value",
        ),
        (HEAD.trim_end(), "another stream begins here"),
    ] {
        let back = stream_file(format!("{HEAD}{line}\n").as_bytes(), ".jsonl");
        let error = open(back.path(), "b").unwrap_err().to_string();
        assert!(
            error.contains(&format!("line 2 (at byte {at}): ")) && error.contains(said),
            "{line}: {error}"
        );
    }
    let error = open(stream_file(b"{}", ".jsonl").path(), "b").unwrap_err().to_string();
    assert!(error.contains("line 1 (at byte 0): it is not the `schema` row"), "{error}");
}

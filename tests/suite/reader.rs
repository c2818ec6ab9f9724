//! Tests the reader: which files it accepts, salvages and rejects.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use ireescope::bundle::{self, BundleSource};

use crate::Test;
use crate::support::ask::{captures, cell, csv, engine, engine_of, file, open, rows};
use crate::support::builder::{Bundle, Chunk, record};
use crate::support::built;

pub const TESTS: &[Test] = &[
    ("files_that_are_no_bundle_are_refused", refused),
    ("damage_is_an_error_with_its_offset", damaged),
    ("a_cut_file_is_read_up_to_its_last_whole_record", cut),
    ("bytes_after_the_logical_length_are_ignored", stale),
    ("longer_headers_and_records_are_read", longer),
    ("unknown_families_and_record_types_are_counted", unknown),
    ("both_names_of_the_function_family_are_read", both_names),
    ("sessions_of_one_file_are_kept_apart", sessions),
    ("compressed_bundles_answer_as_plain_ones", compressed),
    ("a_cut_gzip_stream_is_salvaged", cut_gzip),
    ("many_problems_do_not_hide_that_a_capture_is_cut", many_problems),
    ("a_session_that_begins_again_is_another", repeated_session),
    ("devices_share_a_session", nested_session),
    ("repeated_counters_are_one_counter", repeated_counters),
    ("pipes_and_devices_are_read_or_refused", pipes),
    ("bytes_after_a_gzip_stream_are_ignored", after_gzip),
    ("strict_refuses_what_is_not_whole", strict),
    ("bundles_keep_their_labels", labels),
    ("damage_inside_a_chunk_is_found_when_it_is_read", damaged_chunk),
];

fn refusal(bytes: &[u8]) -> String {
    open(file(bytes).path(), "b")
        .expect_err("it is refused")
        .to_string()
        .split(": ")
        .skip(1)
        .collect::<Vec<_>>()
        .join(": ")
}

fn error(bytes: &[u8]) -> String {
    let error = open(file(bytes).path(), "b").expect_err("it is refused").to_string();
    error.split_once(" is damaged: ").unwrap_or(("", &error)).1.to_owned()
}

fn refused() {
    assert_eq!(refusal(b""), "it is empty; the capture wrote nothing");
    assert_eq!(
        refusal(b"this is not a bundle, is it?"),
        "at byte 0 (0x0), magic: 0x73696874 is not the magic number of an IREE profile bundle (0x46505249, `IRPF`)"
    );
    for (major, age) in [(0, "older"), (2, "newer")] {
        let bytes =
            Bundle::with_header(&[("version_major", major), ("header_length", 24)]).finish();
        assert_eq!(
            refusal(&bytes),
            format!(
                "at byte 4 (0x4), version_major: format {major}.0 is {age} than format 1.x, which this version reads"
            )
        );
    }
    let later =
        Bundle::with_header(&[("version_major", 1), ("version_minor", 99), ("header_length", 24)])
            .finish();
    assert_eq!(cell(&engine_of(&later), "SELECT version_minor FROM bundles"), "99");
}

fn damaged() {
    let header = |fields: &[(&str, i128)]| {
        let all: Vec<_> =
            [("version_major", 1), ("header_length", 24)].iter().chain(fields).copied().collect();
        Bundle::with_header(&all).unfinished()
    };
    assert_eq!(
        error(b"IRPF\x01\0\x06\0"),
        "at byte 8 (0x8), header_length: needs 4 bytes, but only 0 remain"
    );
    assert_eq!(
        error(&header(&[("header_length", 23)])),
        "at byte 8 (0x8), header_length: 23 is not between 24 and the file size of 24 bytes"
    );
    assert_eq!(
        error(&header(&[("header_length", 25)])),
        "at byte 8 (0x8), header_length: 25 is not between 24 and the file size of 24 bytes"
    );
    assert_eq!(
        error(&header(&[("flags", 1)])),
        "at byte 12 (0xc), flags: 0x1 is not zero, as the format requires"
    );
    assert_eq!(
        error(&header(&[("file_length", 5)])),
        "at byte 16 (0x10), file_length: 5 is less than the offset of the first record, 24"
    );
    let one = |fields: &[(&str, i128)]| {
        Bundle::new().begin(1, "x").record(fields, b"type", b"name", b"payload").finish()
    };
    let at = 24 + 104 + 40 + 1;
    for (fields, wanted) in [
        (
            [("record_length", 120)],
            format!(
                "at byte {at} (0x{at:x}), record 1, record_length: 120 is not header_length 104 + content_type_length 4 + name_length 4 + payload_length 7"
            ),
        ),
        (
            [("header_length", 103)],
            format!(
                "at byte {0} (0x{0:x}), record 1, header_length: 103 is less than 104",
                at + 56
            ),
        ),
        (
            [("flags", 9)],
            format!(
                "at byte {0} (0x{0:x}), record 1, flags: 0x9 is not zero, as the format requires",
                at + 102
            ),
        ),
    ] {
        assert_eq!(error(&one(&fields)), wanted);
    }
    let over = one(&[("record_length", 219), ("payload_length", 107)]);
    assert_eq!(
        error(&over),
        format!(
            "at byte {at} (0x{at:x}), record 1, record_length: 219 exceeds the remaining 119 bytes"
        )
    );
    let huge = one(&[("payload_length", u64::MAX.into())]);
    assert!(
        error(&huge).contains("is not header_length 104"),
        "lengths are added without overflow"
    );
}

fn cut() {
    let whole = built::named("gpu");
    for keep in [24, 100, 2_000, whole.len() - 1] {
        let engine = engine_of(&whole[..keep]);
        let (finished, problems) = (
            cell(&engine, "SELECT finished FROM bundles"),
            cell(&engine, "SELECT count(*) FROM problems WHERE kind = 'unfinished'"),
        );
        assert_eq!((finished.as_str(), problems.as_str()), ("false", "1"), "{keep} bytes");
        let end: usize = cell(&engine, "SELECT bundle_bytes FROM bundles").parse().unwrap();
        assert!(end <= keep);
        let last =
            cell(&engine, "SELECT coalesce(max(byte_offset + record_length), 24) FROM records");
        assert_eq!(last, end.to_string(), "every whole record is read, and nothing else");
    }
    let mut zeros = built::named("empty");
    zeros[16..24].fill(0);
    zeros.extend([0; 500]);
    let kinds = rows(&engine_of(&zeros), "SELECT kind FROM problems ORDER BY kind");
    assert_eq!(kinds, [["cut_record"], ["unfinished"]], "a tail of zeros is no record");
}

fn stale() {
    let mut bytes = built::named("gpu");
    let count = cell(&engine_of(&bytes), "SELECT count(*) FROM records");
    bytes.extend(vec![0xee; 1000]);
    let engine = engine_of(&bytes);
    assert_eq!(cell(&engine, "SELECT count(*) FROM records"), count);
    assert_eq!(cell(&engine, "SELECT problem_count, finished FROM bundles"), "0,true");
}

fn longer() {
    let event = |id: i128, tail: &[u8]| {
        record("dispatch_event", &[("event_id", id), ("start_tick", 1), ("end_tick", 2 + id)], tail)
    };
    let named = |name: &[u8], tail: &[u8]| {
        record(
            "executable_function_record",
            &[("name_length", name.len() as i128)],
            &[name, tail].concat(),
        )
    };
    let header =
        Bundle::with_header(&[("version_major", 1), ("version_minor", 9), ("header_length", 40)])
            .raw(&[7; 16]);
    let bytes = header
        .record(
            &[
                ("record_type", 2),
                ("header_length", 112),
                ("record_length", 112 + 48 + 88 + 100 + 88 + 92),
            ],
            b"",
            b"",
            b"",
        )
        .raw(&[9; 8])
        .raw(b"application/vnd.iree.hal.profile.dispatch-events")
        .raw(&[event(1, b""), event(2, b"newer fields"), event(3, b""), event(4, b"4444")].concat())
        .chunk(
            "executable-functions",
            Chunk::default(),
            &[named(b"one", b"extra"), named(b"two", b"")],
        )
        .finish();
    // Corrects the lengths in the longer record header, which the builder computes for the standard one.
    let mut bytes = bytes;
    let (content_type, payload) = (40 + 60, 40 + 8);
    bytes[content_type..content_type + 4].copy_from_slice(&48_u32.to_le_bytes());
    bytes[payload..payload + 8].copy_from_slice(&368_u64.to_le_bytes());
    let engine = engine_of(&bytes);
    let ids = rows(&engine, "SELECT event_id, end_tick FROM dispatch_events ORDER BY byte_offset");
    assert_eq!(ids, [["1", "3"], ["2", "4"], ["3", "5"], ["4", "6"]]);
    assert_eq!(rows(&engine, "SELECT name FROM executable_functions"), [["one"], ["two"]]);
    assert_eq!(cell(&engine, "SELECT count(*) FROM dispatch_events"), "4");
}

fn unknown() {
    let engine = engine_of(&built::named("lossy"));
    let counts = "SELECT unknown_record_count, unknown_chunk_count, truncated_chunk_count, dropped_record_count FROM bundles";
    assert_eq!(cell(&engine, counts), "1,1,2,15");
    let kept = "SELECT count(*) FROM records WHERE record_type = 'unknown' OR content_type LIKE '%quantum%'";
    assert_eq!(cell(&engine, kept), "2");
    let kinds = rows(
        &engine,
        "SELECT kind, severity, count(*) FROM problems GROUP BY kind, severity ORDER BY kind",
    );
    assert_eq!(
        kinds,
        [
            ["failed_session", "warning", "1"],
            ["truncated_chunk", "warning", "2"],
            ["unknown_record", "info", "1"]
        ]
    );
    assert_eq!(cell(&engine, "SELECT status_code, status FROM sessions"), "14,UNAVAILABLE");
}

fn both_names() {
    let function = |name: &str| {
        record(
            "executable_function_record",
            &[("name_length", name.len() as i128)],
            name.as_bytes(),
        )
    };
    let bytes = Bundle::new()
        .chunk("executable-exports", Chunk::default(), &[function("old")])
        .chunk("executable-functions", Chunk::default(), &[function("new")])
        .finish();
    assert_eq!(
        rows(&engine_of(&bytes), "SELECT name FROM executable_functions ORDER BY byte_offset"),
        [["old"], ["new"]]
    );
}

fn sessions() {
    let engine = engine_of(&built::named("two_sessions"));
    let by_session = rows(
        &engine,
        "SELECT session_id, key, duration_ns, is_valid FROM dispatches ORDER BY byte_offset",
    );
    assert_eq!(
        by_session,
        [["1", "one", "10", "true"], ["2", "two", "30", "true"], ["2", "two", "", "false"]]
    );
    assert_eq!(
        rows(&engine, "SELECT session_id, name, ended FROM sessions"),
        [["1", "first", "true"], ["2", "second", "true"]]
    );
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn compressed() {
    for path in captures() {
        let bytes = std::fs::read(&path).unwrap();
        let packed = engine_of(&gzip(&bytes));
        for query in [
            "SELECT * FROM dispatches ORDER BY byte_offset",
            "SELECT * FROM records",
            "SELECT finished, bundle_bytes FROM bundles",
        ] {
            assert_eq!(
                csv(&packed, query).unwrap(),
                csv(&engine(&path), query).unwrap(),
                "{}: {query}",
                path.display()
            );
        }
        assert_eq!(cell(&packed, "SELECT compressed FROM bundles"), "true");
    }
    // Concatenated gzip members are one stream (RFC 1952, section 2.2).
    let bytes = built::named("gpu");
    let (front, back) = bytes.split_at(777);
    assert_eq!(
        cell(
            &engine_of(&[gzip(front), gzip(back)].concat()),
            "SELECT count(*) FROM dispatch_events"
        ),
        "8"
    );
}

fn cut_gzip() {
    let packed = gzip(&std::fs::read(&captures()[1]).unwrap());
    let engine = engine_of(&packed[..packed.len() / 2]);
    assert_eq!(
        rows(&engine, "SELECT kind FROM problems WHERE kind <> 'cut_record' ORDER BY kind"),
        [["cut_gzip"], ["unfinished"]]
    );
    let mut broken = packed;
    let middle = broken.len() / 2;
    broken[middle..middle + 40].fill(0xa5);
    let error = open(file(&broken).path(), "b").map(|bundle| bundle.salvage().is_some());
    assert!(
        error.is_err() || error.is_ok_and(|salvaged| salvaged),
        "a broken stream is never taken for a whole one"
    );
}

fn many_problems() {
    let mut bundle = Bundle::new().begin(1, "x");
    for _ in 0..10_001 {
        bundle = bundle.chunk("queues", Chunk { flags: 1, ..Chunk::default() }, &[]);
    }
    let bytes = bundle.unfinished();
    let engine = engine_of(&bytes);
    assert_eq!(cell(&engine, "SELECT finished, truncated_chunk_count FROM bundles"), "false,10001");
    assert_eq!(
        rows(&engine, "SELECT kind FROM problems WHERE kind <> 'truncated_chunk' ORDER BY kind"),
        [["more_problems"], ["unfinished"]]
    );
    let file = file(&bytes);
    let source = BundleSource::named("x".into(), file.path().into());
    assert!(
        bundle::open(
            &source,
            &bundle::OpenOptions { strict: true, ..bundle::OpenOptions::default() }
        )
        .is_err()
    );
}

fn repeated_session() {
    let bytes = Bundle::new().begin(1, "a").end(1, 0).begin(1, "b").end(1, 2).finish();
    let engine = engine_of(&bytes);
    let sessions =
        rows(&engine, "SELECT session_id, name, status_code, begin_record_index FROM sessions");
    assert_eq!(sessions, [["1", "a", "0", "0"], ["1", "b", "2", "2"]]);
    assert_eq!(
        cell(
            &engine,
            "SELECT count(*) FROM problems WHERE kind = 'repeated_session' AND record_index = 2"
        ),
        "1"
    );
}

/// Devices that are profiled together begin and end one session each.
fn nested_session() {
    let whole = Bundle::new().begin(1, "a").begin(1, "b").begin(1, "a").end(1, 0).end(1, 2);
    let sessions = |bytes: &[u8]| {
        let columns = "SELECT session_id, replace(name, ',', ' and'), ended, status_code, begin_record_index, end_record_index FROM sessions";
        rows(&engine_of(bytes), columns)
    };
    let problems = |bytes: &[u8]| rows(&engine_of(bytes), "SELECT kind FROM problems");
    let open = whole.clone().finish();
    assert_eq!(sessions(&open), [["1", "a and b", "false", "2", "0", ""]]);
    assert_eq!(problems(&open), [["failed_session"], ["open_session"]]);
    let ended = whole.end(1, 0).finish();
    assert_eq!(sessions(&ended), [["1", "a and b", "true", "2", "0", "5"]]);
    assert_eq!(problems(&ended), [["failed_session"]]);
}

fn repeated_counters() {
    let counter =
        record("counter_record", &[("counter_set_id", 1), ("sample_value_count", 1)], &[]);
    let sample = record(
        "counter_sample_record",
        &[("counter_set_id", 1), ("sample_value_count", 1)],
        &5_u64.to_le_bytes(),
    );
    let bytes = Bundle::new()
        .chunk("counters", Chunk::default(), std::slice::from_ref(&counter))
        .chunk("counters", Chunk::default(), &[counter])
        .chunk("counter-samples", Chunk::default(), &[sample])
        .finish();
    assert_eq!(
        cell(&engine_of(&bytes), "SELECT count(*), sum(value) FROM counter_values"),
        "1,5.0"
    );
}

fn pipes() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let writer = {
        let pipe = pipe.clone();
        std::thread::spawn(move || std::fs::write(pipe, gzip(&built::named("gpu"))).unwrap())
    };
    assert_eq!(cell(&engine(&pipe), "SELECT count(*) FROM dispatch_events"), "8");
    writer.join().unwrap();
    let error = open(std::path::Path::new("/dev/null"), "b")
        .expect_err("there is nothing in it")
        .to_string();
    assert_eq!(error, "/dev/null cannot be read: it is empty; the capture wrote nothing");
    let error = open(folder.path(), "b").expect_err("it is a folder").to_string();
    assert!(error.contains("a folder without .ireeprof files"), "{error}");
}

fn after_gzip() {
    let engine = engine_of(&[gzip(&built::named("gpu")), vec![0; 100]].concat());
    assert_eq!(cell(&engine, "SELECT count(*) FROM dispatch_events"), "8");
    assert_eq!(rows(&engine, "SELECT kind, severity FROM problems"), [["after_gzip", "info"]]);
}

fn strict() {
    let path = captures().into_iter().find(|path| path.ends_with("killed.ireeprof")).unwrap();
    let source = BundleSource::named("k".into(), path);
    let error = bundle::open(
        &source,
        &bundle::OpenOptions { strict: true, ..bundle::OpenOptions::default() },
    )
    .expect_err("it is incomplete")
    .to_string();
    assert!(
        error.contains(
            "the capture did not finish (file_length is 0); its 48 complete records are read"
        ),
        "{error}"
    );
    assert!(bundle::open(&source, &bundle::OpenOptions::default()).is_ok());
}

fn labels() {
    let folder = tempfile::tempdir().unwrap();
    for (name, built) in [("b.ireeprof", "gpu"), ("a.ireeprof", "empty")] {
        std::fs::write(folder.path().join(name), built::named(built)).unwrap();
    }
    std::fs::write(folder.path().join("c.ireeprof.gz"), gzip(&built::named("lossy"))).unwrap();
    std::fs::write(folder.path().join("notes.txt"), "not a bundle").unwrap();
    let labels = |argument: String| -> Vec<String> {
        bundle::sources::expand(&[argument])
            .unwrap()
            .into_iter()
            .map(|source| source.label)
            .collect()
    };
    let path = folder.path().display();
    assert_eq!(labels(format!("{path}")), ["a", "b", "c"]);
    assert_eq!(labels(format!("{path}/[ab].ireeprof")), ["a", "b"]);
    assert_eq!(labels(format!("base={path}/a.ireeprof")), ["base"]);
    assert!(bundle::sources::expand(&[format!("{path}/nothing")]).is_err());
    assert!(bundle::sources::expand(&[format!("{path}/*.none")]).is_err());
}

fn damaged_chunk() {
    let event = record("dispatch_event", &[], &[]);
    let mut short = event.clone();
    short[0] = 87;
    let bytes = Bundle::new()
        .chunk("dispatch-events", Chunk::default(), &[event.clone(), short])
        .chunk("queues", Chunk::default(), &[])
        .finish();
    let engine = engine_of(&bytes);
    let error = csv(&engine, "SELECT max(start_tick) FROM dispatch_events")
        .expect_err("the second event is too short")
        .to_string();
    assert!(
        error.ends_with("at byte 268 (0x10c), record 0, record_length: 87 is not between the minimum of a record of `dispatch-events`, 88 bytes, and the remaining 88 bytes of the chunk"),
        "{error}"
    );
    assert_eq!(
        cell(&engine, "SELECT count(*) FROM queues"),
        "0",
        "other families are not touched by it"
    );
    let trace = record("executable_trace_record", &[("data_length", 9)], &[]);
    let bytes = Bundle::new()
        .chunk("executable-traces", Chunk::default(), &[trace, vec![1, 2, 3]])
        .finish();
    let error = csv(&engine_of(&bytes), "SELECT trace_id FROM executable_traces")
        .expect_err("nine bytes are promised")
        .to_string();
    assert!(
        error.contains("data_length: 9 does not match the 3 bytes that follow the record"),
        "{error}"
    );
}

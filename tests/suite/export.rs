//! Tests `export`: the stream equals that of `iree-profile export` byte for byte, and files are written atomically.

use std::io::Read;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::read::GzDecoder;
use ireescope::export::write_ireeperf;
use ireescope::workspace::{Workspace, WorkspaceOptions};
use libtest_mimic::Trial;

use super::differential::{TOOLS, whole_capture};
use super::profile::{first_difference, ours};
use super::sql_files::settle;
use crate::support::ask::{captures, file, root};
use crate::support::builder::{Bundle, Chunk, record};
use crate::support::{built, random_bundle};
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("the_stream_of_a_built_bundle_is_as_it_was", golden),
    ("several_bundles_follow_each_other", several),
    ("names_that_end_in_gz_are_compressed", compressed),
    ("a_file_that_cannot_be_written_is_an_error", unwritable),
    ("an_unfinished_capture_is_exported_as_far_as_it_goes", unfinished),
    ("what_is_refused_leaves_no_file", refused),
    ("an_exporter_that_is_killed_leaves_no_file", killed),
    ("a_closed_pipe_ends_quietly", closed_pipe),
    ("a_full_disk_is_an_error_that_leaves_nothing", full_disk),
    ("threads_do_not_change_the_stream", threads),
    ("the_library_writes_the_same_stream", library),
];

/// Default number of random bundles to compare; `IREESCOPE_SHAKE` overrides it.
const SEEDS: u64 = 48;

const FORMAT: &str = "--format=ireeperf-jsonl";

/// The comparisons with `iree-profile`.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in captures() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        trials.push(trial(format!("export::{name}"), move || {
            compare(whole_capture(&path).path(), &name);
        }));
    }
    for name in built::ALL {
        trials.push(trial(format!("export::built::{name}"), move || {
            compare(file(&built::named(name)).path(), name);
        }));
    }
    trials.push(trial("export::built::diagnosed".into(), || {
        compare(file(&diagnosed()).path(), "diagnosed");
    }));
    trials.push(trial("export::built::measured".into(), || {
        compare(file(&measured()).path(), "measured");
    }));
    trials.push(trial("export::random".into(), || {
        let more = std::env::var("IREESCOPE_SHAKE").ok().and_then(|text| text.parse().ok());
        for seed in 0..more.unwrap_or(SEEDS) {
            compare(file(&random_bundle::bundle(seed)).path(), &format!("seed {seed}"));
        }
    }));
    trials
}

/// Builds a bundle with truncated chunks, with and without rows, of known and unknown families, and with records of
/// unknown types.
pub fn diagnosed() -> Vec<u8> {
    let queue = record("queue_record", &[("stream_id", 4)], &[]);
    let cut = Chunk { flags: 1, dropped: u64::MAX, ..Chunk::PLAIN };
    Bundle::new()
        .begin(3, "d")
        .chunk("queues", cut, &[queue.clone(), queue])
        .chunk("queues", cut, &[])
        .chunk("of-tomorrow", cut, &[vec![1, 2, 3]])
        .chunk("of-\"to\\morrow\n\u{1}", Chunk::PLAIN, &[])
        .chunk("executable-code-object-loads", Chunk::PLAIN, &[])
        .record(&[("record_type", 9)], b"odd/\xff", b"", b"payload")
        .record(&[("record_type", 0)], b"", b"", b"")
        .end(3, 13)
        .begin(u64::MAX, "")
        .end(u64::MAX, 4711)
        .finish()
}

/// Builds a bundle with metrics of every kind, with built-in and producer-specific ids, one described twice, and with
/// extreme values.
pub fn measured() -> Vec<u8> {
    let source = record(
        "device_metric_source_record",
        &[("source_id", 1), ("device_class", 77), ("name_length", 2)],
        b"s\xff",
    );
    let descriptor = |metric: i128, kind: i128, name: &[u8]| {
        let fields = [
            ("source_id", 1),
            ("metric_id", metric),
            ("unit", kind * 2 - 2),
            ("value_kind", kind),
            ("semantic", kind + 3),
            ("plot_hint", kind * 3),
            ("name_length", name.len() as i128 - 1),
            ("description_length", 1),
        ];
        record("device_metric_descriptor_record", &fields, name)
    };
    let value = |metric: i128, bits: u64| {
        crate::support::builder::fixed(
            "device_metric_value",
            &[("metric_id", metric), ("value_bits", bits.into()), ("flags", 3)],
        )
    };
    let bits = [
        0,
        1,
        u64::MAX,
        1 << 63,
        0.1f64.to_bits(),
        1e300f64.to_bits(),
        (-2.5e-7f64).to_bits(),
        4.0f64.to_bits(),
        1e17f64.to_bits(),
    ];
    let values: Vec<u8> = bits
        .iter()
        .flat_map(|bits| {
            (0..4).flat_map(|metric| value(metric + (i128::from(metric > 2) << 63), *bits))
        })
        .collect();
    let fields = [
        ("source_id", 1),
        ("flags", 1),
        ("host_time_begin_ns", -5),
        ("host_time_end_ns", 7),
        ("value_count", (values.len() / 24) as i128),
    ];
    let full = record("device_metric_sample_record", &fields, &values);
    let none =
        record("device_metric_sample_record", &[("source_id", 9), ("host_time_begin_ns", 5)], &[]);
    Bundle::new()
        .begin(1, "m")
        .chunk("device-metric-sources", Chunk::PLAIN, &[source])
        .chunk(
            "device-metric-descriptors",
            Chunk::PLAIN,
            &[
                descriptor(0, 4, b"zero?"),
                descriptor(1, 1, b"one i"),
                descriptor(2, 2, b"two u"),
                descriptor(3 + (1 << 63), 3, b"three f"),
                descriptor(1, 3, b"another one"),
            ],
        )
        .chunk("device-metric-samples", Chunk::PLAIN, &[full, none])
        .end(1, 0)
        .finish()
}

/// Runs `export` of `program`, which writes the stream to standard output.
pub fn export(program: &Path, path: &Path) -> Output {
    Command::new(program).args(["export", FORMAT, "--output=-"]).arg(path).output().unwrap()
}

fn compare(path: &Path, name: &str) {
    let theirs = export(&TOOLS.join("iree-profile"), path);
    let ours = export(&ours(), path);
    let code = ours.status.code();
    let said = String::from_utf8_lossy(&ours.stderr);
    if theirs.status.success() {
        assert_eq!(code, Some(0), "{name}: {said}");
        let same = theirs.stdout == ours.stdout;
        assert!(same, "{name}: {}", first_difference(&theirs.stdout, &ours.stdout));
    } else {
        // A bundle that `iree-profile` rejects must be rejected, too.
        let why = String::from_utf8_lossy(&theirs.stderr);
        let why = why.lines().next().unwrap_or("");
        assert_eq!(code, Some(3), "{name}: refused there ({why}), but not here");
    }
}

fn stream(bundle: &[u8]) -> Vec<u8> {
    let output = export(&ours(), file(bundle).path());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

fn golden() {
    let path = root().join("tests/golden/gpu.ireeperf.jsonl");
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    let after: Vec<u8> = [built::named("gpu"), diagnosed(), measured()]
        .iter()
        .flat_map(|bundle| stream(bundle))
        .collect();
    settle(&path, &before, &String::from_utf8_lossy(&after));
}

fn library() {
    let files = [file(&built::named("gpu")), file(&built::named("no_clock"))];
    let names: Vec<String> = files.iter().map(|it| it.path().display().to_string()).collect();
    let opened = Workspace::open_each(&names, &WorkspaceOptions::default()).unwrap();
    let (mut stream, mut steps) = (Vec::new(), Vec::new());
    write_ireeperf(opened, &mut stream, &mut |progress| steps.push(progress)).unwrap();
    assert!(stream == Command::new(ours()).arg("export").args(&names).output().unwrap().stdout);
    let [first, .., last] = steps.as_slice() else { panic!("{steps:?}") };
    assert!(first.done == 0 && last.done > 0 && last.done <= last.total, "{steps:?}");
    assert!(steps.iter().is_sorted_by_key(|step| step.done), "{steps:?}");
}

fn several() {
    let (one, other) = (file(&built::named("gpu")), file(&built::named("no_clock")));
    let output =
        Command::new(ours()).args(["export"]).args([one.path(), other.path()]).output().unwrap();
    assert!(output.status.success());
    let expected = [stream(&built::named("gpu")), stream(&built::named("no_clock"))].concat();
    assert!(output.stdout == expected, "one stream after the other");
}

fn compressed() {
    let (bundle, folder) = (file(&built::named("gpu")), tempfile::tempdir().unwrap());
    let target = folder.path().join("gpu.ireeperf.jsonl.gz");
    let output = Command::new(ours())
        .args(["export", "-o"])
        .arg(&target)
        .arg(bundle.path())
        .output()
        .unwrap();
    assert!(output.status.success() && output.stdout.is_empty() && output.stderr.is_empty());
    let mut unpacked = Vec::new();
    GzDecoder::new(std::fs::File::open(&target).unwrap()).read_to_end(&mut unpacked).unwrap();
    assert!(unpacked == stream(&built::named("gpu")));
}

fn unwritable() {
    let bundle = file(&built::named("gpu"));
    let output = Command::new(ours())
        .args(["export", "--output=/nowhere/x.jsonl"])
        .arg(bundle.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&output.stderr).contains("cannot write /nowhere/x.jsonl"));
    let output = Command::new(ours())
        .args(["export", "-o"])
        .args([bundle.path(), bundle.path()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "a bundle is not overwritten by its own export");
}

fn unfinished() {
    let output = export(&ours(), &root().join("tests/data/killed.ireeprof"));
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&output.stderr).contains("the capture did not finish"));
    let whole = export(&ours(), whole_capture(&root().join("tests/data/killed.ireeprof")).path());
    // One line more says so, as readers of the stream cannot see the file.
    let (lines, whole) =
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(whole.stdout).unwrap());
    let (told, rest): (Vec<&str>, Vec<&str>) =
        lines.lines().partition(|line| line.contains(r#""category":"unfinished_capture""#));
    assert_eq!(told.len(), 1);
    assert!(rest == whole.lines().collect::<Vec<_>>() && whole.len() > 1000);
}

fn refused() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("orphans.jsonl");
    let bundle = file(&built::named("orphans"));
    let output = Command::new(ours())
        .args(["export", "-o"])
        .arg(&target)
        .arg(bundle.path())
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stderr).contains("has no metadata"));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// Builds a bundle whose export takes some time.
fn large() -> Vec<u8> {
    let executable =
        record("executable_record", &[("executable_id", 1), ("function_count", 1)], &[]);
    let function =
        record("executable_function_record", &[("executable_id", 1), ("name_length", 1)], b"f");
    let mut bundle = Bundle::new()
        .begin(1, "large")
        .chunk("executables", Chunk::PLAIN, &[executable])
        .chunk("executable-functions", Chunk::PLAIN, &[function]);
    for chunk in 0..40 {
        let event = |nth: i128| {
            let fields = [
                ("event_id", chunk * 5000 + nth),
                ("executable_id", 1),
                ("start_tick", nth + 1),
                ("end_tick", nth + 9),
            ];
            record("dispatch_event", &fields, &[])
        };
        let events: Vec<Vec<u8>> = (0..5000).map(event).collect();
        bundle = bundle.chunk("dispatch-events", Chunk::PLAIN, &events);
        let span = |nth: i128| {
            record(
                "host_execution_event",
                &[("event_id", nth), ("type", 2), ("executable_id", 1)],
                &[],
            )
        };
        let spans: Vec<Vec<u8>> = (0..500).map(span).collect();
        bundle = bundle.chunk("host-execution-events", Chunk::PLAIN, &spans);
    }
    bundle.end(1, 0).finish()
}

fn killed() {
    let (bundle, folder) = (file(&large()), tempfile::tempdir().unwrap());
    let pipe = folder.path().join("target.jsonl");
    let mut child = Command::new(ours())
        .args(["export", "-o"])
        .arg(&pipe)
        .arg(bundle.path())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = || {
        std::fs::read_dir(folder.path())
            .unwrap()
            .any(|entry| entry.unwrap().metadata().unwrap().len() > 0)
    };
    while !begun() && child.try_wait().unwrap().is_none() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    let ended = child.wait().unwrap();
    // If the export finished before it was killed, the complete file exists.
    assert_eq!(pipe.exists(), ended.success(), "the name stands for a whole file or for none");
}

fn closed_pipe() {
    let bundle = file(&large());
    let mut child = Command::new(ours())
        .arg("export")
        .arg(bundle.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0; 40];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
    assert!(first.starts_with(b"{\"schema_version\":15,"));
}

fn full_disk() {
    let bundle = root().join("tests/data/mlp-vulkan.ireeprof");
    for format in ["ireeperf-jsonl", "perfetto", "csv", "arrow", "parquet"] {
        let folder = tempfile::tempdir().unwrap();
        let tables =
            if format == "csv" || format == "arrow" { "--tables=memory_events" } else { "" };
        // Limits files to 4 KiB. Ignoring SIGXFSZ turns the limit into a write error, like that of a full disk.
        let script = format!(
            "trap '' XFSZ; ulimit -f 4; exec '{}' export --format={format} {tables} -o '{}/out' '{}'",
            ours().display(),
            folder.path().display(),
            bundle.display()
        );
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(4), "{format}: {said}");
        assert!(
            said.contains("cannot write") && said.contains("File too large"),
            "{format}: {said}"
        );
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "{format}");
    }
    let script = format!("exec '{}' export '{}' > /dev/full", ours().display(), bundle.display());
    let output = Command::new("bash").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
}

fn threads() {
    let bundle = file(&large());
    let with = |threads: &str| {
        let output = Command::new(ours())
            .args(["export", "--threads", threads])
            .arg(bundle.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let one = with("1");
    let one = String::from_utf8(one).unwrap();
    assert_eq!(one.lines().count(), 1 + 2 + 2 + 40 * 5500);
    assert!(one.as_bytes() == with("7"), "the order is the file's");
}

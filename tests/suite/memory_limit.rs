//! Tests that queries and exports of more data than fits into the memory limit give the same answer as without one.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::NamedTempFile;

use super::profile::ours;
use crate::Test;
use crate::support::ask::generated;
use crate::support::generator::Capture;

pub const TESTS: &[Test] = &[
    ("queries_that_do_not_fit_are_answered", queries),
    ("texts_that_batches_share_count_once", shared_texts),
    ("exports_that_do_not_fit_are_the_same", exports),
    ("what_exceeds_the_limit_is_named", exceeded),
    ("a_full_spill_folder_is_an_error_and_is_left_empty", full),
    ("a_spill_folder_that_does_not_exist_is_an_error", missing),
    ("killed_queries_leave_no_spill_files", killed),
];

/// A bundle of 400 000 dispatches; a result of all its columns takes twice the limit when it is sorted.
fn large() -> NamedTempFile {
    generated(&Capture {
        dispatches: 200_000,
        device: true,
        host: true,
        seed: 3,
        per_submission: false,
    })
}

const LIMIT: &str = "--memory-limit=128MB";

/// Queries that hold most rows, sorted so that equal rows cannot change places.
const QUERIES: &[&str] = &[
    "SELECT * FROM dispatches ORDER BY duration_ns, byte_offset",
    "SELECT DISTINCT * FROM dispatches ORDER BY start_ns DESC, byte_offset",
    "SELECT byte_offset, count(*), max(start_ns) FROM dispatches GROUP BY byte_offset ORDER BY byte_offset",
    "SELECT a.*, b.duration_ns AS other FROM dispatches AS a JOIN dispatches AS b
     ON a.event_id = b.event_id AND a.timing_source <> b.timing_source ORDER BY a.start_ns, a.byte_offset",
];

fn run(words: &[&str], bundle: &Path) -> Output {
    Command::new(ours()).args(words).arg(bundle).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn queries() {
    let (bundle, spill) = (large(), tempfile::tempdir().unwrap());
    let spill_dir = format!("--spill-dir={}", spill.path().display());
    for query in QUERIES {
        let words = ["sql", "--format=csv", "-c", query];
        let whole = run(&words, bundle.path());
        let limited = run(&[&words[..], &[LIMIT, &spill_dir]].concat(), bundle.path());
        assert!(whole.status.success() && limited.status.success(), "{query}: {}", said(&limited));
        assert!(whole.stdout.len() > 1 << 22, "{query}");
        assert!(whole.stdout == limited.stdout, "{query} has other rows");
    }
    assert_eq!(fs::read_dir(spill.path()).unwrap().count(), 0);
}

/// Views hold a text of up to 12 bytes themselves, and longer ones in buffers. Joins return batches that share them.
fn shared_texts() {
    let bundle = generated(&Capture {
        dispatches: 200_000,
        device: false,
        host: true,
        seed: 3,
        per_submission: true,
    });
    let named = format!("more than 12 bytes={}", bundle.path().display());
    let query = "SELECT * FROM queue_submissions ORDER BY submission_id";
    let words = ["sql", "--format=csv", "-c", query, LIMIT];
    let ran = run(&words, Path::new(&named));
    assert!(ran.status.success(), "{}", said(&ran));
    assert_eq!(String::from_utf8_lossy(&ran.stdout).lines().count(), 100_001);
    // An export plans views as this project's own SQL, with other rules.
    let folder = tempfile::tempdir().unwrap();
    let output = format!("--output={}", folder.path().join("dataset").display());
    let words = ["export", "--format=parquet", "--tables=queue_submissions", LIMIT, &output];
    let ran = run(&words, Path::new(&named));
    assert!(ran.status.success(), "{}", said(&ran));
}

fn exports() {
    let (bundle, folder) = (large(), tempfile::tempdir().unwrap());
    for words in [
        &["export", "--format=ireeperf-jsonl"][..],
        &["export", "--format=csv", "--tables=dispatches"],
        &["export", "--format=csv", "--tables=queue_submissions"],
        &["render"],
        &["export", "--format=parquet"],
    ] {
        let written = ["whole", "limited"].map(|name| {
            let output = folder.path().join(format!("{name}-{}", words.concat()));
            let output_is = format!("--output={}", output.display());
            let limit = (name == "limited").then_some(LIMIT);
            let words: Vec<&str> =
                words.iter().copied().chain([output_is.as_str()]).chain(limit).collect();
            let ran = run(&words, bundle.path());
            assert!(ran.status.success(), "{words:?}: {}", said(&ran));
            // A busy machine makes an export long, which it says.
            let told = said(&ran).replace(name, "");
            let told: Vec<String> =
                told.lines().filter(|it| !it.contains("takes about")).map(str::to_owned).collect();
            (output, told)
        });
        assert_eq!(written[0].1, written[1].1);
        let written = written.map(|(output, _)| output);
        if words.contains(&"--format=parquet") {
            same_rows(&written);
        } else if words != ["render"] {
            // The annotations of a slice may be in another order, so a trace is compared by what the program counts.
            let [whole, limited] = written.map(|path| sorted_lines(&fs::read(path).unwrap()));
            assert!(whole == limited, "{words:?} differs");
        }
    }
}

/// Returns the lines in alphabetical order: threads write the rows of unsorted relations in turn.
fn sorted_lines(text: &[u8]) -> Vec<Vec<u8>> {
    let mut lines: Vec<_> = text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    lines.sort_unstable();
    lines
}

/// The row groups of Parquet files may differ, their rows may not.
fn same_rows(folders: &[std::path::PathBuf; 2]) {
    for relation in
        ["dispatches", "queue_submissions", "memory_lifetimes", "invocations", "functions"]
    {
        let query = format!("SELECT * FROM {relation}");
        let [whole, limited] = folders.each_ref().map(|folder| {
            let ran = run(&["sql", "--format=csv", "-c", &query], folder);
            assert!(ran.status.success(), "{relation}: {}", said(&ran));
            sorted_lines(&ran.stdout)
        });
        assert!(whole.len() > 2, "{relation}");
        assert!(whole == limited, "{relation} has other rows");
    }
}

fn exceeded() {
    let bundle = large();
    let ran = run(&["sql", "--memory-limit=1MB", "-c", QUERIES[0]], bundle.path());
    assert_eq!(ran.status.code(), Some(4), "{}", said(&ran));
    assert!(said(&ran).contains(" more than the limit of 1.0 MB; "), "{}", said(&ran));
    assert!(said(&ran).contains("raise --memory-limit"), "{}", said(&ran));
}

fn full() {
    let (bundle, spill) = (large(), tempfile::tempdir().unwrap());
    // Files may have 1 MB at most, and the signal for that is ignored, which is how a full disk looks to the program.
    let ran = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 2000; exec \"$@\"", "sh"])
        .arg(ours())
        .args(["sql", "--format=csv", "-c", QUERIES[0], LIMIT, "--spill-dir"])
        .args([spill.path(), bundle.path()])
        .output()
        .unwrap();
    assert_eq!(ran.status.code(), Some(4), "{}", said(&ran));
    let expected = format!("cannot write to the spill folder {}: ", spill.path().display());
    assert!(said(&ran).contains(&expected), "{}", said(&ran));
    assert!(said(&ran).contains("--spill-dir"), "{}", said(&ran));
    assert_eq!(fs::read_dir(spill.path()).unwrap().count(), 0);
}

fn missing() {
    let (bundle, folder) = (large(), tempfile::tempdir().unwrap());
    let spill = folder.path().join("missing");
    let spill_dir = format!("--spill-dir={}", spill.display());
    let ran = run(&["sql", "-c", QUERIES[0], LIMIT, &spill_dir], bundle.path());
    assert_eq!(ran.status.code(), Some(4), "{}", said(&ran));
    let expected = format!("cannot create a file in the spill folder {}: ", spill.display());
    assert!(said(&ran).contains(&expected), "{}", said(&ran));
}

fn killed() {
    let (bundle, spill) = (large(), tempfile::tempdir().unwrap());
    let mut child = Command::new(ours())
        .args(["sql", "--format=csv", "-c", QUERIES[0], LIMIT, "--spill-dir"])
        .args([spill.path(), bundle.path()])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let written = || {
        let descriptors = fs::read_dir(format!("/proc/{}/fd", child.id())).unwrap();
        descriptors
            .filter_map(|it| fs::read_link(it.ok()?.path()).ok())
            .any(|target| target.starts_with(spill.path()))
    };
    let deadline = std::time::Instant::now() + std::time::Duration::from_mins(1);
    while !written() {
        assert!(std::time::Instant::now() < deadline, "nothing was spilled");
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(fs::read_dir(spill.path()).unwrap().count(), 0);
}

//! Tests that statements end soon after Ctrl-C or their time limit, whatever they compute.

use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use ireescope::engine::{Engine, EngineError, Options};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::profile::ours;
use crate::Test;
use crate::support::ask::{csv, engine_over, generated, open, with_default_signals};
use crate::support::generator::Capture;

pub const TESTS: &[Test] = &[
    ("the_time_limit_ends_sorts_joins_and_passes", timed),
    ("ctrl_c_ends_a_statement", interrupted),
    ("a_stopped_engine_refuses_and_goes_on", stopped),
    ("read_only_engines_open_no_files", read_only),
];

/// Statements that take long: a sort, joins that multiply and that match, groups, windows, a pass of ours, and planning.
const LONG: &[&str] = &[
    "SELECT * FROM dispatches ORDER BY workgroup_count_x, duration_ns, start_ns, key",
    "SELECT count(*) FROM dispatches AS a CROSS JOIN dispatches AS b WHERE a.duration_ns + b.duration_ns = -1",
    "SELECT count(*) FROM dispatches AS a JOIN dispatches AS b ON a.key = b.key",
    "SELECT count(*) FROM (SELECT byte_offset, key, min(start_ns), max(end_ns) FROM dispatches GROUP BY byte_offset, key)",
    "SELECT sum(r) FROM (SELECT rank() OVER (ORDER BY duration_ns, byte_offset) AS r FROM dispatches)",
    "SELECT count(*) FROM critical_path",
    "SELECT sum(value) FROM generate_series(1, 100000000000)",
];

/// How long a statement may go on. On a busy machine, the program may have to wait for a processor.
const GRACE: Duration = Duration::from_millis(100);
const SCHEDULING: Duration = Duration::from_millis(150);

fn long() -> tempfile::NamedTempFile {
    generated(&Capture {
        dispatches: 2_000_000,
        device: true,
        host: false,
        seed: 5,
        per_submission: false,
    })
}

fn timed() {
    let bundle = long();
    let limit = Duration::from_millis(300);
    let mut ended_early = 0;
    for statement in LONG {
        let started = Instant::now();
        let ran = Command::new(ours())
            .args([
                "sql",
                "--statement-timeout=0.3s",
                "--format=csv",
                "-o",
                "/dev/null",
                "-c",
                statement,
            ])
            .arg(bundle.path())
            .output()
            .unwrap();
        let took = started.elapsed();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        if ran.status.success() {
            ended_early += 1;
            continue;
        }
        assert_eq!(ran.status.code(), Some(4), "{statement}: {said}");
        assert!(said.contains("stopped after 300ms"), "{statement}: {said}");
        // The time before the statement is that of the program's start.
        let more = took.saturating_sub(limit + start(bundle.path()));
        assert!(more < GRACE + SCHEDULING, "{statement} went on for {more:?}");
    }
    assert!(ended_early <= 2, "the statements take too little to test the limit");
}

/// Returns how long the program takes to open a bundle and to answer a short statement.
fn start(bundle: &std::path::Path) -> Duration {
    let started = Instant::now();
    let ran = Command::new(ours()).args(["sql", "-c", "SELECT 1"]).arg(bundle).output().unwrap();
    assert!(ran.status.success());
    started.elapsed()
}

fn interrupted() {
    let bundle = long();
    let mut ended_early = 0;
    for statement in LONG {
        // Where other programs hold the processors, the process waits for one; the fastest of three tells its own part.
        let mut attempts = (0..3).map(|_| ends_after(bundle.path(), statement));
        let ended = attempts.any(|ended| {
            ended_early += usize::from(ended.is_none());
            ended.is_none_or(|took| took < GRACE + SCHEDULING)
        });
        assert!(ended, "{statement} went on for more than {:?}", GRACE + SCHEDULING);
    }
    assert!(ended_early <= 2, "the statements take too little to test Ctrl-C");
}

/// Returns how long the program goes on after Ctrl-C, or nothing if the statement ended before it.
fn ends_after(bundle: &std::path::Path, statement: &str) -> Option<Duration> {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("result.csv");
    let mut child = with_default_signals(&Command::new(ours()))
        .args(["sql", "--format=csv", "-c", statement, "-o"])
        .args([&output, bundle])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_handler(child.id());
    sleep(Duration::from_millis(300));
    let asked = Instant::now();
    let _ = kill(Pid::from_raw(child.id().cast_signed()), Signal::SIGINT);
    let code = child.wait().unwrap().code();
    let took = asked.elapsed();
    if code == Some(0) {
        return None;
    }
    assert_eq!(code, Some(130), "{statement}");
    let left: Vec<_> =
        folder.path().read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(left.is_empty(), "{statement}: left {left:?}");
    Some(took)
}

/// Waits until a process handles SIGINT, as one does that has created its output file, or has ended.
fn wait_for_handler(process: u32) {
    let started = Instant::now();
    let waits = || {
        let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:"));
        let caught = caught.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        let handles = caught.is_some_and(|mask| mask >> (Signal::SIGINT as i32 - 1) & 1 == 1);
        !handles && !status.contains("State:\tZ")
    };
    while cfg!(target_os = "linux") && waits() && started.elapsed() < Duration::from_secs(10) {
        sleep(Duration::from_millis(1));
    }
}

fn stopped() {
    let bundle = generated(&Capture {
        dispatches: 1000,
        device: true,
        host: false,
        seed: 5,
        per_submission: false,
    });
    let engine = engine_over(vec![open(bundle.path(), "b").unwrap()], None);
    engine.stop(true);
    let refused = csv(&engine, "SELECT count(*) FROM functions").unwrap_err();
    assert_eq!(refused.to_string(), "the query was stopped");
    engine.stop(false);
    assert!(csv(&engine, "SELECT count(*) FROM functions").is_ok());
}

fn read_only() {
    let options = Options { is_read_only: true, ..Options::default() };
    let engine = Engine::new(Vec::new(), options);
    for statement in [
        "CREATE TABLE t AS SELECT 1",
        "CREATE VIEW v AS SELECT 1",
        "CREATE MACRO m(a) AS a",
        "DROP VIEW v",
        "SET datafusion.execution.target_partitions = 1",
        "RESET datafusion.execution.target_partitions",
        "CREATE EXTERNAL TABLE t STORED AS CSV LOCATION '/etc/passwd'",
        "COPY (SELECT 1) TO '/tmp/x.csv'",
        "INSERT INTO t VALUES (1)",
        "DELETE FROM t",
        "UPDATE t SET a = 1",
        "PREPARE p AS SELECT 1",
        "EXECUTE p",
        "DEALLOCATE p",
        "EXPLAIN CREATE TABLE t AS SELECT 1",
        "EXPLAIN ANALYZE CREATE VIEW v AS SELECT 1",
        "SELECT * FROM '/etc/passwd.csv'",
        "FROM 'x.parquet'",
        "SELECT * FROM read_parquet('*')",
        "SELECT * FROM read_csv('/etc/passwd')",
        "WITH a AS (SELECT * FROM read_csv('/etc/passwd')) SELECT count(*) FROM a",
        "SELECT (SELECT count(*) FROM 'x.csv')",
        "SELECT 1 INTO t",
    ] {
        let refused = csv(&engine, statement);
        assert!(matches!(refused, Err(EngineError::Query(_))), "{statement}: {refused:?}");
    }
    for statement in [
        "SELECT 1",
        "EXPLAIN SELECT 1",
        "EXPLAIN ANALYZE SELECT 1",
        "DESCRIBE dispatches",
        "SHOW TABLES",
    ] {
        assert!(csv(&engine, statement).is_ok(), "{statement}: {:?}", csv(&engine, statement));
    }
}

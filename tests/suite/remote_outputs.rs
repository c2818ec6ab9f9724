//! Tests results that are written to object stores.

use std::fs;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;

use super::objects::{Server, capture};
use crate::support::ask::with_default_signals;
use crate::support::proxy::{Fault, Proxy};
use crate::trial;

/// The tests that need the server, which is one of the reference tools.
pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 5] = [
        ("objects_are_those_of_files", same),
        ("large_results_are_written_in_parts", large),
        ("uploads_that_fail_leave_no_parts", parts_refused),
        ("uploads_end_with_the_process", parts_interrupted),
        ("commands_that_fail_leave_nothing", refused),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("remote_outputs::{name}"), test)).collect()
}

fn same() {
    let server = Server::start();
    let bundle = capture("mlp-vulkan");
    let query = "SELECT key, count(*) AS n FROM dispatches GROUP BY key ORDER BY key";
    let base = format!("base={}", capture("mlp-local-sync"));
    let new = format!("new={}", capture("mlp-local-task"));
    let commands: [(&str, &[&str]); 11] = [
        ("rows.csv", &["sql", "-c", query, &bundle]),
        ("rows.parquet", &["sql", "-c", query, &bundle]),
        ("dispatch.jsonl", &["dispatch", &bundle]),
        ("page.html", &["report", &bundle]),
        ("page.md", &["report", &bundle]),
        ("calls.svg", &["plot", "calls", &bundle]),
        ("trace.pftrace", &["render", &bundle]),
        ("again.pftrace", &["export", "--format=perfetto", &bundle]),
        ("stream.jsonl.gz", &["export", &bundle]),
        ("table.arrow", &["export", "--format=arrow", "--tables=dispatches", &bundle]),
        ("change.md", &["compare", "--format=markdown", &base, &new]),
    ];
    for (name, words) in commands {
        let there = format!("s3://profiles/out/deep/{name}");
        for output in [name, &there] {
            server.said(server.port, &[words, &["-o", output]].concat());
        }
        let written = fs::read(server.folder.path().join(name)).unwrap();
        let found = server.object(&format!("profiles/out/deep/{name}"));
        assert!(found.as_deref() == Some(written.as_slice()), "{name} differs");
    }
    for (name, of) in [
        ("rows.csv", "text/csv; charset=utf-8"),
        ("page.html", "text/html; charset=utf-8"),
        ("calls.svg", "image/svg+xml"),
        ("rows.parquet", "application/vnd.apache.parquet"),
    ] {
        assert_eq!(server.content_type(&format!("profiles/out/deep/{name}")), of, "{name}");
    }
    // What is there is replaced.
    server.said(
        server.port,
        &["sql", "-c", "SELECT 1 AS x", "-o", "s3://profiles/out/deep/rows.csv", &bundle],
    );
    assert_eq!(server.object("profiles/out/deep/rows.csv").unwrap(), b"x\n1\n");
}

/// A result of more than 32 MiB.
const LARGE: &str =
    "SELECT value, value * 7 AS more FROM generate_series(1, 2500000) ORDER BY value";

/// Returns how many uploads in parts the server keeps that did not end.
fn unfinished(server: &Server) -> usize {
    let (status, list) = server.ask("GET", "profiles?uploads", &[]);
    assert_eq!(status, "200");
    String::from_utf8(list).unwrap().matches("<UploadId>").count()
}

fn parts_refused() {
    let server = Server::start();
    let proxy = Proxy::start(server.port, true, |line, _| {
        if line.contains("partNumber=3") { Fault::Condition } else { Fault::None }
    });
    let words = ["sql", "-c", LARGE, "-o", "s3://profiles/none.csv", &capture("mlp-vulkan")];
    let output = server.run(proxy.port, &words);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(said.contains("cannot write s3://profiles/none.csv"), "{said}");
    assert_eq!((unfinished(&server), server.object("profiles/none.csv")), (0, None));
}

fn parts_interrupted() {
    let server = Server::start();
    for (signal, code) in [("TERM", 143), ("INT", 130)] {
        let proxy = Proxy::start(server.port, true, |line, _| {
            if line.contains("partNumber=") { Fault::Late } else { Fault::None }
        });
        let words = ["sql", "-c", LARGE, "-o", "s3://profiles/none.csv", &capture("mlp-vulkan")];
        let mut command = with_default_signals(&server.command(proxy.port, &words));
        command.stderr(Stdio::piped());
        let writing = command.spawn().unwrap();
        let begun = Instant::now();
        while unfinished(&server) == 0 {
            assert!(begun.elapsed() < Duration::from_mins(1), "{signal}: no upload begins");
            sleep(Duration::from_millis(5));
        }
        let killed = Command::new("kill").args(["-s", signal, &writing.id().to_string()]).status();
        assert!(killed.unwrap().success());
        let output = writing.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{signal}: {said}");
        assert_eq!(
            (unfinished(&server), server.object("profiles/none.csv")),
            (0, None),
            "{signal}"
        );
    }
}

fn large() {
    let server = Server::start();
    for output in ["large.csv", "s3://profiles/large.csv"] {
        let words = ["sql", "-c", LARGE, "-o", output, &capture("mlp-vulkan")];
        server.said(server.port, &words);
    }
    let written = fs::read(server.folder.path().join("large.csv")).unwrap();
    assert!(written.len() > 33 << 20, "{} bytes", written.len());
    assert!(server.object("profiles/large.csv").unwrap() == written, "the object differs");
    assert_eq!(server.content_type("profiles/large.csv"), "text/csv; charset=utf-8");
}

fn refused() {
    let server = Server::start();
    let bundle = capture("mlp-vulkan");
    let remote = "s3://profiles/runs/mlp-vulkan.ireeprof";
    let there = "s3://profiles/none.csv";
    let cases: [(&[&str], i32, &str); 10] = [
        (&["sql", "-c", "SELECT no_such FROM dispatches", "-o", there, &bundle], 2, "no_such"),
        (
            &[
                "sql",
                "-c",
                "SELECT event_id FROM dispatches",
                "--row-limit=3",
                "-o",
                there,
                &bundle,
            ],
            4,
            "--row-limit",
        ),
        (
            &["sql", "-c", "SELECT 1", "-o", "s3://profiles/none", &bundle],
            2,
            "unknown format for the extension of s3://profiles/none",
        ),
        (&["export", "-o", "s3://profiles", &bundle], 2, "it names a bucket"),
        (&["export", "-o", "s3://profiles/runs/", &bundle], 2, "it names a folder"),
        (&["render", "-o", "https://127.0.0.1/x.pftrace", &bundle], 2, "web servers are only read"),
        (&["export", "-o", remote, remote], 2, "is open as a bundle"),
        (&["export", "-o", "s3://none/x.jsonl", &bundle], 3, "s3://none/x.jsonl"),
        (
            &["capture", "-o", "s3://profiles/set.capture", "--", "true"],
            2,
            "not to an object store",
        ),
        (&["bench", "peaks", "--generated-dir=s3://profiles/x"], 2, "not to an object store"),
    ];
    for (words, code, part) in cases {
        let output = server.run(server.port, words);
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains(part), "{words:?}: {said}");
        assert_eq!(output.status.code(), Some(code), "{words:?}: {said}");
    }
    assert_eq!(server.object("profiles/none.csv"), None);
    let here = fs::read_dir(server.folder.path()).unwrap().flatten();
    let here: Vec<_> = here
        .map(|entry| entry.file_name())
        .filter(|name| name != "served" && name != "cache")
        .collect();
    assert!(here.is_empty(), "{here:?}");
}

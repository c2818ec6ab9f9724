//! Tests results that are written to object stores.

use std::fs;

use libtest_mimic::Trial;

use super::objects::{Server, capture};
use crate::trial;

/// The tests that need the server, which is one of the reference tools.
pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 3] = [
        ("objects_are_those_of_files", same),
        ("large_results_are_written_in_parts", large),
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

/// More than 32 MiB.
fn large() {
    let server = Server::start();
    let query = "SELECT value, value * 7 AS more FROM generate_series(1, 2500000) ORDER BY value";
    for output in ["large.csv", "s3://profiles/large.csv"] {
        let words = ["sql", "-c", query, "-o", output, &capture("mlp-vulkan")];
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

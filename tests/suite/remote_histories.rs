//! Tests histories in object stores, with a server that speaks S3 and a proxy that makes faults.

use std::fs;
use std::path::Path;
use std::process::{Child, Output, Stdio};
use std::thread::sleep;
use std::time::Duration;

use libtest_mimic::Trial;

use super::objects::{Server, capture};
use crate::support::ask::root;
use crate::support::proxy::{Fault, Proxy};
use crate::support::random::Random;
use crate::trial;

/// The tests that need the server, which is one of the reference tools.
pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 5] = [
        ("answers_are_those_of_a_folder", same),
        ("a_copy_of_a_folder_is_continued", continued),
        ("adders_at_once_lose_and_double_nothing", adders),
        ("faults_lose_and_double_nothing", faults),
        ("what_cannot_be_done_is_said", refused),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("remote_histories::{name}"), test)).collect()
}

const THERE: &str = "s3://profiles/kept";

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Asks a history. Returns the lines of the answer in order, as several threads print rows in any.
fn asked(server: &Server, query: &str, history: &str) -> Vec<String> {
    let text = server.said(server.port, &["sql", "--format=csv", "-c", query, history]);
    let mut lines: Vec<String> = text.lines().skip(1).map(str::to_owned).collect();
    lines.sort();
    lines
}

/// Replaces the place of a history, which messages name.
fn unnamed(text: &str, history: &str) -> String {
    text.replace(history, "HISTORY")
}

/// What commands say of a history, with the codes with which they exit.
fn answers(server: &Server, history: &str) -> Vec<(Option<i32>, String)> {
    let commands: [&[&str]; 7] = [
        &["history", "list", history],
        &["history", "check", history, "--fail-on=total:2%"],
        &[
            "history",
            "check",
            history,
            "s3://profiles/runs/mlp-vulkan.ireeprof",
            "--first-run=pass",
        ],
        &["history", "drift", history, "--check"],
        &["report", history],
        &["plot", "history", history],
        &["history", "accept", history, "ffff"],
    ];
    let run = |words: &&[&str]| {
        let output = server.run(server.port, words);
        (output.status.code(), unnamed(&said(&output), history))
    };
    commands.iter().map(run).collect()
}

const TABLES: [&str; 4] =
    ["history_runs", "history_functions", "history_samples", "history_accepted"];

/// A folder and a store take the same steps.
fn same() {
    let server = Server::start();
    let here = "folder-of-history";
    let remote = "s3://profiles/runs/mlp-local-task.ireeprof";
    let steps: [&[&str]; 8] = [
        &["add", &capture("mlp-local-sync"), "--commit=one", "--time=2026-01-01"],
        &["accept", "--time=2026-01-02"],
        &["add", &capture("mlp-local-task"), "--commit=two", "--time=2026-01-03"],
        &["add", remote, "--label=from=store", "--time=2026-02-01"],
        &["add", &capture("mlp-vulkan"), "--time=2026-02-02", "--keep=raw", "--branch=raw"],
        &["add", &capture("mlp-vulkan"), "--time=2026-02-02", "--keep=raw", "--branch=raw"],
        &["compact"],
        &["add", &capture("mlp-local-sync"), "--commit=three", "--time=2026-02-03"],
    ];
    for step in steps {
        let run = |history: &str| {
            let words = [&["history", step[0], history], &step[1..]].concat();
            let output = server.run(server.port, &words);
            assert!(output.status.success(), "{words:?}: {}", said(&output));
            unnamed(&said(&output), history)
        };
        assert_eq!(run(THERE), run(here), "{step:?}");
    }
    let is_there = server.run(
        server.port,
        &["history", "add", THERE, &capture("mlp-local-sync"), "--commit=one", "--time=2026-01-01"],
    );
    assert!(said(&is_there).contains("has this entry already"), "{}", said(&is_there));
    assert_eq!(answers(&server, THERE), answers(&server, here));
    let tables = TABLES.into_iter().chain(["dispatch_events", "history_entries"]);
    for query in tables.map(|table| format!("SELECT * FROM {table}")) {
        let found = asked(&server, &query, THERE);
        assert!(found.len() > 1 || query.contains("accepted"), "{query}: {found:?}");
        assert_eq!(found, asked(&server, &query, here), "{query}");
    }
    let add = server.run(server.port, &["history", "add", "s3://profiles/other", THERE]);
    assert!(add.status.code() == Some(2) && said(&add).contains("is a history"), "{}", said(&add));
}

/// A history that was copied to a store file by file has no list; the first addition makes it.
fn continued() {
    let server = Server::start();
    let (there, here) = ("s3://profiles/history", root().join("tests/data/history"));
    let here = here.display().to_string();
    assert_eq!(answers(&server, there), answers(&server, &here));
    let count = "SELECT count(DISTINCT entry), count(*) FROM history_runs";
    assert_eq!(asked(&server, count, there), ["3,15"]);
    let add = ["history", "add", there, &capture("mlp-vulkan"), "--time=2026-03-01"];
    server.said(server.port, &add);
    assert_eq!(asked(&server, count, there), ["4,16"]);
    server.said(server.port, &["history", "compact", there]);
    assert_eq!(asked(&server, count, there), ["4,16"]);
    // A copy of such a list is no history, as it would hide what is not in it.
    let copy = server.folder.path().join("copy");
    fs::create_dir(&copy).unwrap();
    let list = server.object("profiles/history/history.json").unwrap();
    fs::write(copy.join("history.json"), list).unwrap();
    let output = server.run(server.port, &["history", "list", "copy"]);
    assert!(said(&output).contains("lists files, as in an object store"), "{}", said(&output));
    assert_eq!(output.status.code(), Some(3));
}

/// Twenty commands add at once, of which some are killed, while others compact and read: each entry is there once and whole, or not
/// at all, and all of those are there whose commands were not killed.
fn adders() {
    let server = Server::start();
    let proxy = server.watched();
    let mut random = Random(11);
    let start = |words: &[&str]| {
        let mut command = server.command(proxy.port, words);
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let mut adders: Vec<(String, Child, Option<Duration>)> = (0..20)
        .map(|nth| {
            let label = format!("--label=host={nth}");
            let bundle = capture("mlp-local-sync");
            let words = ["history", "add", THERE, &bundle, &label, "--time=2026-01-01"];
            let killed = (nth % 4 == 3).then(|| Duration::from_millis(random.next() % 1500));
            (format!("host={nth}"), start(&words), killed)
        })
        .collect();
    let mut waited = Duration::ZERO;
    let mut killed: Vec<(Duration, usize)> =
        adders.iter().enumerate().filter_map(|(nth, it)| Some((it.2?, nth))).collect();
    killed.sort();
    let mut beside = Vec::new();
    for (when, nth) in killed {
        sleep(when.saturating_sub(waited));
        waited = when;
        let _ = adders[nth].1.kill();
        beside.push(start(&["history", "compact", THERE]));
        beside.push(start(&["history", "list", THERE]));
    }
    let mut must = Vec::new();
    for (label, child, killed) in adders {
        let output = child.wait_with_output().unwrap();
        if killed.is_none() {
            assert!(output.status.success(), "{label}: {}", said(&output));
            must.push(label);
        }
        if must.len() % 4 == 0 {
            beside.push(start(&["history", "compact", THERE]));
        }
    }
    for child in beside {
        let output = child.wait_with_output().unwrap();
        // The first ones may come before the history.
        let is_early = said(&output).contains("it has no history.json");
        assert!(output.status.success() || is_early, "{}", said(&output));
    }
    let whole = |history: &str| {
        let labels =
            asked(&server, "SELECT labels, count(*) FROM history_entries GROUP BY 1", history);
        for label in &must {
            assert!(labels.contains(&format!("{label},1")), "{label} is lost: {labels:?}");
        }
        assert!(labels.iter().all(|it| it.ends_with(",1")), "{labels:?}");
        for table in &TABLES[..3] {
            let rows = format!("SELECT count(*) FROM {table} GROUP BY entry");
            let rows = asked(&server, &rows, history);
            assert_eq!(rows.len(), labels.len(), "{table}");
            assert!(rows.iter().all(|count| *count == rows[0]), "{table}: {rows:?}");
        }
        labels
    };
    let before = whole(THERE);
    server.said(server.port, &["history", "compact", THERE]);
    assert_eq!(whole(THERE), before);
    let list = String::from_utf8(server.object("profiles/kept/history.json").unwrap()).unwrap();
    assert_eq!(list.matches("\"month\"").count(), 1, "{list}");
    let add = [
        "history",
        "add",
        THERE,
        &capture("mlp-local-sync"),
        "--label=host=0",
        "--time=2026-01-01",
    ];
    assert!(said(&server.run(server.port, &add)).contains("has this entry already"));
}

/// Answers that are late, cut, lost or refused are asked for again.
fn faults() {
    let server = Server::start();
    let rough = Proxy::start(server.port, true, |line, random| {
        let is_condition = line.contains("history.json") && line.starts_with("PUT");
        match random.next() % 12 {
            0 => Fault::Late,
            1 => Fault::Cut,
            2 => Fault::Busy,
            3 | 4 if is_condition => Fault::Condition,
            4 => Fault::Lost,
            5 if is_condition => Fault::Lost,
            _ => Fault::None,
        }
    });
    let here = server.folder.path().join("here").display().to_string();
    for (nth, name) in ["mlp-local-sync", "mlp-local-task", "mlp-vulkan"].iter().enumerate() {
        let (bundle, time) = (capture(name), format!("--time=2026-01-0{}", nth + 1));
        for history in [THERE, &here] {
            server.said(rough.port, &["history", "add", history, &bundle, &time]);
            let accepted = ["history", "accept", history, "--time=2026-01-09"];
            server.said(rough.port, &accepted);
            if nth == 1 {
                server.said(rough.port, &["history", "compact", history]);
            }
        }
    }
    for query in TABLES.map(|table| format!("SELECT * FROM {table}")) {
        let found = server.said(rough.port, &["sql", "--format=csv", "-c", &query, THERE]);
        let mut found: Vec<&str> = found.lines().skip(1).collect();
        found.sort_unstable();
        assert_eq!(found, asked(&server, &query, &here), "{query}");
    }
    let check = |history: &str| {
        let output = server.run(rough.port, &["history", "check", history, "--window=2"]);
        unnamed(&said(&output), history)
    };
    assert_eq!(check(THERE), check(&here));
}

fn refused() {
    let server = Server::start();
    let blind = Proxy::start(server.port, false, |_, _| Fault::None);
    let bundle = capture("mlp-vulkan");
    let output = server.run(blind.port, &["history", "add", THERE, &bundle]);
    assert_eq!(output.status.code(), Some(4), "{}", said(&output));
    let why = format!("cannot write to {THERE}: the store cannot write on the condition");
    assert!(said(&output).contains(&why), "{}", said(&output));
    assert_eq!(server.object("profiles/kept/history.json"), None);
    for (words, code, part) in [
        (
            ["list", THERE].as_slice(),
            3,
            "it has no history.json; `ireescope history add` makes one",
        ),
        (&["check", THERE], 3, "s3://profiles/kept is no history"),
        (&["compact", THERE], 3, "it has no history.json"),
        (&["add", "s3://profiles/runs", &bundle], 3, "it has other files but no history.json"),
        (&["add", "s3://", &bundle], 2, "it names no bucket or server"),
        (&["list", "s3://none/history"], 4, "The specified bucket does not exist"),
    ] {
        let output = server.run(server.port, &[&["history"], words].concat());
        assert_eq!(output.status.code(), Some(code), "{words:?}: {}", said(&output));
        assert!(said(&output).contains(part), "{words:?}: {}", said(&output));
    }
    assert!(!Path::new(server.folder.path()).join("s3:").exists());
}

//! Tests addresses of objects, with a server that speaks S3 and a proxy that makes faults.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use tempfile::TempDir;

use super::differential::BIN;
use super::profile::ours;
use crate::support::ask::root;
use crate::support::generator::Capture;
use crate::support::proxy::{Fault, Proxy};
use crate::support::random::Random;
use crate::trial;

/// The tests that need the server, which is one of the reference tools.
pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 12] = [
        ("bundles_answer_as_files", bundles),
        ("folders_and_patterns_are_found", folders),
        ("keys_without_a_path_are_left_out", unnamed),
        ("capture_sets_and_histories_are_copied", copied),
        ("copies_are_made_once", copies),
        ("datasets_are_read_in_place", datasets),
        ("filters_leave_out_pages", pages),
        ("row_groups_are_requested_ahead", ahead),
        ("writers_at_once_lose_and_double_nothing", writers),
        ("faults_are_repeated_or_said", faults),
        ("stores_without_conditions_are_refused", unconditional),
        ("errors_say_what_to_do", errors),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("objects::{name}"), test)).collect()
}

/// A running server with a bucket `profiles`, and a folder for copies of objects.
pub struct Server {
    process: Child,
    pub port: u16,
    pub folder: TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The manifest of a capture set with one run.
const SET: &str = r#"{"format": "ireescope-capture-set", "schema_version": 1, "ireescope_version": "0.1.0", "runs": [
    {"name": "kernel-time", "outcome": "captured", "bundle": "run-1.ireeprof", "questions": ["kernel-time"], "asked": [],
     "got": [], "refused": [], "counters": []}]}"#;

pub const CAPTURES: [&str; 3] = ["mlp-local-task", "mlp-vulkan", "two-vulkan"];

impl Server {
    /// Starts a server with captures in `runs`, of which the last is in a folder below, and in a set.
    pub fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let served = folder.path().join("served");
        fs::create_dir_all(served.join("runs/deep")).unwrap();
        for (nth, name) in CAPTURES.iter().enumerate() {
            let below = if nth == 2 { "runs/deep" } else { "runs" };
            fs::copy(capture(name), served.join(format!("{below}/{name}.ireeprof"))).unwrap();
        }
        for set in ["set.capture", "month/day/set.capture"] {
            let set = served.join(set);
            fs::create_dir_all(&set).unwrap();
            fs::write(set.join("manifest.json"), SET).unwrap();
            fs::copy(capture("mlp-local-sync"), set.join("run-1.ireeprof")).unwrap();
        }
        let history = root().join("tests/data/history");
        for file in walk(&history) {
            let to = served.join("history").join(file.strip_prefix(&history).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            fs::copy(file, to).unwrap();
        }
        let mut process = Command::new(BIN.join("python"))
            .arg(root().join("tests/tools/object_store.py"))
            .arg(&served)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        Self { process, port: line.trim().parse().unwrap(), folder }
    }

    /// Starts a proxy that changes nothing.
    pub fn watched(&self) -> Proxy {
        Proxy::start(self.port, true, |_, _| Fault::None)
    }

    pub fn command(&self, port: u16, words: &[&str]) -> Command {
        let mut command = Command::new(ours());
        command.current_dir(self.folder.path()).envs(self.settings(port)).args(words);
        command
    }

    /// Returns the variables by which programs reach the server through a port.
    pub fn settings(&self, port: u16) -> Vec<(&'static str, String)> {
        let cache = self.folder.path().join("cache").display().to_string();
        let secrets = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"].map(|it| (it, "tests".into()));
        let places = [
            ("XDG_CACHE_HOME", cache),
            ("AWS_ENDPOINT_URL", format!("http://127.0.0.1:{port}")),
            ("AWS_ALLOW_HTTP", "true".into()),
            ("AWS_REGION", "us-east-1".into()),
        ];
        places.into_iter().chain(secrets).collect()
    }

    pub fn run(&self, port: u16, words: &[&str]) -> Output {
        self.command(port, words).output().unwrap()
    }

    /// Returns the bytes of an object, named by bucket and key; `None` if there is none.
    pub fn object(&self, name: &str) -> Option<Vec<u8>> {
        let (status, bytes) = self.ask("GET", name, &[]);
        match status.as_str() {
            "200" => Some(bytes),
            "404" => None,
            _ => panic!("{name}: {status}"),
        }
    }

    /// Returns the type of an object, as the store tells it.
    pub fn content_type(&self, name: &str) -> String {
        let (head, _) = self.asked("GET", name, &[]);
        let of = |line: &str| Some(line.split_once(": ")?.1.to_owned());
        let is_type = |line: &&str| line.to_lowercase().starts_with("content-type:");
        head.lines().find(is_type).and_then(of).unwrap_or_default()
    }

    /// Asks for an object, or writes it. Returns the status and the bytes of the answer.
    pub fn ask(&self, method: &str, name: &str, bytes: &[u8]) -> (String, Vec<u8>) {
        let (head, bytes) = self.asked(method, name, bytes);
        (head.split(' ').nth(1).unwrap().to_owned(), bytes)
    }

    /// Returns the head and the bytes of an answer.
    fn asked(&self, method: &str, name: &str, bytes: &[u8]) -> (String, Vec<u8>) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        // The server looks whether there is a signature, not at it.
        let signed =
            "Authorization: AWS4-HMAC-SHA256 Credential=tests/20260101/us-east-1/s3/aws4_request";
        let length = bytes.len();
        let head = format!(
            "{method} /{name} HTTP/1.1\r\nHost: 127.0.0.1\r\n{signed}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(&[head.as_bytes(), bytes].concat()).unwrap();
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).unwrap();
        let end = answer.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&answer[..end]).into_owned();
        (head, answer.split_off(end + 4))
    }

    /// Runs a command that succeeds. Returns what it prints.
    pub fn said(&self, port: u16, words: &[&str]) -> String {
        let output = self.run(port, words);
        assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

pub fn capture(name: &str) -> String {
    root().join(format!("tests/data/{name}.ireeprof")).display().to_string()
}

/// Runs a command without a server. Returns what it prints.
fn local(words: &[&str]) -> String {
    let output = Command::new(ours()).args(words).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn bundles() {
    let server = Server::start();
    let remote = "s3://profiles/runs/mlp-vulkan.ireeprof";
    for words in [
        &["dispatch", "--format=jsonl"][..],
        &["summary", "--format=jsonl"],
        &["queue", "--format=jsonl"],
    ] {
        let found = server.said(server.port, &[words, &[remote]].concat());
        assert_eq!(found, local(&[words, &[&capture("mlp-vulkan")]].concat()), "{words:?}");
    }
    let named = format!("base={remote}");
    let query = "SELECT bundle, path FROM bundles";
    let told = server.said(server.port, &["sql", "--format=csv", "-c", query, &named]);
    assert_eq!(told, format!("bundle,path\nbase,{remote}\n"));
}

fn folders() {
    let server = Server::start();
    let labels = |words: &[&str]| {
        let query = &["sql", "--format=csv", "-c", "SELECT bundle FROM bundles ORDER BY 1"];
        server.said(server.port, &[query, words].concat()).replace('\n', " ")
    };
    assert_eq!(labels(&["s3://profiles/runs"]), "bundle mlp-local-task mlp-vulkan ");
    assert_eq!(labels(&["s3://profiles/runs/deep/"]), "bundle two-vulkan ");
    assert_eq!(labels(&["s3://profiles/*/mlp-*.ireeprof"]), "bundle mlp-local-task mlp-vulkan ");
    assert_eq!(
        labels(&["s3://profiles/runs/deep", &capture("loop-vulkan")]),
        "bundle loop-vulkan two-vulkan "
    );
    let twice = labels(&["s3://profiles/runs/mlp-vulkan.ireeprof", &capture("mlp-vulkan")]);
    assert_eq!(twice, "bundle data/mlp-vulkan runs/mlp-vulkan ");
    // A name with the letters of a pattern is that of an object first.
    let odd = "s3://profiles/odd/run [1].ireeprof";
    let bytes = fs::read(capture("mlp-vulkan")).unwrap();
    assert_eq!(server.ask("PUT", "profiles/odd/run%20%5B1%5D.ireeprof", &bytes).0, "200");
    assert_eq!(labels(&[odd]), "bundle run [1] ");
    assert_eq!(labels(&["s3://profiles/odd/run [[]1].ireeprof"]), "bundle run [1] ");
}

fn unnamed() {
    let server = Server::start();
    let bytes = fs::read(capture("mlp-vulkan")).unwrap();
    for key in ["runs//a.ireeprof", "runs/../b.ireeprof", "runs/./c.ireeprof", "runs/d%01.ireeprof"]
    {
        assert_eq!(server.ask("PUT", &format!("profiles/{key}"), &bytes).0, "200", "{key}");
    }
    let query = "SELECT bundle FROM bundles ORDER BY 1";
    for (place, rows) in [
        ("s3://profiles/runs", "bundle\nmlp-local-task\nmlp-vulkan\n"),
        ("s3://profiles/runs/*k.ireeprof", "bundle\nmlp-local-task\n"),
    ] {
        let output = server.run(server.port, &["sql", "--format=csv", "-c", query, place]);
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(String::from_utf8_lossy(&output.stdout), rows, "{place}: {said}");
        let warning =
            "left out s3://profiles/runs/../b.ireeprof and 3 more like it: keys with an empty part";
        assert!(said.contains(warning), "{place}: {said}");
    }
}

fn copied() {
    let server = Server::start();
    let told = |words: &[&str]| server.said(server.port, words);
    // What is told of copies are addresses.
    let query = "SELECT path FROM bundles";
    for place in
        ["s3://profiles/set.capture", "s3://profiles/*.capture", "x=s3://profiles/set.capture"]
    {
        let path = told(&["sql", "--format=csv", "-c", query, place]);
        assert_eq!(path, "path\ns3://profiles/set.capture/run-1.ireeprof\n", "{place}");
    }
    let below = told(&["sql", "--format=csv", "-c", query, "s3://profiles/month"]);
    assert_eq!(below, "path\ns3://profiles/month/day/set.capture/run-1.ireeprof\n");
    let cache = server.folder.path().display().to_string();
    for words in [
        &["doctor"][..],
        &["gaps"],
        &["explain"],
        &["report", "--format=markdown"],
        &["sql", "-c", "SELECT * FROM runs"],
    ] {
        let text = told(&[words, &["s3://profiles/set.capture"]].concat());
        assert!(!text.contains(&cache), "{words:?}: {text}");
    }
    let query = "SELECT bundle, run, outcome FROM runs";
    let runs = told(&["sql", "--format=csv", "-c", query, "s3://profiles/set.capture"]);
    assert_eq!(runs, "bundle,run,outcome\nkernel-time,kernel-time,captured\n");
    let named = told(&["sql", "--format=csv", "-c", query, "x=s3://profiles/set.capture/"]);
    assert_eq!(named, "bundle,run,outcome\nx/kernel-time,kernel-time,captured\n");
    for several in ["s3://profiles/*.capture", "s3://profiles/month"] {
        assert_eq!(told(&["sql", "--format=csv", "-c", query, several]), runs, "{several}");
    }
    let history = root().join("tests/data/history").display().to_string();
    let query = "SELECT * FROM history_runs";
    let there = told(&["sql", "--format=csv", "-c", query, "s3://profiles/history"]);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!(sorted(&there), sorted(&local(&["sql", "--format=csv", "-c", query, &history])));
}

fn copies() {
    let server = Server::start();
    let proxy = server.watched();
    let remote = "s3://profiles/runs/mlp-vulkan.ireeprof";
    let size = fs::metadata(capture("mlp-vulkan")).unwrap().len();
    let before = server.said(proxy.port, &["summary", remote]);
    let [_, _, _, first] = proxy.counts();
    assert!(first > size, "{first} of {size} bytes");
    assert_eq!(server.said(proxy.port, &["summary", remote]), before);
    let [_, _, _, second] = proxy.counts();
    assert!(second - first < 4096, "{} bytes to look for a new version", second - first);
    // A copy that an interruption left goes on where it ended.
    let copies = server.folder.path().join("cache/ireescope/objects");
    let all: Vec<_> = fs::read_dir(&copies).unwrap().map(|it| it.unwrap().path()).collect();
    let [copy] = all.as_slice() else { panic!("{all:?}") };
    let bytes = fs::read(copy).unwrap();
    fs::write(copy.with_extension("part"), &bytes[..bytes.len() - 1000]).unwrap();
    fs::remove_file(copy).unwrap();
    assert_eq!(server.said(proxy.port, &["summary", remote]), before);
    let [_, _, _, third] = proxy.counts();
    assert!(third - second < 6096, "{} bytes for the rest", third - second);
    assert_eq!(fs::read(copy).unwrap(), bytes);
}

const QUERIES: [&str; 5] = [
    "SELECT bundle, count(*), sum(duration_ns) FROM dispatches GROUP BY ALL ORDER BY 1",
    "SELECT bundle, executable_id, function_ordinal, count(*) FROM dispatches GROUP BY ALL ORDER BY ALL",
    "SELECT bundle, invocation, start_ns FROM invocations ORDER BY ALL",
    "SELECT count(*) FROM memory_events WHERE bundle = 'mlp-vulkan'",
    "SELECT bundle, type, count(*) FROM queue_events GROUP BY ALL ORDER BY ALL",
];

fn datasets() {
    let server = Server::start();
    let proxy = server.watched();
    let captures = CAPTURES.map(capture);
    let names: Vec<&str> = captures.iter().map(String::as_str).collect();
    let here = server.folder.path().join("here").display().to_string();
    local(&[&["export", "--format=parquet", "-o", &here][..], &names].concat());
    let there = "s3://profiles/nightly";
    server.said(
        proxy.port,
        &[&["export", "--format=parquet", "-o", there][..], &names[..2]].concat(),
    );
    server.said(proxy.port, &["export", "--format=parquet", "-o", there, names[2]]);
    for query in QUERIES {
        let ask =
            |port, folder: &str| server.said(port, &["sql", "--format=csv", "-c", query, folder]);
        assert_eq!(ask(proxy.port, there), ask(proxy.port, &here), "{query}");
    }
    // One column of one relation is a small part of all.
    let [_, _, lists, before] = proxy.counts();
    server.said(proxy.port, &["sql", "-c", "SELECT max(end_ns) FROM dispatches", there]);
    let [_, _, after_lists, after] = proxy.counts();
    let all: u64 =
        walk(Path::new(&here)).iter().map(|file| fs::metadata(file).unwrap().len()).sum();
    assert!(after - before < all / 2, "{} of {all} bytes", after - before);
    assert_eq!(after_lists - lists, 1, "nothing is listed twice");
    // pyarrow reads the same by the manifest.
    let script = root().join("tests/tools/check_objects.py");
    let mut pyarrow = Command::new(BIN.join("python"));
    pyarrow.arg(script).args([&server.port.to_string(), "profiles/nightly", "dispatches"]);
    let read = pyarrow.output().unwrap();
    assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
    let count = "SELECT bundle, count(*) FROM dispatches GROUP BY ALL ORDER BY 1";
    let counted = server.said(proxy.port, &["sql", "--format=csv", "-c", count, there]);
    assert_eq!(String::from_utf8(read.stdout).unwrap(), counted.split_once('\n').unwrap().1);
    // What is exported again takes the place of what was there.
    let again = server.run(proxy.port, &["export", "--format=parquet", "-o", there, names[0]]);
    assert!(String::from_utf8_lossy(&again.stderr).contains("replaced 1 bundle"), "{again:?}");
    let ask = |folder: &str| server.said(proxy.port, &["sql", "-c", count, folder]);
    assert_eq!(ask(there), ask(&here));
}

/// A row group of 250,000 rows has 13 pages or more in a column. Those of other columns begin at other rows.
fn pages() {
    let server = Server::start();
    let proxy = server.watched();
    let bundle = server.folder.path().join("many.ireeprof").display().to_string();
    let capture =
        Capture { dispatches: 250_000, device: true, host: false, seed: 5, per_submission: false };
    capture.write(&mut fs::File::create(&bundle).unwrap()).unwrap();
    let here = server.folder.path().join("here").display().to_string();
    let there = "s3://profiles/many";
    for folder in [here.as_str(), there] {
        let words = ["export", "--format=parquet", "--tables=dispatches", "-o", folder, &bundle];
        server.said(proxy.port, &words);
    }
    let sums = "SELECT count(*), sum(duration_ns), min(event_id), max(end_ns), max(key), count(DISTINCT submission_id) FROM dispatches";
    let read = |query: &str, folder: &str| {
        let [_, _, _, before] = proxy.counts();
        let answer = server.said(proxy.port, &["sql", "--format=csv", "-c", query, folder]);
        let [_, _, _, after] = proxy.counts();
        (answer, after - before)
    };
    let (_, whole) = read(&format!("{sums} WHERE start_ns >= 0"), there);
    let end = read("SELECT max(start_ns) - min(start_ns), min(start_ns) FROM dispatches", &bundle);
    let numbers = end.0.lines().nth(1).unwrap().split(',').map(|it| it.parse::<f64>().unwrap());
    let [length, start] = numbers.collect::<Vec<_>>()[..] else { panic!("{end:?}") };
    for (from, to) in [(0.0, 0.1), (0.45, 0.55), (0.9, 1.1), (0.3, 0.3), (2.0, 3.0)] {
        let [from, to] = [from, to].map(|part| part * length + start);
        let query = format!("{sums} WHERE start_ns >= {from:.0} AND start_ns <= {to:.0}");
        let (expected, _) = read(&query, &bundle);
        assert_eq!(read(&query, &here).0, expected, "{query}");
        let (found, bytes) = read(&query, there);
        assert_eq!(found, expected, "{query}");
        assert!(bytes * 2 < whole, "{query}: {bytes} of {whole} bytes");
    }
}

/// Each answer takes 300 ms: a thread that waited for one row group after the other would take seconds.
fn ahead() {
    let server = Server::start();
    // What is exported to a store has few files.
    let here = server.folder.path().join("here");
    let bundles: Vec<String> =
        (0..8).map(|number| format!("b{number}={}", capture("mlp-local-task"))).collect();
    let bundles: Vec<&str> = bundles.iter().map(String::as_str).collect();
    let folder = here.display().to_string();
    let words = ["export", "--format=parquet", "--tables=dispatches", "-o", &folder];
    local(&[&words[..], &bundles].concat());
    for file in walk(&here) {
        let name = file.strip_prefix(&here).unwrap().display().to_string().replace('=', "%3D");
        let put = server.ask("PUT", &format!("profiles/far/{name}"), &fs::read(&file).unwrap());
        assert_eq!(put.0, "200", "{name}");
    }
    let proxy = Proxy::start(server.port, true, |line, _| {
        if line.starts_with("GET") { Fault::Late } else { Fault::None }
    });
    let query = "SELECT count(DISTINCT bundle), sum(duration_ns) > 0 FROM dispatches";
    let words = ["sql", "--threads=1", "--format=csv", "-c", query, "s3://profiles/far"];
    let answer = server.said(proxy.port, &words);
    assert_eq!(answer.lines().nth(1), Some("8,true"));
    let most = proxy.passed.most.load(std::sync::atomic::Ordering::SeqCst);
    assert_eq!(most, 8, "row groups at once");
}

fn walk(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files.extend(walk(&path)) } else { files.push(path) }
    }
    files
}

/// Twenty exports at once into one dataset, some of which are killed: each bundle is there once or not at all, and all of those that
/// were not killed are there.
fn writers() {
    let server = Server::start();
    let proxy = server.watched();
    let there = "s3://profiles/fleet";
    let mut random = Random(7);
    let mut writers: Vec<(String, Child, Option<Duration>)> = (0..20)
        .map(|nth| {
            let label = format!("host-{nth}");
            let named = format!("{label}={}", capture("mlp-local-sync"));
            let words =
                ["export", "--format=parquet", "--tables=dispatches,bundles", "-o", there, &named];
            let mut command = server.command(proxy.port, &words);
            let child = command.stderr(Stdio::piped()).spawn().unwrap();
            let killed = (nth % 4 == 3).then(|| Duration::from_millis(random.next() % 1500));
            (label, child, killed)
        })
        .collect();
    let mut waited = Duration::ZERO;
    let mut killed: Vec<(Duration, usize)> =
        writers.iter().enumerate().filter_map(|(nth, it)| Some((it.2?, nth))).collect();
    killed.sort();
    for (when, nth) in killed {
        sleep(when.saturating_sub(waited));
        waited = when;
        let _ = writers[nth].1.kill();
    }
    let mut must = Vec::new();
    for (label, child, killed) in writers {
        let output = child.wait_with_output().unwrap();
        if killed.is_none() {
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{label}: {said}");
            must.push(label);
        }
    }
    let query = "SELECT bundle, count(*) FROM dispatches GROUP BY ALL ORDER BY 1";
    let found = server.said(proxy.port, &["sql", "--format=csv", "-c", query, there]);
    let rows = local(&[
        "sql",
        "--format=csv",
        "-c",
        "SELECT count(*) FROM dispatches",
        &capture("mlp-local-sync"),
    ]);
    let rows = rows.lines().nth(1).unwrap();
    let labels: Vec<&str> = found
        .lines()
        .skip(1)
        .map(|line| {
            let (label, count) = line.split_once(',').unwrap();
            assert_eq!(count, rows, "{label}");
            label
        })
        .collect();
    for label in must {
        assert!(labels.contains(&label.as_str()), "{label} is lost: {found}");
    }
}

/// Answers that are late, cut, lost or refused are asked for again; the rows are right, and nothing is there twice.
fn faults() {
    let server = Server::start();
    let rough = Proxy::start(server.port, true, |line, random| {
        let is_condition = line.contains("manifest.json") && line.starts_with("PUT");
        match random.next() % 12 {
            0 => Fault::Late,
            1 => Fault::Cut,
            2 => Fault::Busy,
            3 => Fault::Lost,
            4 if is_condition => Fault::Condition,
            _ => Fault::None,
        }
    });
    let there = "s3://profiles/rough";
    for name in CAPTURES {
        let from = format!(
            "s3://profiles/runs/{}{name}.ireeprof",
            if name == "two-vulkan" { "deep/" } else { "" }
        );
        server.said(
            rough.port,
            &["export", "--format=parquet", "--tables=dispatches,queue_events", "-o", there, &from],
        );
    }
    let captures = CAPTURES.map(capture);
    let names: Vec<&str> = captures.iter().map(String::as_str).collect();
    for query in [QUERIES[0], QUERIES[1], QUERIES[4]] {
        let ask = &["sql", "--format=csv", "-c", query];
        let found = server.said(rough.port, &[&ask[..], &[there]].concat());
        assert_eq!(found, local(&[&ask[..], &names].concat()), "{query}");
    }
}

fn unconditional() {
    let server = Server::start();
    let blind = Proxy::start(server.port, false, |_, _| Fault::None);
    let there = "s3://profiles/blind";
    let output = server
        .run(blind.port, &["export", "--format=parquet", "-o", there, &capture("mlp-vulkan")]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(4), "{said}");
    assert!(
        said.contains(
            "cannot write to s3://profiles/blind: the store cannot write on the condition"
        ),
        "{said}"
    );
    let output = server.run(server.port, &["sql", "-c", "SELECT 1", there]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("neither the folder nor one up to four levels below"), "{said}");
}

fn errors() {
    let server = Server::start();
    for (address, code, said) in [
        (
            "s3://profiles/none.ireeprof",
            3,
            "nothing is at s3://profiles/none.ireeprof: neither the folder nor",
        ),
        (
            "s3://profiles/*.none",
            3,
            "nothing is at s3://profiles/*.none: the pattern matches no object",
        ),
        (
            "s3://none/x.ireeprof",
            4,
            "cannot list s3://none/x.ireeprof: The specified bucket does not exist",
        ),
        ("s3:///x", 2, "s3:///x is not the address of an object: it names no bucket or server"),
        ("a=s3://profiles/runs", 3, "NAME=ADDRESS requires an object"),
    ] {
        let output = server.run(server.port, &["summary", address]);
        let found = String::from_utf8_lossy(&output.stderr);
        assert!(found.contains(said), "{address}: {found}");
        assert_eq!(output.status.code(), Some(code), "{address}: {found}");
    }
    // What is missing is said before anything is read, and soon.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let elsewhere = format!("http://127.0.0.1:{closed}");
    for (setting, value, said) in [
        ("AWS_ALLOW_HTTP", "false", "set AWS_ALLOW_HTTP=true"),
        (
            "AWS_ENDPOINT_URL",
            elsewhere.as_str(),
            "is it reachable from here, and AWS_ENDPOINT_URL right?",
        ),
    ] {
        let mut command = server.command(server.port, &["summary", "s3://profiles/runs"]);
        let begun = Instant::now();
        let output = command.env(setting, value).output().unwrap();
        let found = String::from_utf8_lossy(&output.stderr);
        assert!(found.contains(said), "{setting}: {found}");
        assert_eq!(output.status.code(), Some(4), "{setting}: {found}");
        assert!(begun.elapsed() < Duration::from_secs(5), "{setting}: {:?}", begun.elapsed());
    }
}

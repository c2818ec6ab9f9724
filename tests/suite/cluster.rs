//! Tests clusters: schedulers and workers are processes of the program, on ports of this machine.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ireescope::cluster::Cluster;
use ireescope::engine::dataset::Dataset;
use ireescope::engine::{Engine, Options};
use libtest_mimic::Trial;
use tempfile::TempDir;

use super::Test;
use super::dataset::export;
use super::objects::Server;
use super::profile::ours;
use super::sql_files::{captures, files, queries};
use crate::support::ask::{csv, root};
use crate::support::certificates::certify;
use crate::support::generator::Capture;
use crate::support::random::Random;
use crate::trial;

pub const TESTS: &[Test] = &[
    ("queries_are_answered_as_without", same_answers),
    ("what_cannot_be_distributed_is_refused", refused),
    ("plans_show_stages", plans),
    ("processes_that_die_or_hang_change_no_answer", trouble),
];

/// The tests that need other tools.
pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 2] = [
        ("connections_between_machines_need_certificates", certificates),
        ("datasets_of_stores_are_read_by_workers", stores),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("cluster::{name}"), test)).collect()
}

/// A process that is killed in the end. Its standard error is read to its end.
struct Process {
    child: Child,
    /// The address that it has told.
    place: String,
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    fn start(words: &[&str], settings: &[(&str, &str)]) -> Self {
        let mut command = Command::new(ours());
        command.args(words).envs(settings.iter().copied());
        let mut child = command.stderr(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut line = String::new();
        lines.read_line(&mut line).unwrap();
        let place = line.trim().rsplit("//").next().unwrap().to_owned();
        assert!(line.contains("http"), "{words:?}: {line}");
        thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        Self { child, place }
    }

    fn signal(&self, signal: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
    }
}

/// A scheduler with workers.
struct Processes {
    scheduler: Process,
    workers: Vec<Process>,
    settings: Vec<(String, String)>,
}

impl Processes {
    /// Starts them. After `patience` seconds without a sign of it, a worker is lost.
    fn start(workers: usize, patience: u64, settings: &[(&str, &str)]) -> Self {
        let patience = format!("--worker-timeout={patience}");
        let words = ["scheduler", "--listen=127.0.0.1:0", &patience];
        let scheduler = Process::start(&words, settings);
        let owned = settings.iter().map(|(name, value)| ((*name).into(), (*value).into()));
        let mut started = Self { scheduler, workers: Vec::new(), settings: owned.collect() };
        for _ in 0..workers {
            started.add();
        }
        started
    }

    /// Starts another worker.
    fn add(&mut self) {
        let scheduler = format!("--scheduler={}", self.scheduler.place);
        let words = ["worker", &scheduler, "--threads=2", "--memory-limit=1GB"];
        let settings: Vec<(&str, &str)> =
            self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        self.workers.push(Process::start(&words, &settings));
    }

    /// Opens a dataset that the cluster reads.
    fn engine(&self, folder: &Path) -> Engine {
        let cluster = Cluster::at(&self.scheduler.place, None, Some(4)).unwrap();
        let options = Options { planning: Some(cluster.planning()), ..Options::default() };
        Engine::of_dataset(Dataset::open(folder).unwrap(), options)
    }
}

/// Returns lines in an order of their own, unless the query has one.
fn ordered(query: &str, answer: &str) -> Vec<String> {
    let mut lines: Vec<String> = answer.lines().map(str::to_owned).collect();
    if !query.contains("ORDER BY") {
        lines.sort();
    }
    lines
}

fn local(folder: &Path) -> Engine {
    Engine::of_dataset(Dataset::open(folder).unwrap(), Options::default())
}

/// Writes a dataset of captures.
fn dataset_of(names: &[String]) -> (TempDir, PathBuf) {
    let kept = captures(names);
    let bundles: Vec<(&str, &Path)> =
        kept.iter().map(|(name, path, _)| (name.as_str(), path.as_path())).collect();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("parquet");
    let output = export(&path, &bundles, &[]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (folder, path)
}

/// Queries of tests/sql that a dataset answers, with and without workers.
fn same_answers() {
    let cluster = Processes::start(3, 60, &[]);
    let (mut compared, mut refused) = (0, Vec::new());
    for path in files(&root().join("tests/sql"), "slt") {
        let (names, queries) = queries(&path);
        let (_kept, folder) = dataset_of(&names);
        let (here, there) = (local(&folder), cluster.engine(&folder));
        // Passes, which a dataset answers with no rows.
        let is_pass =
            |query: &str| ["sampled_counter_sets(", "explain_"].iter().any(|it| query.contains(it));
        for query in queries.iter().filter(|query| !is_pass(query)) {
            let Ok(wanted) = csv(&here, query) else { continue };
            match csv(&there, query) {
                Ok(found) => {
                    let (found, wanted) = (ordered(query, &found), ordered(query, &wanted));
                    assert_eq!(found, wanted, "{query} of {}", path.display());
                    compared += 1;
                }
                Err(error) => refused.push(format!("{query}\n    {error}")),
            }
        }
    }
    // DataFusion declares a column of an outer join as one that is never NULL, which Arrow's files do not take.
    refused.retain(|said: &String| !said.contains("FROM function_counters"));
    assert!(refused.is_empty(), "{compared} were answered, but not:\n{}", refused.join("\n"));
    assert!(compared >= 30, "{compared} queries were compared");
}

/// What only the client can read, what has changed meanwhile, and clusters that are not there.
fn refused() {
    let cluster = Processes::start(1, 60, &[]);
    let (kept, folder) = dataset_of(&["mlp-vulkan".into()]);
    let engine = cluster.engine(&folder);
    csv(&engine, "CREATE TABLE mine AS SELECT key, duration_ns FROM dispatches").unwrap();
    assert_eq!(csv(&engine, "SELECT count(*) AS n FROM mine").unwrap(), "n\n80\n");
    let series = "SELECT * FROM generate_series(1, 3) AS t(n), (SELECT count(*) FROM dispatches)";
    for (query, said) in [
        (series, "cannot be read by a cluster"),
        ("SELECT 1 / (event_id - event_id) FROM dispatches WHERE no_such > 1", "no_such"),
    ] {
        let error = csv(&engine, query).unwrap_err().to_string();
        assert!(error.contains(said), "{query}: {error}");
    }
    assert_eq!(csv(&engine, "SELECT count(*) AS n FROM dispatches").unwrap(), "n\n80\n");
    let more = root().join("tests/data/mlp-local-task.ireeprof");
    assert!(export(&folder, &[("more", &more)], &[]).status.success());
    let error = csv(&engine, "SELECT count(*) AS n FROM queues").unwrap_err().to_string();
    assert!(error.contains("has changed since the statement was planned"), "{error}");
    let engine = cluster.engine(&folder);
    assert_eq!(csv(&engine, "SELECT count(*) AS n FROM dispatches").unwrap(), "n\n160\n");
    // The command.
    let place = format!("--cluster={}", cluster.scheduler.place);
    let (folder, bundle) = (folder.display().to_string(), more.display().to_string());
    let run = |words: &[&str]| {
        let output = Command::new(ours())
            .args(["sql", "--format=csv", "-c", "SELECT count(*) AS n FROM dispatches"])
            .args(words)
            .output()
            .unwrap();
        let said =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        (output.status.code().unwrap(), said.into_owned())
    };
    assert_eq!(run(&[&place, &folder]), (0, "n\n160\n".into()));
    let (code, said) = run(&[&place, &bundle]);
    assert!(code == 2 && said.contains("--cluster needs a dataset"), "{said}");
    let (code, said) = run(&["--cluster=127.0.0.1:1", &folder]);
    assert!(code != 0 && said.contains("127.0.0.1:1"), "{said}");
    let (code, said) = run(&["--cluster=node0.example:50050", &folder]);
    assert!(code == 2 && said.contains("needs certificates: --tls"), "{said}");
    drop(kept);
}

/// A plan tells of its stages.
fn plans() {
    let cluster = Processes::start(1, 60, &[]);
    let (_kept, folder) = dataset_of(&["mlp-vulkan".into(), "mlp-local-task".into()]);
    let engine = cluster.engine(&folder);
    let query = "SELECT key, sum(duration_ns) FROM dispatches GROUP BY key ORDER BY 2";
    let plan = csv(&engine, &format!("EXPLAIN {query}")).unwrap();
    for part in ["distributed_plan", "relation=dispatches", "ShuffleWriter"] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
}

/// Rounds of `processes_that_die_or_hang_change_no_answer`; 200 were run by hand.
const ROUNDS: &str = "IREESCOPE_ROUNDS";

/// Kills and stops workers and the scheduler while a statement runs: it answers right, or with an error.
fn trouble() {
    let rounds = std::env::var(ROUNDS).map_or(6, |rounds| rounds.parse().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let bundles: Vec<(String, PathBuf)> = (0..4)
        .map(|nth| {
            let path = folder.path().join(format!("{nth}.ireeprof"));
            let capture = Capture {
                dispatches: 60_000,
                device: true,
                host: false,
                seed: nth,
                per_submission: false,
            };
            capture.write(&mut fs::File::create(&path).unwrap()).unwrap();
            (format!("b{nth}"), path)
        })
        .collect();
    let named: Vec<(&str, &Path)> =
        bundles.iter().map(|(name, path)| (name.as_str(), path.as_path())).collect();
    let dataset = folder.path().join("dataset");
    assert!(export(&dataset, &named, &["--tables=dispatches"]).status.success());
    let query = "SELECT a.bundle, a.key, count(*) AS n, sum(a.duration_ns) AS ns, count(DISTINCT b.end_ns) AS m \
        FROM dispatches a JOIN dispatches b ON a.bundle = b.bundle AND a.event_id = b.event_id \
        GROUP BY 1, 2 ORDER BY 1, 2";
    let wanted = csv(&local(&dataset), query).unwrap();
    let mut random = Random(4);
    let mut cluster = Processes::start(3, 2, &[]);
    let (mut answered, mut failed) = (0, Vec::new());
    for round in 0..rounds {
        let engine = cluster.engine(&dataset);
        let begun = Instant::now();
        let answer = thread::scope(|scope| {
            let answer = scope.spawn(|| csv(&engine, query));
            thread::sleep(Duration::from_millis(random.below(700) as u64));
            match random.below(5) {
                0 => cluster.scheduler.signal("-KILL"),
                1 => cluster.workers[1].signal("-STOP"),
                _ => cluster.workers[0].signal("-KILL"),
            }
            answer.join().unwrap()
        });
        let took = begun.elapsed();
        assert!(took < Duration::from_mins(2), "round {round} took {took:?}");
        match answer {
            Ok(answer) => {
                assert_eq!(answer, wanted, "round {round}");
                answered += 1;
            }
            Err(error) => failed.push(error.to_string()),
        }
        // Those that live go on; a stopped one comes back.
        for worker in &cluster.workers {
            worker.signal("-CONT");
        }
        let ended = |process: &mut Process| process.child.try_wait().unwrap().is_some();
        if ended(&mut cluster.scheduler) {
            cluster = Processes::start(3, 2, &[]);
        }
        cluster.workers.retain_mut(|worker| !ended(worker));
        while cluster.workers.len() < 3 {
            cluster.add();
        }
    }
    if rounds > 6 {
        eprintln!("{answered} of {rounds} answered");
    }
    assert!(failed.iter().all(|error| error.contains("the cluster of http")), "{failed:#?}");
    let cluster = Processes::start(2, 60, &[]);
    assert_eq!(csv(&cluster.engine(&dataset), query).unwrap(), wanted, "without trouble");
}

/// Certificates of both sides are asked for, and only those of the same authority do.
fn certificates() {
    let folder = tempfile::tempdir().unwrap();
    for authority in ["one", "other"] {
        fs::create_dir(folder.path().join(authority)).unwrap();
        certify(&folder.path().join(authority));
    }
    let tls = |name: &str| format!("--tls={}", folder.path().join(name).display());
    let one = tls("one");
    let scheduler = Process::start(&["scheduler", "--listen=127.0.0.1:0", &one], &[]);
    let place = format!("--scheduler={}", scheduler.place);
    let worker = ["worker", &place, &one, "--threads=1"];
    let _worker = Process::start(&worker, &[]);
    let (_kept, dataset) = dataset_of(&["mlp-vulkan".into()]);
    let dataset = dataset.display().to_string();
    let ask = |more: &[&str]| {
        let count = "SELECT key, count(*) AS n FROM dispatches GROUP BY key ORDER BY 2 LIMIT 1";
        let cluster = format!("--cluster={}", scheduler.place);
        let words = [&["sql", "--format=csv", "-c", count, &cluster, &dataset], more].concat();
        Command::new(ours()).args(words).output().unwrap()
    };
    let answer = ask(&[&one]);
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    assert!(String::from_utf8_lossy(&answer.stdout).starts_with("key,n\n"));
    for wrong in [vec![], vec![tls("other")]] {
        let words: Vec<&str> = wrong.iter().map(String::as_str).collect();
        assert!(!ask(&words).status.success(), "{words:?}");
    }
    // A worker with another certificate does not take part.
    let other = tls("other");
    let ended = Command::new(ours()).args(["worker", &place, &other]).output().unwrap();
    assert!(!ended.status.success());
    // Others cannot tell which machine is meant by all addresses.
    for listen in ["--listen=0.0.0.0:0", "--listen=[::]:0"] {
        let refused = Command::new(ours()).args(["worker", &place, &one, listen]).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(said.contains("give its name with --advertise"), "{listen}: {said}");
        assert_eq!(refused.status.code(), Some(2), "{listen}: {said}");
    }
    Process::start(&["worker", &place, &one, "--listen=0.0.0.0:0", "--advertise=localhost"], &[]);
}

/// Workers read a dataset of an object store with their own credentials.
fn stores() {
    let server = Server::start();
    let there = "s3://profiles/nightly";
    let captures = ["mlp-vulkan", "mlp-local-task"]
        .map(|name| root().join(format!("tests/data/{name}.ireeprof")).display().to_string());
    let export = ["export", "--format=parquet", "-o", there, &captures[0], &captures[1]];
    server.said(server.port, &export);
    let settings = server.settings(server.port);
    let settings: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let cluster = Processes::start(2, 60, &settings);
    let place = format!("--cluster={}", cluster.scheduler.place);
    let query = "SELECT bundle, key, count(*) AS n, sum(duration_ns) AS ns FROM dispatches \
        WHERE duration_ns > 0 GROUP BY ALL ORDER BY ALL";
    let ask = |more: &[&str]| {
        let words = [&["sql", "--format=csv", "-c", query, there], more].concat();
        server.said(server.port, &words)
    };
    assert_eq!(ask(&[&place]), ask(&[]));
    // Workers that cannot read the place say so.
    let without = Processes::start(1, 60, &[]);
    let place = format!("--cluster={}", without.scheduler.place);
    let words = ["sql", "-c", query, there, &place];
    let output = server.command(server.port, &words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("s3://profiles/nightly"), "{said}");
}

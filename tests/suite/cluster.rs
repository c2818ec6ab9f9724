//! Tests clusters: workers are processes of the program, on ports of this machine.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use ireescope::engine::dataset::Dataset;
use ireescope::engine::{Engine, EngineError, Options};
use libtest_mimic::Trial;
use tempfile::TempDir;

use super::Test;
use super::dataset::export;
use super::objects::Server;
use super::profile::ours;
use super::sql_files::{captures, files, queries};
use super::sql_ways::{KNOWN, known_statement, relations};
use crate::support::ask::{csv, root};
use crate::support::certificates::certify;
use crate::support::generator::Capture;
use crate::support::random::Random;
use crate::support::random_sql::statement;
use crate::support::workers::{Worker, Workers};
use crate::trial;

pub const TESTS: &[Test] = &[
    ("queries_are_answered_as_without", same_answers),
    ("statements_of_all_kinds_are_answered_or_refused", kinds),
    ("what_workers_cannot_read_is_said", refused),
    ("plans_show_stages", plans),
    ("workers_that_die_or_hang_change_no_answer", trouble),
    ("statements_that_are_given_up_end_on_workers", given_up),
    ("busy_workers_end_within_their_grace", grace),
    ("many_statements_leave_no_memory", many),
];

/// The tests that need other tools.
pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 2] = [
        ("connections_between_machines_need_certificates", certificates),
        ("datasets_of_stores_are_read_by_workers", stores),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("cluster::{name}"), test)).collect()
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
    let workers = Workers::start(3, 60, &[]);
    let (mut compared, mut refused) = (0, Vec::new());
    for path in files(&root().join("tests/sql"), "slt") {
        let (names, queries) = queries(&path);
        let (_kept, folder) = dataset_of(&names);
        let (here, there) = (local(&folder), workers.engine(&folder, Some(4)));
        // Passes, which a dataset answers with no rows, and plans.
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
    assert!(refused.is_empty(), "{compared} were answered, but not:\n{}", refused.join("\n"));
    assert!(compared >= 30, "{compared} queries were compared");
}

/// Statements of kinds that need more than one stage, or none.
const KINDS: &[&str] = &[
    "SELECT key, count(*) AS n FROM dispatches GROUP BY key UNION ALL SELECT 'total', 1",
    "SELECT 'a' AS x UNION ALL SELECT 'b' UNION ALL SELECT key FROM dispatches",
    "SELECT count(*) AS n FROM (SELECT event_id FROM dispatches UNION SELECT event_id FROM queue_events UNION ALL VALUES (1), (NULL)) t",
    "SELECT event_id + 1 AS a, event_id * 2 - 3 AS b, event_id // 2 AS c, event_id / 2 AS d, -duration_ns AS e FROM dispatches",
    "SELECT sum(duration_ns) / count(*) AS a, max(end_ns - start_ns) AS b FROM dispatches",
    "SELECT bundle, event_id, row_number() OVER (PARTITION BY key ORDER BY bundle, event_id) AS n, \
     lag(start_ns) OVER (ORDER BY bundle, event_id) AS l, sum(duration_ns) OVER (PARTITION BY bundle ORDER BY event_id) AS s FROM dispatches",
    "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT n, count(event_id) AS c \
     FROM t LEFT JOIN dispatches ON event_id = n GROUP BY n",
    "SELECT a.bundle, a.event_id, b.event_id AS other FROM dispatches a JOIN dispatches b ON a.bundle = b.bundle AND a.event_id + 1 = b.event_id",
    "SELECT a.key, b.kind, count(*) AS n FROM dispatches a FULL JOIN invocations b ON a.bundle = b.bundle AND a.event_id = b.invocation \
     GROUP BY 1, 2",
    "SELECT count(*) AS n, count(a.key) AS a, count(b.bundle) AS b FROM dispatches a FULL JOIN queue_events b ON a.event_id = b.event_id",
    "SELECT d.bundle, d.end_ns, i.bundle AS ib, i.end_ns AS ie FROM dispatches d JOIN invocations i ON d.bundle = i.bundle \
     AND d.start_ns >= i.start_ns AND i.invocation < 3",
    "SELECT count(*) AS n FROM dispatches d JOIN invocations i ON d.start_ns >= i.start_ns",
    "SELECT * FROM (SELECT DISTINCT key FROM dispatches) a CROSS JOIN (SELECT count(*) AS n FROM queue_events) b",
    "SELECT key FROM dispatches WHERE duration_ns > (SELECT avg(duration_ns) FROM dispatches)",
    "SELECT key FROM dispatches d WHERE EXISTS (SELECT 1 FROM invocations i WHERE i.bundle = d.bundle AND i.invocation = d.event_id)",
    "SELECT key FROM dispatches WHERE event_id NOT IN (SELECT event_id FROM queue_events WHERE event_id IS NOT NULL)",
    "SELECT bundle, key, count(*) AS n, count(DISTINCT event_id) AS d FROM dispatches GROUP BY CUBE (bundle, key)",
    "SELECT key, duration_ns FROM dispatches ORDER BY duration_ns DESC, bundle, event_id LIMIT 7 OFFSET 3",
    "SELECT count(*) AS n FROM (SELECT * FROM dispatches LIMIT 9) t",
    "SELECT quantiles(duration_ns, 0.5) AS q, mode(workgroup_count_x) AS m FROM dispatches",
    "SELECT key FROM dispatches EXCEPT SELECT key FROM dispatches WHERE bundle = 'mlp-vulkan'",
    "SELECT event_id FROM dispatches INTERSECT SELECT event_id FROM queue_events",
    "SELECT unnest([1, 2, 3]) AS u, count(*) AS n FROM dispatches GROUP BY u",
    "SUMMARIZE dispatches",
    "DESCRIBE dispatches",
    "SHOW TABLES",
    "SELECT table_name FROM information_schema.tables",
    "SELECT * FROM generate_series(1, 3) AS t(n), (SELECT count(*) AS c FROM dispatches)",
    "SELECT * FROM function_counters",
    "SELECT 1 AS one",
    "SELECT 1 // (event_id - event_id) AS never FROM dispatches",
    "SELECT CAST(key AS BIGINT) AS never FROM dispatches",
];

/// Longest time of such a statement.
const LONGEST: Duration = Duration::from_mins(1);

/// All kinds of statements and random ones, with 2 and 3 workers and tasks of 1, 3 and 16 parts.
fn kinds() {
    let (_kept, folder) =
        dataset_of(&["mlp-vulkan".into(), "mlp-local-task".into(), "matmul-vulkan".into()]);
    let here = local(&folder);
    let relations = relations(&here);
    let mut all: Vec<String> = KINDS.iter().map(|text| (*text).to_owned()).collect();
    all.extend(KNOWN.iter().map(|(text, _)| known_statement(text)));
    all.extend((0..80).map(|seed| statement(&relations, seed).text));
    assert!(all.len() >= 120, "{}", all.len());
    let wanted: Vec<Result<String, EngineError>> =
        all.iter().map(|text| csv(&here, text)).collect();
    let (mut counts, mut wrong) = (BTreeMap::<&str, usize>::new(), Vec::new());
    for (count, parts) in [(2, 1), (2, 3), (3, 3), (3, 16)] {
        let workers = Workers::start(count, 20, &[]);
        let there = workers.engine(&folder, Some(parts));
        for (text, wanted) in all.iter().zip(&wanted) {
            let begun = Instant::now();
            let found = csv(&there, text);
            assert!(begun.elapsed() < LONGEST, "{text} took {:?}", begun.elapsed());
            let said = match (&found, wanted) {
                (Ok(found), Ok(wanted)) if are_same(found, wanted) => "equal",
                // Which row is met first may differ.
                (Err(EngineError::Query(_)), Err(EngineError::Query(_))) => "refused on both sides",
                _ => {
                    wrong.push(format!(
                        "{text} with {count} workers, {parts} parts: {found:?}\n    not {wanted:?}"
                    ));
                    "different"
                }
            };
            *counts.entry(said).or_default() += 1;
        }
    }
    assert!(wrong.is_empty(), "{counts:?}\n{}", wrong.join("\n"));
    println!("{counts:?}");
    for (text, error) in
        all.iter().zip(&wanted).filter_map(|(t, w)| w.as_ref().err().map(|e| (t, e)))
    {
        println!("{text}\n    {error}");
    }
    assert!(counts["equal"] > 4 * 110, "{counts:?}");
}

/// Whether two answers have the same rows, but for the last digits of sums of floats.
fn are_same(found: &str, wanted: &str) -> bool {
    let rows = |text: &str| {
        let mut rows: Vec<Vec<String>> =
            text.lines().map(|line| line.split(',').map(shortened).collect()).collect();
        rows.sort();
        rows
    };
    rows(found) == rows(wanted)
}

/// Returns a cell, with nine digits if it is a float.
fn shortened(cell: &str) -> String {
    match cell.parse::<f64>() {
        Ok(float) if cell.contains('.') => format!("{float:.8e}"),
        _ => cell.to_owned(),
    }
}

/// What only the client has runs there; what has changed meanwhile, and workers that are not there.
fn refused() {
    let workers = Workers::start(1, 60, &[]);
    let (kept, folder) = dataset_of(&["mlp-vulkan".into()]);
    let engine = workers.engine(&folder, None);
    csv(&engine, "CREATE TABLE mine AS SELECT key, duration_ns FROM dispatches").unwrap();
    assert_eq!(csv(&engine, "SELECT count(*) AS n FROM mine").unwrap(), "n\n80\n");
    let error = csv(&engine, "SELECT 1 FROM dispatches WHERE no_such > 1").unwrap_err().to_string();
    assert!(error.contains("no_such"), "{error}");
    assert_eq!(csv(&engine, "SELECT count(*) AS n FROM dispatches").unwrap(), "n\n80\n");
    let more = root().join("tests/data/mlp-local-task.ireeprof");
    let query = "SELECT key, count(*) AS n FROM dispatches GROUP BY key ORDER BY key";
    assert!(export(&folder, &[("more", &more)], &[]).status.success());
    let both = workers.engine(&folder, Some(2));
    let plan = csv(&both, &format!("EXPLAIN {query}")).unwrap();
    assert!(plan.contains("Stage 1"), "{plan}");
    let third = root().join("tests/data/matmul-vulkan.ireeprof");
    assert!(export(&folder, &[("third", &third)], &[]).status.success());
    let error = csv(&both, query).unwrap_err();
    let changed = "has changed since the statement was planned; run it again";
    assert!(matches!(&error, EngineError::Environment(text) if text.contains(changed)), "{error}");
    let all = workers.engine(&folder, Some(2));
    assert_eq!(csv(&all, "SELECT count(*) AS n FROM dispatches").unwrap(), "n\n168\n");
    // The command.
    let (folder, bundle) = (folder.display().to_string(), more.display().to_string());
    let run = |words: &[&str]| {
        let output = Command::new(ours())
            .args(["sql", "--format=csv", "-c", "SELECT count(*) AS n FROM dispatches"])
            .args(words)
            .output()
            .unwrap();
        said(&output)
    };
    let place = workers.flag();
    assert_eq!(run(&[&place, &folder]), (0, "n\n168\n".into()));
    // A worker that is not there is left out, if another one is.
    assert_eq!(run(&[&format!("{place},127.0.0.1:1"), &folder]), (0, "n\n168\n".into()));
    let (code, text) = run(&[&place, &bundle]);
    assert!(code == 2 && text.contains("--cluster needs a dataset"), "{text}");
    let (code, text) = run(&["--cluster=127.0.0.1:1", &folder]);
    let none = "no worker of --cluster answers";
    assert!(code == 4 && text.contains(none) && text.contains("127.0.0.1:1"), "{code}: {text}");
    let (code, text) = run(&["--cluster=node0.example:50050", &folder]);
    assert!(code == 2 && text.contains("needs certificates: --tls"), "{text}");
    drop(kept);
}

fn said(output: &Output) -> (i32, String) {
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    (output.status.code().unwrap(), text.into_owned())
}

/// A plan tells of its stages, and of what each did.
fn plans() {
    let workers = Workers::start(2, 60, &[]);
    let (_kept, folder) = dataset_of(&["mlp-vulkan".into(), "mlp-local-task".into()]);
    let engine = workers.engine(&folder, Some(2));
    let query = "SELECT key, sum(duration_ns) FROM dispatches GROUP BY key ORDER BY 2";
    let plan = csv(&engine, &format!("EXPLAIN {query}")).unwrap();
    for part in ["distributed_plan", "relation=dispatches", "Stage 1", "tasks=2"] {
        assert!(plan.contains(part), "{part}: {plan}");
    }
    let analyzed = csv(&engine, &format!("EXPLAIN ANALYZE {query}")).unwrap();
    for part in ["Stage 2", "output_rows=160", "bytes_transferred"] {
        assert!(analyzed.contains(part), "{part}: {analyzed}");
    }
    // A side of a join of which no row is wanted.
    let empty = "SELECT count(*) FROM (SELECT key FROM dispatches WHERE duration_ns < 0) a JOIN dispatches b ON a.key = b.key";
    let begun = Instant::now();
    let analyzed = csv(&engine, &format!("EXPLAIN ANALYZE {empty}")).unwrap();
    assert!(analyzed.contains("Stage 1"), "{analyzed}");
    assert!(begun.elapsed() < LONGEST, "{:?}", begun.elapsed());
    // Workers with one thread.
    let of_one = [Worker::start(&["--threads=1"], &[]), Worker::start(&["--threads=1"], &[])];
    let places = of_one.each_ref().map(|worker| worker.place.as_str());
    let place = format!("--cluster={}", places.join(","));
    let words = ["sql", "-c", &format!("EXPLAIN {query}"), &place, folder.to_str().unwrap()];
    let (code, plan) = said(&Command::new(ours()).args(words).output().unwrap());
    assert!(code == 0 && plan.contains("tasks=2"), "{plan}");
}

/// Rounds of `workers_that_die_or_hang_change_no_answer`; 200 were run by hand.
const ROUNDS: &str = "IREESCOPE_ROUNDS";

/// A dataset of `bundles` captures of 60,000 calls each.
fn large(bundles: u64) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let bundles: Vec<(String, PathBuf)> = (0..bundles)
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
    (folder, dataset)
}

/// A join of all rows with themselves.
const JOIN: &str = "SELECT a.bundle, a.key, count(*) AS n, sum(a.duration_ns) AS ns, count(DISTINCT b.end_ns) AS m \
    FROM dispatches a JOIN dispatches b ON a.bundle = b.bundle AND a.event_id = b.event_id \
    GROUP BY 1, 2 ORDER BY 1, 2";

/// A statement that takes far longer than any test.
const LONG: &str = "SELECT count(*) AS n FROM dispatches a JOIN dispatches b ON a.duration_ns * 7 % 1000003 < b.duration_ns \
    JOIN dispatches c ON b.end_ns * 3 % 1009 <> c.end_ns % 1000";

/// A statement that takes about a second.
const SECONDS: &str = "SELECT count(*) AS n FROM dispatches a JOIN dispatches b ON a.duration_ns % 500 = b.duration_ns % 500";

/// Kills and stops workers while a statement runs: it answers right, or with an error that says what to do.
fn trouble() {
    let rounds = std::env::var(ROUNDS).map_or(6, |rounds| rounds.parse().unwrap());
    let (_kept, dataset) = large(4);
    let wanted = csv(&local(&dataset), JOIN).unwrap();
    let mut random = Random(4);
    let mut workers = Workers::start(3, 6, &[]);
    let (mut answered, mut failed) = (0, Vec::new());
    for round in 0..rounds {
        let engine = workers.engine(&dataset, Some(4));
        let begun = Instant::now();
        let answer = thread::scope(|scope| {
            let answer = scope.spawn(|| csv(&engine, JOIN));
            thread::sleep(Duration::from_millis(random.below(700) as u64));
            let signal = if random.below(4) == 0 { "-STOP" } else { "-KILL" };
            workers.all[random.below(3)].signal(signal);
            answer.join().unwrap()
        });
        let took = begun.elapsed();
        assert!(took < Duration::from_secs(30), "round {round} took {took:?}");
        match answer {
            Ok(answer) => {
                assert_eq!(answer, wanted, "round {round}");
                answered += 1;
            }
            Err(error @ EngineError::Environment(_)) => failed.push(error.to_string()),
            Err(error) => panic!("round {round}: {error:?}"),
        }
        // A stopped one comes back.
        for worker in &workers.all {
            worker.signal("-CONT");
        }
        workers.all.retain_mut(|worker| !worker.has_ended());
        // Those that live answer without the others.
        assert_eq!(csv(&workers.engine(&dataset, Some(4)), JOIN).unwrap(), wanted);
        while workers.all.len() < 3 {
            workers.add();
        }
    }
    if rounds > 6 {
        eprintln!("{answered} of {rounds} answered");
    }
    let is_said = |error: &String| error.contains("Run the statement again");
    assert!(failed.iter().all(is_said), "{failed:#?}");
    assert!(answered > 0, "{failed:#?}");
}

/// Statements whose client is killed, or whose time is over, end on the workers, and others are answered at once.
fn given_up() {
    let workers = Workers::start(2, 10, &[]);
    let (_kept, dataset) = large(2);
    let place = workers.flag();
    let folder = dataset.display().to_string();
    let start = |more: &[&str]| {
        let mut command = Command::new(ours());
        command.args(["sql", "-c", LONG, &place, &folder]).args(more);
        command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
    };
    let busy = |what: &str| {
        let before: u64 = workers.all.iter().map(Worker::ticks).sum();
        thread::sleep(Duration::from_secs(1));
        let after: u64 = workers.all.iter().map(Worker::ticks).sum();
        assert!(after > before + 20, "the workers did not run the statement: {what}");
    };
    for signal in ["-KILL", "-INT", "-TERM"] {
        let mut client = start(&[]);
        thread::sleep(Duration::from_secs(1));
        busy(signal);
        let id = client.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        client.wait().unwrap();
        assert!(workers.are_idle_within(Duration::from_secs(5)), "after {signal}");
    }
    let mut client = start(&["--statement-timeout=2s"]);
    assert_eq!(client.wait().unwrap().code(), Some(4));
    assert!(workers.are_idle_within(Duration::from_secs(5)), "after the time");
    let engine = workers.engine(&dataset, None);
    let count = csv(&engine, "SELECT count(*) AS n FROM dispatches").unwrap();
    assert_eq!(count, "n\n120000\n");
}

/// SIGTERM lets what runs go on for the grace, and ends the worker then.
fn grace() {
    let (_kept, dataset) = large(2);
    let folder = dataset.display().to_string();
    for (grace, is_enough) in [(1, false), (60, true)] {
        let mut worker = Worker::start(&[&format!("--grace={grace}")], &[]);
        let place = format!("--cluster={}", worker.place);
        let query = if is_enough { SECONDS } else { LONG };
        let mut command = Command::new(ours());
        command.args(["sql", "-c", query, &place, &folder]).stdout(Stdio::piped());
        let client = command.stderr(Stdio::piped()).spawn().unwrap();
        let begun = Instant::now();
        while worker.ticks() < 20 {
            assert!(begun.elapsed() < Duration::from_secs(20), "the worker got nothing to do");
            thread::sleep(Duration::from_millis(10));
        }
        worker.signal("-TERM");
        let begun = Instant::now();
        let (code, text) = said(&client.wait_with_output().unwrap());
        let ended = worker.child.wait().unwrap();
        assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
        assert!(ended.success(), "{ended}");
        if is_enough {
            assert_eq!(code, 0, "{text}");
        } else {
            assert!(code == 4 && text.contains("Run the statement again"), "{code}: {text}");
        }
    }
}

/// 1,000 short statements leave workers as large as they were.
fn many() {
    let workers = Workers::start(2, 60, &[]);
    let (_kept, folder) = dataset_of(&["mlp-vulkan".into(), "mlp-local-task".into()]);
    let engine = workers.engine(&folder, Some(2));
    let ask = |count: usize| {
        for nth in 0..count {
            let query = format!("SELECT key, count(*) + {nth} AS n FROM dispatches GROUP BY key");
            csv(&engine, &query).unwrap();
        }
        workers.all.iter().map(Worker::memory).max().unwrap()
    };
    let before = ask(100);
    let after = ask(1000);
    assert!(after < before + (20 << 20), "{before} bytes, then {after}");
}

/// Certificates of both sides are asked for, and only those of the same authority do.
fn certificates() {
    let folder = tempfile::tempdir().unwrap();
    for authority in ["one", "other"] {
        fs::create_dir(folder.path().join(authority)).unwrap();
        certify(&folder.path().join(authority));
    }
    let tls = |name: &str| format!("--tls={}", folder.path().join(name).display());
    let (one, other) = (tls("one"), tls("other"));
    let workers = [Worker::start(&[&one], &[]), Worker::start(&[&one], &[])];
    let places: Vec<&str> = workers.iter().map(|worker| worker.place.as_str()).collect();
    let (_kept, dataset) = dataset_of(&["mlp-vulkan".into(), "mlp-local-task".into()]);
    let dataset = dataset.display().to_string();
    let ask = |places: &[&str], more: &[&str]| {
        let count = "SELECT key, count(*) AS n FROM dispatches GROUP BY key ORDER BY 2 LIMIT 1";
        let cluster = format!("--cluster={}", places.join(","));
        let words = [&["sql", "--format=csv", "-c", count, &cluster, &dataset], more].concat();
        Command::new(ours()).args(words).output().unwrap()
    };
    let answer = ask(&places, &[&one]);
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    assert!(String::from_utf8_lossy(&answer.stdout).starts_with("key,n\n"));
    for wrong in [&[][..], &[other.as_str()]] {
        assert_eq!(ask(&places, wrong).status.code(), Some(4), "{wrong:?}");
    }
    // A worker with another certificate does not take part.
    let stranger = Worker::start(&[&other], &[]);
    assert_eq!(ask(&[&stranger.place], &[&one]).status.code(), Some(4));
    // Without certificates, a worker listens on its own machine only.
    for listen in ["--listen=0.0.0.0:0", "--listen=[::]:0"] {
        let refused = Command::new(ours()).args(["worker", listen]).output().unwrap();
        let said = String::from_utf8_lossy(&refused.stderr);
        assert!(said.contains("needs certificates: --tls"), "{listen}: {said}");
        assert_eq!(refused.status.code(), Some(2), "{listen}: {said}");
        let everywhere = Worker::start(&[&one, listen], &[]);
        let port = everywhere.place.rsplit_once(':').unwrap().1;
        let here = format!("localhost:{port}");
        assert!(ask(&[&here], &[&one]).status.success(), "{listen}");
    }
}

/// Workers read a dataset of an object store with their own credentials.
fn stores() {
    let server = Server::start();
    let there = "s3://profiles/nightly";
    // Of two row groups, so that there are two tasks.
    let (kept, _) = large(5);
    let paths = (0..5).map(|nth| kept.path().join(format!("{nth}.ireeprof")).display().to_string());
    let paths: Vec<String> = paths.collect();
    let mut export = vec!["export", "--format=parquet", "--tables=dispatches", "-o", there];
    export.extend(paths.iter().map(String::as_str));
    server.said(server.port, &export);
    let settings = server.settings(server.port);
    let settings: Vec<(&str, &str)> =
        settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let workers = Workers::start(2, 60, &settings);
    let place = workers.flag();
    let query = "SELECT bundle, key, count(*) AS n, sum(duration_ns) AS ns FROM dispatches \
        WHERE duration_ns > 0 GROUP BY ALL ORDER BY ALL";
    let ask = |more: &[&str]| {
        let words = [&["sql", "--format=csv", "-c", query, there], more].concat();
        server.said(server.port, &words)
    };
    assert_eq!(ask(&[&place]), ask(&[]));
    // Workers that cannot read the place say so.
    let without = Workers::start(2, 60, &[]);
    let place = without.flag();
    let words = ["sql", "-c", query, there, &place];
    let output = server.command(server.port, &words).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("s3://profiles/nightly"), "{said}");
    assert_eq!(output.status.code(), Some(4), "{said}");
}

//! Tests `serve --flight-sql`: servers are processes of the program, and clients are ADBC and pyarrow in
//! `tests/tools/check_flight_sql.py`.

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use exporters::Format;
use libtest_mimic::Trial;

use super::differential::BIN;
use super::profile::ours;
use super::sql_files::{captures, files, queries};
use crate::support::ask::{encoded, engine_over, open, root};
use crate::support::certificates::certify;
use crate::trial;

pub fn trials() -> Vec<Trial> {
    let tests: [(&str, fn()); 8] = [
        ("queries_give_what_they_give_in_the_program", same_answers),
        ("prepared_statements_take_values", || one("parameters")),
        ("clients_learn_what_is_served", || one("metadata")),
        ("what_is_refused_is_told", || one("errors")),
        ("statements_stop_with_their_clients", stopped),
        ("clients_have_limits", limits),
        ("users_need_passwords_and_tls", logins),
        ("servers_end_with_their_statements", ends),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("flight::{name}"), test)).collect()
}

/// A server that is killed in the end. Its standard error is read to its end.
struct Server {
    child: Child,
    flight: String,
    metrics: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    fn start(words: &[&str]) -> Self {
        let mut child = Command::new(ours())
            .args(["serve", "--flight-sql=127.0.0.1:0", "--metrics=127.0.0.1:0"])
            .args(words)
            .stderr(Stdio::piped())
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap());
        let mut server = Self { child, flight: String::new(), metrics: String::new() };
        // Warnings about bundles may come before.
        let mut next = |about: &str| {
            let mut said = String::new();
            loop {
                let before = said.len();
                let has_ended = lines.read_line(&mut said).unwrap() == 0;
                assert!(!has_ended, "{words:?}: {said}");
                if said[before..].contains(about) {
                    let place = said.trim().rsplit(' ').next().unwrap();
                    return place.trim_start_matches("http://").replace("/metrics", "");
                }
            }
        };
        server.flight = next("Arrow Flight SQL");
        server.metrics = next("Prometheus");
        thread::spawn(move || lines.read_to_end(&mut Vec::new()));
        server
    }

    /// Runs a check of `tests/tools/check_flight_sql.py`, and returns what it prints.
    fn check(&self, check: &str, more: &[&str]) -> String {
        let output = Command::new(BIN.join("python"))
            .arg(root().join("tests/tools/check_flight_sql.py"))
            .args([check, &self.flight])
            .args(more)
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{check} {more:?}: {said}");
        String::from_utf8(output.stdout).unwrap()
    }
}

fn captured(name: &str) -> String {
    format!("{name}={}", root().join(format!("tests/data/{name}.ireeprof")).display())
}

fn one(check: &str) {
    Server::start(&[&captured("mlp-vulkan")]).check(check, &[]);
}

/// Every query of tests/sql, with what the engine gives in this process.
fn same_answers() {
    let mut compared = 0;
    for path in files(&root().join("tests/sql"), "slt") {
        let (names, queries) = queries(&path);
        let kept = captures(&names);
        let bundles = kept.iter().map(|(name, path, _)| open(path, name).unwrap()).collect();
        let engine = engine_over(bundles, None);
        let folder = tempfile::tempdir().unwrap();
        for (nth, query) in queries.iter().enumerate() {
            let base = folder.path().join(format!("{nth:04}"));
            fs::write(base.with_extension("sql"), query).unwrap();
            match encoded(&engine, query, Format::Arrow) {
                Ok(bytes) => fs::write(base.with_extension("arrow"), bytes).unwrap(),
                Err(error) => fs::write(base.with_extension("error"), error.to_string()).unwrap(),
            }
        }
        let words: Vec<String> =
            kept.iter().map(|(name, path, _)| format!("{name}={}", path.display())).collect();
        let server = Server::start(&words.iter().map(String::as_str).collect::<Vec<_>>());
        let said = server.check("queries", &[&folder.path().display().to_string()]);
        assert_eq!(said.trim().parse(), Ok(queries.len()), "{}", path.display());
        compared += queries.len();
    }
    assert!(compared >= 100, "{compared} queries were compared");
}

fn stopped() {
    let server = Server::start(&[&captured("mlp-vulkan")]);
    server.check("stopped", &[&server.metrics]);
}

fn limits() {
    let limits = ["--max-connections=2", "--statement-timeout=2s", "--row-limit=100000"];
    let server = Server::start(&[&limits[..], &[&captured("mlp-vulkan")]].concat());
    server.check("limits", &[&server.metrics]);
}

fn logins() {
    let folder = tempfile::tempdir().unwrap();
    certify(folder.path());
    let authority = folder.path().join("ca.crt");
    let users = folder.path().join("users");
    fs::write(&users, "# Users.\nann:secret\nbob:hidden\n").unwrap();
    assert!(Command::new("chmod").arg("600").arg(&users).status().unwrap().success());
    let place = |name: &str| folder.path().join(name).display().to_string();
    let words = [
        format!("--tls-cert={}", place("node.crt")),
        format!("--tls-key={}", place("node.key")),
        format!("--password-file={}", users.display()),
        captured("mlp-vulkan"),
    ];
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    Server::start(&words).check("logins", &[&authority.display().to_string()]);
    // Others may not connect without.
    let bundle = captured("mlp-vulkan");
    let open = ["serve", "--flight-sql=0.0.0.0:0", &bundle];
    let output = Command::new(ours()).args(open).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("--password-file"), "{said}");
    let wrong = [words[0], words[1], "serve", "--flight-sql=127.0.0.1:0", &bundle];
    fs::write(folder.path().join("node.crt"), "nothing").unwrap();
    let output = Command::new(ours()).args(&wrong[2..]).args(&wrong[..2]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("node.crt"), "{said}");
}

fn ends() {
    let mut server = Server::start(&["--grace=2s", &captured("mlp-vulkan")]);
    let begun = Instant::now();
    server.check("ends", &[&server.child.id().to_string()]);
    let status = server.child.wait().unwrap();
    assert!(status.success(), "{status}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

//! Compares the commands of `iree-profile` byte for byte with the real tool, on captures, built bundles and random
//! ones.
//!
//! The program runs each command once; on the other bundles its lines are made in this process, by the function that the program
//! calls, too. The output for a few bundles is also compared with tests/golden, which needs no tool.

use std::path::{Path, PathBuf};
use std::process::{self, Output};

use ireescope::engine::Warmup;
use ireescope::export::lines::write_command;
use ireescope::workspace::{Command, ReportRequest};
use ireescope::{Workspace, WorkspaceOptions};
use libtest_mimic::Trial;
use schemas::spec::Read;
use tempfile::NamedTempFile;

use super::differential::{TOOLS, whole_capture};
use super::sql_files::settle;
use crate::support::ask::{captures, cell, engine, file, generated, root};
use crate::support::builder::Bundle;
use crate::support::generator::Capture;
use crate::support::{built, random_bundle};
use crate::trial;

/// Every command, with the flags that change its output.
const COMMANDS: &[&str] = &[
    "cat",
    "summary",
    "statistics",
    "explain",
    "explain --filter=*matmul*",
    "explain --id=2",
    "dispatch",
    "dispatch --dispatch_events",
    "dispatch --filter=*matmul*",
    "dispatch --filter=?o*x* --dispatch_events",
    "dispatch --id=5",
    "dispatch --id=5 --dispatch_events",
    "dispatch --id=7 --id=5 --dispatch_events=1",
    "executable",
    "executable --filter=*0*",
    "executable --id=1",
    "executable --id=2 --dispatch_events",
    "command",
    "command --filter=dispatch",
    "command --filter=*max*",
    "command --id=1",
    "command --id=3 --dispatch_events",
    "queue",
    "queue --filter=execute",
    "queue --filter=*co*",
    "queue --id=3",
    "queue --id=0",
    "queue --id=1 --dispatch_events",
    "counter",
    "counter --counter_samples",
    "counter --filter=*o*",
    "counter --id=2 --counter_samples",
    "memory",
    "memory --filter=queue*",
    "memory --filter=*pool*",
    "memory --id=1",
];

/// Commands with small outputs, for large bundles.
const SUMS: &[&str] = &[
    "summary",
    "statistics",
    "explain",
    "dispatch",
    "dispatch --filter=*matmul*",
    "dispatch --id=5",
    "executable",
    "executable --filter=*0*",
    "command",
    "command --filter=*max*",
    "queue",
];

/// Dispatches of a bundle with three chunks, which several threads read.
const MANY: u64 = 140_000;

/// The capture on which the program runs each command.
const BY_PROGRAM: &str = "mlp-vulkan";

/// Bundles whose output is in tests/golden.
const GOLDEN: &[&str] = &["gpu", "no_clock"];

/// Default number of random bundles to compare; `IREESCOPE_SHAKE` overrides it.
const SEEDS: u64 = 24;

/// The tests that need no tool.
pub fn goldens() -> Vec<Trial> {
    let of = |name: &&'static str| {
        let name = *name;
        trial(format!("profile::golden::{name}"), move || golden(name))
    };
    let fault = trial("profile::large::the_first_fault_is_told".into(), first_fault);
    let sum = trial("profile::large::a_sum_of_all_threads_may_overflow".into(), overflow);
    GOLDEN.iter().map(of).chain([fault, sum]).collect()
}

/// Generates a bundle with many dispatches, timed by the device, the host or both.
fn large(device: bool, host: bool) -> NamedTempFile {
    generated(&Capture { dispatches: MANY, device, host, seed: 11, per_submission: false })
}

/// Returns a bundle in which a field of two distant dispatches is set to a number, and the offsets of these dispatches.
fn two_dispatches(field: &str, number: u64) -> (Vec<u8>, [usize; 2]) {
    let bundle = large(true, false);
    let columns = schemas::find("dispatch_events").unwrap().columns();
    let column = columns.iter().find(|column| column.name == field).unwrap();
    let Read::Record(at) = column.read else { panic!("it stands in the record") };
    let places = [70_000, MANY - 3].map(|nth| {
        let query = format!(
            "SELECT byte_offset FROM dispatch_events ORDER BY byte_offset LIMIT 1 OFFSET {nth}"
        );
        cell(&engine(bundle.path()), &query).parse::<usize>().unwrap()
    });
    let mut bytes = std::fs::read(bundle.path()).unwrap();
    for offset in places {
        bytes[offset + at..][..8].copy_from_slice(&number.to_le_bytes());
    }
    (bytes, places)
}

/// Checks that the error names the event at which the sum overflows, even if the sum of each thread does not.
fn overflow() {
    let (bytes, [_, second]) = two_dispatches("end_tick", 3 << 62);
    let output = on_threads("summary", file(&bytes).path());
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains(&format!("byte {second} ")) && said.contains("end_tick"), "{said}");
}

/// Checks that the first fault in file order is reported, whichever thread finds it.
fn first_fault() {
    let (bytes, [first, _]) = two_dispatches("executable_id", 0xdead);
    for command in ["dispatch", "executable", "command", "explain"] {
        let output = on_threads(command, file(&bytes).path());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{command}: {said}");
        assert!(said.contains(&format!("byte {first} ")), "{command}: {said}");
    }
}

/// The comparisons with `iree-profile`.
pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for path in captures() {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        trials.push(trial(format!("profile::{name}"), move || {
            let ours = if name == BY_PROGRAM { by_program } else { in_process };
            compare(COMMANDS, whole_capture(&path).path(), &name, ours);
        }));
    }
    for name in built::ALL {
        trials.push(trial(format!("profile::built::{name}"), move || {
            compare(COMMANDS, file(&built::named(name)).path(), name, in_process);
        }));
    }
    for (name, device, host) in
        [("device", true, false), ("host", false, true), ("both", true, true)]
    {
        trials.push(trial(format!("profile::large::{name}"), move || {
            compare(SUMS, large(device, host).path(), name, by_program);
        }));
    }
    trials.push(trial("profile::built::no_status".into(), || {
        let fields = [("record_type", 2), ("session_status_code", u32::MAX.into())];
        let bundle = Bundle::new().begin(1, "").record(&fields, b"x", b"", b"").end(1, u32::MAX);
        compare(&["cat"], file(&bundle.finish()).path(), "no_status", by_program);
    }));
    trials.push(trial("profile::random".into(), || {
        let more = std::env::var("IREESCOPE_SHAKE").ok().and_then(|text| text.parse().ok());
        for seed in 0..more.unwrap_or(SEEDS) {
            let bundle = file(&random_bundle::bundle(seed));
            compare(COMMANDS, bundle.path(), &format!("seed {seed}"), in_process);
        }
    }));
    trials
}

fn run(program: &Path, command: &str, path: &Path) -> Output {
    let arguments = command.split(' ').chain(["--format=jsonl"]);
    process::Command::new(program).args(arguments).arg(path).output().unwrap()
}

/// Runs `ireescope` on two threads, whatever the number of CPUs.
fn on_threads(command: &str, path: &Path) -> Output {
    run(&ours(), &format!("{command} --threads=2"), path)
}

/// The program as it is released, whose instructions and memory count.
pub fn optimized() -> PathBuf {
    let named = std::env::var_os("IREESCOPE_OPTIMIZED");
    PathBuf::from(named.expect("IREESCOPE_OPTIMIZED names the program, as tests/run sets it"))
}

pub fn ours() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_ireescope"))
}

/// What a command prints here, or its exit code and message.
type Printed = Result<Vec<u8>, (i32, String)>;

fn by_program(command: &str, path: &Path) -> Printed {
    let ran = on_threads(command, path);
    match ran.status.code() {
        Some(0) => Ok(ran.stdout),
        code => Err((code.unwrap_or(-1), String::from_utf8_lossy(&ran.stderr).into_owned())),
    }
}

fn in_process(command: &str, path: &Path) -> Printed {
    let mut words = command.split(' ');
    let known = Command::named(words.next().unwrap()).unwrap();
    let mut request = ReportRequest { warmup: Warmup::Keep, ..ReportRequest::default() };
    for word in words {
        match word.split_once('=').unwrap_or((word, "")) {
            ("--filter", pattern) => request.filter = pattern.into(),
            ("--id", id) => request.id = id.parse().unwrap(),
            ("--dispatch_events", _) => request.dispatch_events = true,
            ("--counter_samples", _) => request.counter_samples = true,
            other => panic!("{other:?}"),
        }
    }
    let options = WorkspaceOptions { threads: Some(2), ..WorkspaceOptions::default() };
    let made = || -> Result<Vec<u8>, Box<dyn std::error::Error>> {
        let (groups, parameters) = (request.reports(known)?, request.parameters(known));
        let mut lines = Vec::new();
        for workspace in Workspace::open_each(&[path.to_str().unwrap()], &options)? {
            write_command(&workspace, &groups, &parameters, None, &mut lines)?;
        }
        Ok(lines)
    };
    // The program knows the exit code.
    made().or_else(|_| by_program(command, path))
}

/// Compares all commands, and fails with the first difference of each.
fn compare(commands: &[&str], path: &Path, name: &str, ours: fn(&str, &Path) -> Printed) {
    let mut wrong = String::new();
    for command in commands {
        let theirs = run(&TOOLS.join("iree-profile"), command, path);
        let ours = ours(command, path);
        if !theirs.status.success() {
            // A bundle that `iree-profile` rejects must be rejected, too.
            if !matches!(ours, Err((3, _))) {
                let why = String::from_utf8_lossy(&theirs.stderr);
                wrong += &format!(
                    "{command}: refused there ({}), here {ours:?}\n",
                    why.lines().next().unwrap_or("")
                );
            }
            continue;
        }
        match ours {
            Err((code, why)) => wrong += &format!("{command}: exit {code}: {why}\n"),
            Ok(ours) if ours != theirs.stdout => {
                wrong += &format!("{command}: {}\n", first_difference(&theirs.stdout, &ours));
            }
            Ok(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{name}:\n{wrong}");
}

/// Describes the first pair of lines that differ.
pub fn first_difference(theirs: &[u8], ours: &[u8]) -> String {
    let lines = |bytes: &[u8]| -> Vec<String> {
        bytes
            .split(|byte| *byte == b'\n')
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect()
    };
    let (theirs, ours) = (lines(theirs), lines(ours));
    let at = theirs.iter().zip(&ours).position(|(theirs, ours)| theirs != ours);
    let at = at.unwrap_or_else(|| theirs.len().min(ours.len()));
    let line = |lines: &[String]| lines.get(at).cloned().unwrap_or_else(|| "(nothing)".into());
    format!("line {}\n  theirs {}\n  ours   {}", at + 1, line(&theirs), line(&ours))
}

/// Compares the output for a built bundle with its golden file, which holds that of all commands.
fn golden(name: &str) {
    let bundle = file(&built::named(name));
    let mut after = String::new();
    for command in COMMANDS {
        let printed = run(&ours(), command, bundle.path());
        assert!(
            printed.status.success(),
            "{command}: {}",
            String::from_utf8_lossy(&printed.stderr)
        );
        after += &format!("# {command}\n{}", String::from_utf8_lossy(&printed.stdout));
    }
    let path = root().join(format!("tests/golden/{name}.jsonl"));
    let before = std::fs::read_to_string(&path).unwrap_or_default();
    settle(&path, &before, &after);
}

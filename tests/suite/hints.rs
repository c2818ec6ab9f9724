//! Runs the commands that reports suggest, as they are printed, over a bundle whose path needs quotes.

use std::path::Path;
use std::process::Command;

use crate::Test;
use crate::support::ask::root;

pub const TESTS: &[Test] = &[
    ("suggested_commands_run", suggested),
    ("evidence_of_a_damaged_bundle_runs", damaged),
    ("answers_of_gaps_run", answers),
];

/// Copies a capture to a path with blanks and quotes.
fn copy(capture: &str, folder: &Path) -> &'static str {
    let name = "it's a \"copy\".ireeprof";
    std::fs::copy(root().join("tests/data").join(capture), folder.join(name)).unwrap();
    name
}

/// Runs the program with arguments, and returns the lines of its standard output.
fn said(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    let output = program.args(arguments).current_dir(folder).output().unwrap();
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// Runs a command in a shell, and requires that it succeeds and prints something.
fn paste(folder: &Path, command: &str) {
    let binary = Path::new(env!("CARGO_BIN_EXE_ireescope"));
    let path = std::env::var("PATH").unwrap();
    let path = format!("{}:{path}", binary.parent().unwrap().display());
    let mut shell = Command::new("sh");
    let output =
        shell.args(["-c", command]).env("PATH", path).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{command}: {output:?}");
    assert!(!output.stdout.is_empty() || !output.stderr.is_empty(), "{command} prints nothing");
}

/// Pastes the commands that a report suggests at its end, and returns their number.
fn paste_all(folder: &Path, arguments: &[&str]) -> usize {
    let lines = said(folder, arguments);
    let commands = lines.iter().filter(|line| line.starts_with("  ireescope "));
    commands.inspect(|command| paste(folder, command)).count()
}

fn suggested() {
    let folder = tempfile::tempdir().unwrap();
    for capture in ["mlp-vulkan.ireeprof", "mlp-local-task.ireeprof"] {
        let bundle = copy(capture, folder.path());
        for (command, wanted) in [
            ("top", 1),
            ("doctor", 1),
            ("summary", 2),
            ("explain", 2),
            ("dispatch", 1),
            ("executable", 1),
            ("command", 1),
            ("queue", 2),
            ("memory", 2),
            ("counter", 1),
            ("statistics", 1),
            ("cat", 1),
        ] {
            let count = paste_all(folder.path(), &[command, bundle]);
            assert_eq!(count, wanted, "{command} {capture}");
        }
    }
}

fn damaged() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = copy("killed.ireeprof", folder.path());
    assert_eq!(paste_all(folder.path(), &["doctor", bundle]), 2);
}

fn answers() {
    let folder = tempfile::tempdir().unwrap();
    let bundle = copy("mlp-vulkan.ireeprof", folder.path());
    let lines = said(folder.path(), &["gaps", bundle]);
    let commands = lines
        .iter()
        .filter(|line| line.starts_with("  yes ") || line.starts_with("  partly "))
        .map(|line| {
            let at = line.find("ireescope ").expect("a command answers");
            paste(folder.path(), &line[at..]);
        });
    assert_eq!(commands.count(), 8);
}

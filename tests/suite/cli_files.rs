//! Runs the command-line tests in tests/cli/<name>.test, which list commands with their output and exit code.
//!
//! ```text
//! # What this shows.
//! $ ireescope top mlp-vulkan.ireeprof
//! (standard output)
//! --- stderr
//! (standard error, if any)
//! --- exit 3
//! ```
//!
//! Commands run in tests/data, without a shell; `< text` at the end gives standard input. After `COLUMNS=80 ` at the
//! start, standard output is a terminal of that width. `BLESS=1` rewrites the output.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use exporters::Format;
use libtest_mimic::Trial;

use super::sql_files::{files, settle, stem};
use crate::support::ask::root;
use crate::trial;

/// Returns a trial for each file, one for the examples in the README and docs, and some others.
pub fn trials() -> Vec<Trial> {
    let files = files(&root().join("tests/cli"), "test");
    let mut trials: Vec<Trial> = files
        .into_iter()
        .map(|path| trial(format!("cli::{}", stem(&path)), move || check(&path)))
        .collect();
    trials.push(trial("cli::examples_of_the_docs_print_what_they_say".into(), examples));
    trials.push(trial("cli::the_shell_on_a_terminal".into(), shell));
    trials.push(trial("cli::a_closed_pipe_ends_quietly".into(), closed_pipe));
    trials.push(trial("cli::sql_that_a_program_wrote_may_be_deep".into(), deep));
    trials.push(trial("cli::a_file_appears_whole_or_not_at_all".into(), whole_or_nothing));
    trials
}

fn check(path: &Path) {
    let before = std::fs::read_to_string(path).unwrap();
    let mut after = String::new();
    let mut answered = false;
    for line in before.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            after.push_str(&format!("{line}\n{}", run(command, "tests/data")));
            answered = true;
        } else if line.starts_with('#') && !answered {
            after.push_str(line);
            after.push('\n');
        }
    }
    settle(path, &before, &after);
}

/// Runs a command, and returns its output in the format of the test files.
fn run(command: &str, folder: &str) -> String {
    let (command, input) = command.split_once(" < ").unwrap_or((command, ""));
    let terminal = command.strip_prefix("COLUMNS=").and_then(|it| it.split_once(' '));
    let words = split(terminal.map_or(command, |(_, command)| command));
    assert_eq!(words.first().map(String::as_str), Some("ireescope"), "{command}");
    let binary = env!("CARGO_BIN_EXE_ireescope");
    let mut program = Command::new(terminal.map_or(binary, |_| "python3"));
    if let Some((width, _)) = terminal {
        program.arg(root().join("tests/tools/terminal.py")).args([width, binary]);
    }
    let mut child = program
        .args(&words[1..])
        .current_dir(root().join(folder))
        // Measured peaks are those of the captures, not of this machine.
        .env("XDG_CACHE_HOME", root().join("tests/data/cache"))
        .env("XDG_CONFIG_HOME", root().join("tests/data/config"))
        // It would be stored below the folder above.
        .env("MESA_SHADER_CACHE_DISABLE", "true")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A command may exit before it reads its input, which closes the pipe.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
    // It is when the file was checked out.
    if let Some((before, time)) = text.split_once("| file last changed | ")
        && let Some((_, after)) = time.split_once(" UTC")
    {
        text = format!("{before}| file last changed | … UTC{after}");
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push_str("(no newline)\n");
    }
    if !output.stderr.is_empty() {
        text.push_str(&format!("--- stderr\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let code = output.status.code().expect("it exits");
    if code != 0 {
        text.push_str(&format!("--- exit {code}\n"));
    }
    text
}

/// Splits a command line into words at spaces outside single or double quotes.
fn split(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    for letter in command.chars() {
        match (quote, letter) {
            (Some(open), letter) if letter == open => quote = None,
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (None, ' ') => words.extend(word.take()),
            (_, letter) => word.get_or_insert_default().push(letter),
        }
    }
    assert!(quote.is_none(), "a quote is open in {command}");
    words.extend(word);
    words
}

/// Checks every `console` block of the README and docs: commands after `$ `, with their output below.
fn examples() {
    assert!(example_blocks(&root().join("README.md")) >= 5, "the README shows what is printed");
    let pages = files(&root().join("docs"), "md");
    let count: usize = pages.iter().map(|page| example_blocks(page)).sum();
    assert!(count >= 10, "docs show what the commands print");
}

fn is_ours(command: &str) -> bool {
    command.starts_with("ireescope") || command.starts_with("COLUMNS=")
}

/// Checks or rewrites the examples of a page, and returns their number.
fn example_blocks(path: &Path) -> usize {
    let before = std::fs::read_to_string(path).unwrap();
    let (mut after, mut inside, mut count) = (String::new(), false, 0);
    let mut skipping = false;
    for line in before.lines() {
        if line.starts_with("```") {
            inside = line == "```console";
            skipping = false;
        }
        if inside && let Some(command) = line.strip_prefix("$ ").filter(|it| is_ours(it)) {
            after.push_str(&format!("{line}\n{}", run(command, ".")));
            skipping = true;
            count += 1;
        } else if !skipping {
            after.push_str(line);
            after.push('\n');
        }
    }
    settle(path, &before, &after);
    count
}

/// Runs `tests/tools/shell_session.py`, which drives the shell on a pseudo-terminal.
fn shell() {
    let output = Command::new("python3")
        .arg(root().join("tests/tools/shell_session.py"))
        .args([env!("CARGO_BIN_EXE_ireescope"), "tests/data/mlp-local-task.ireeprof"])
        .current_dir(root())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("the shell does what it should"), "{said}");
}

fn closed_pipe() {
    let bundle = "tests/data/mlp-local-task.ireeprof";
    let sql = "-c 'SELECT a.* FROM records AS a, records AS b, records AS c LIMIT 50000'";
    let sql = Format::names().map(|name| format!("sql --format={name} {sql} {bundle}"));
    let many = [bundle; 200].into_iter().enumerate().map(|(nth, path)| format!(" b{nth}={path}"));
    let many: String = many.collect();
    let others = [
        "top --format=csv",
        "cat",
        "cat --format=jsonl",
        "doctor",
        "gaps",
        "export --format=ireeperf-jsonl",
    ];
    let others = others.into_iter().map(|command| format!("{command}{many}"));
    for command in sql.chain(others) {
        let binary = env!("CARGO_BIN_EXE_ireescope");
        // `sleep` reads nothing, so that the pipe is closed while it is full.
        let line = format!("'{binary}' {command} | sleep 0.2; exit ${{PIPESTATUS[0]}}");
        let output = Command::new("bash").args(["-c", &line]).current_dir(root()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success() && said.is_empty(), "{command}: {said}");
    }
}

fn deep() {
    let run = |query: String| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        let output = command.args(["sql", "--format=csv", "-c", &query]).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // The missing table stops the query after it is parsed; planning such a long sum would take minutes.
    assert_eq!(run(format!("SELECT {} FROM nothing", vec!["1"; 40_000].join("+"))).0, Some(2));
    let nested = format!("SELECT {}1{} AS n", "(".repeat(5000), ")".repeat(5000));
    assert_eq!(run(nested).0, Some(2), "what nests too deep is refused");
}

fn whole_or_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("x.csv");
    let run = |query: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command
            .args(["sql", "-c", query, "-o"])
            .arg(&target)
            .arg(root().join("tests/data/mlp-local-task.ireeprof"));
        command.output().unwrap().status.code()
    };
    assert_eq!(run("SELECT count(*) AS n FROM dispatches"), Some(0));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "n\n80\n");
    // A query that fails midway keeps the existing file, and leaves no temporary file.
    assert_eq!(run("SELECT 1 // (record_index - 50) FROM records"), Some(2));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "n\n80\n");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    // A statement without rows writes no file, an open bundle is not overwritten, and a symbolic link is followed.
    assert_eq!(run("CREATE VIEW v AS SELECT 1"), Some(2));
    assert_eq!(std::fs::read_to_string(&target).unwrap(), "n\n80\n");
    std::fs::remove_file(&target).unwrap();
    std::os::unix::fs::symlink(root().join("tests/data/mlp-local-task.ireeprof"), &target).unwrap();
    assert_eq!(run("SELECT 1 AS n"), Some(2));
    let real = folder.path().join("real.csv");
    std::fs::write(&real, "before").unwrap();
    std::fs::remove_file(&target).unwrap();
    std::os::unix::fs::symlink(&real, &target).unwrap();
    assert_eq!(run("SELECT 1 AS n"), Some(0));
    assert_eq!(std::fs::read_to_string(&real).unwrap(), "n\n1\n");
}

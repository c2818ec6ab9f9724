//! Random command lines: the flags that `--help` lists, with values that fit and values that do not.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;

use tempfile::TempDir;

use super::process::Said;
use crate::profile::ours;
use crate::support::ask::root;
use crate::support::built;
use crate::support::random::Random;

/// The commands, and the flags of each.
static FLAGS: LazyLock<Vec<(String, Vec<String>)>> = LazyLock::new(|| {
    let help = |words: &[&str]| {
        let output = Command::new(ours()).args(words).arg("--help").output().unwrap();
        assert!(output.status.success(), "{words:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let all = help(&[]);
    let listed = all.split("Commands:\n").nth(1).unwrap().lines();
    // Lines that go on are indented further.
    let listed = listed.take_while(|line| line.starts_with("  "));
    let listed = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = listed.filter(|name| !name.is_empty() && *name != "help");
    let flags = |text: &str| -> Vec<String> {
        let words = text.split(|it: char| it.is_whitespace() || ",[]=`'();".contains(it));
        let mut flags: Vec<String> = words
            .filter(|word| word.starts_with('-') && !word.trim_matches('-').is_empty())
            .map(str::to_owned)
            .collect();
        flags.sort();
        flags.dedup();
        flags
    };
    let commands: Vec<_> = names.map(|name| (name.to_owned(), flags(&help(&[name])))).collect();
    assert!(commands.len() > 15 && commands.iter().all(|(_, flags)| !flags.is_empty()));
    commands
});

const VALUES: [&str; 46] = [
    "",
    "0",
    "1",
    "-1",
    "3",
    "18446744073709551616",
    "99999999999999999999999",
    "1.5",
    "NaN",
    "a",
    "*",
    "*matmul*",
    "[",
    "%",
    "50%",
    "10%:20%",
    "1ms:2ms",
    "5s",
    "1h",
    "text",
    "json",
    "jsonl",
    "csv",
    "parquet",
    "arrow",
    "box",
    "perfetto",
    "ireeperf-jsonl",
    "kernel-time",
    "memory,counters",
    "all",
    "keep",
    "op",
    "mean",
    "512MB",
    "-1MB",
    "a.ireeprof",
    "missing.ireeprof",
    ".",
    "new/out",
    "é\u{202e}\n",
    "x=y",
    "=",
    "SELECT 1",
    "16,32,64",
    "f32",
];
const INPUTS: [&str; 13] = [
    "a.ireeprof",
    "b.ireeprof",
    "*.ireeprof",
    "x=a.ireeprof",
    "=a.ireeprof",
    "missing",
    "",
    ".",
    "empty",
    "text.txt",
    "[",
    "a.ireeprof/",
    "-",
];

/// Creates a folder with a few inputs.
fn place() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, bytes: &[u8]| std::fs::write(folder.path().join(name), bytes).unwrap();
    write("a.ireeprof", &built::named("gpu"));
    write(
        "b.ireeprof",
        &std::fs::read(root().join("tests/data/matmul-local-task.ireeprof")).unwrap(),
    );
    write("empty", b"");
    write("text.txt", b"SELECT 1");
    folder
}

fn pick(random: &mut Random, values: &[&str]) -> String {
    values[random.below(values.len())].to_owned()
}

fn line(random: &mut Random) -> Vec<String> {
    let (name, flags) = &FLAGS[random.below(FLAGS.len())];
    let mut words = vec![name.clone()];
    for _ in 0..random.below(5) {
        let (_, others) = &FLAGS[random.below(FLAGS.len())];
        let from = if random.below(8) == 0 { others } else { flags };
        let mut flag = from[random.below(from.len())].clone();
        if random.below(6) == 0 {
            flag = flag.replace('-', "_").replacen("__", "--", 1);
        }
        let value = pick(random, &VALUES);
        match random.below(5) {
            0 => words.push(flag),
            1 | 2 => words.push(format!("{flag}={value}")),
            _ => words.extend([flag, value]),
        }
    }
    for _ in 0..random.below(4) {
        words.push(pick(random, &INPUTS));
    }
    if random.below(5) == 0 {
        let tool = pick(random, &["iree-run-module", "iree-benchmark-module", "false", ""]);
        words.extend(["--".into(), tool, pick(random, &VALUES)]);
    }
    if random.below(4) == 0 {
        let at = random.below(words.len());
        let word = words.remove(at);
        words.insert(random.below(words.len() + 1), word);
    }
    // The tests must not read the whole file system, nor write outside the folder.
    words.retain(|word| !word.contains('\0'));
    words
}

fn run(words: &[String], folder: &Path) -> Said {
    let nowhere = folder.join("nowhere");
    Said::by(
        Command::new(ours())
            .args(words)
            .current_dir(folder)
            .env("PATH", &nowhere)
            .env("HOME", folder)
            .env("XDG_CONFIG_HOME", folder)
            .env("XDG_CACHE_HOME", folder),
    )
}

/// Runs the case of a seed.
pub fn one(seed: u64) -> Result<(), String> {
    let mut random = Random(seed ^ 0x11e5_0000);
    let words = line(&mut random);
    let folder = place();
    run(&words, folder.path()).flaw().map_or(Ok(()), |flaw| Err(format!("{words:?}\n  {flaw}")))
}

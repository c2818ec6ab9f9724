//! Tests programs that end in the middle of their work, and programs that write to one place at the same time.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use rand_chacha::rand_core::{RngCore, SeedableRng};

use super::profile::ours;
use crate::Test;
use crate::support::ask::{generated, root};
use crate::support::generator::Capture;

pub const TESTS: &[Test] = &[
    ("signals_leave_no_temporary_file", signals),
    ("exports_that_are_killed_at_any_time_are_old_or_new", killed),
    ("exports_into_one_folder_at_once_are_all_whole", together),
    ("exports_of_many_bundles_are_old_or_new", many_killed),
    ("exports_of_many_bundles_at_once_are_all_whole", many_together),
    ("exports_to_one_file_at_once_leave_one_of_them", one_file),
    ("a_folder_of_its_own_file_system_is_replaced_file_by_file", within),
    ("manifests_lead_to_no_other_folder", manifests),
];

const BUNDLES: [&str; 3] = ["mlp-local-task", "mlp-vulkan", "mlp-local-sync"];

fn bundle(name: &str) -> String {
    root().join(format!("tests/data/{name}.ireeprof")).display().to_string()
}

fn start(folder: &Path, words: &[&str]) -> Child {
    let mut command = Command::new(ours());
    command.current_dir(folder).env("TMPDIR", folder).args(words);
    command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
}

fn run(folder: &Path, words: &[&str]) {
    let ran = Command::new(ours()).current_dir(folder).args(words).output().unwrap();
    assert!(ran.status.success(), "{words:?}: {}", String::from_utf8_lossy(&ran.stderr));
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect()
}

fn signals() {
    let large = generated(&Capture {
        dispatches: 500_000,
        device: true,
        host: true,
        seed: 9,
        per_submission: false,
    });
    let path = large.path().to_str().unwrap();
    for words in [
        &["export", "--format=parquet", "-o", "folder", path][..],
        &["export", "-o", "x.jsonl.gz", path],
        &["render", "-o", "x.pftrace", path],
        &["sql", "-o", "x.csv", "-c", "SELECT * FROM dispatches ORDER BY key, duration_ns", path],
    ] {
        for (signal, code) in [(Signal::SIGINT, 130), (Signal::SIGTERM, 143), (Signal::SIGHUP, 129)]
        {
            let folder = tempfile::tempdir().unwrap();
            let mut child = start(folder.path(), words);
            let begun = Instant::now();
            while names(folder.path()).is_empty() {
                assert!(begun.elapsed() < Duration::from_mins(1), "{words:?} writes nothing");
                sleep(Duration::from_millis(2));
            }
            sleep(Duration::from_millis(30));
            kill(Pid::from_raw(child.id().cast_signed()), signal).unwrap();
            let ended = child.wait().unwrap();
            assert_eq!(ended.code(), Some(code), "{words:?} after {signal}");
            assert_eq!(names(folder.path()), BTreeSet::new(), "{words:?} after {signal}");
        }
    }
}

/// Kills exports after random times, from before their first file to after their last one.
fn killed() {
    let folder = tempfile::tempdir().unwrap();
    let export = |name: &str| {
        ["export", "--format=parquet", "-o", "folder", "--tables=dispatches,queues,functions"]
            .map(str::to_owned)
            .into_iter()
            .chain([format!("b={}", bundle(name))])
            .collect::<Vec<_>>()
    };
    let words = BUNDLES.map(export);
    let words = words.each_ref().map(|it| it.iter().map(String::as_str).collect::<Vec<_>>());
    let begun = Instant::now();
    run(folder.path(), &words[0]);
    let whole = begun.elapsed().as_micros() as u64;
    let sums = BUNDLES.map(|name| {
        let other = tempfile::tempdir().unwrap();
        let nth = BUNDLES.iter().position(|it| *it == name).unwrap();
        run(other.path(), &words[nth]);
        dispatches(other.path())
    });
    let exports = Exports { words: &words, sums: BTreeSet::from(sums), whole_us: whole };
    exports.are_killed(folder.path(), 200, 4);
}

/// Exports of three versions of a folder, of which each is killed.
struct Exports<'a> {
    words: &'a [Vec<&'a str>; 3],
    /// What the folder has after each of them.
    sums: BTreeSet<String>,
    /// How long one takes.
    whole_us: u64,
}

impl Exports<'_> {
    /// Kills exports after random times: the folder has one of its versions, and the next export leaves nothing else.
    fn are_killed(&self, folder: &Path, times: usize, seed: u64) {
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
        let mut states = BTreeSet::new();
        for nth in 0..times {
            let mut child = start(folder, &self.words[nth % 3]);
            sleep(Duration::from_micros(random.next_u64() % (self.whole_us * 3 / 2)));
            let _ = child.kill();
            child.wait().unwrap();
            let found = dispatches(folder);
            assert!(self.sums.contains(&found), "after {nth} exports: {found}");
            states.insert(found);
        }
        assert!(states.len() > 1, "no export was faster than its kill");
        run(folder, &self.words[0]);
        assert_eq!(names(folder), BTreeSet::from(["folder".to_owned()]), "nothing is left over");
    }
}

/// Returns what tells the three bundles apart, from all files of the folder.
fn dispatches(folder: &Path) -> String {
    let query = "SELECT count(*), sum(duration_ns), (SELECT count(*) FROM queues), (SELECT count(*) FROM functions) FROM dispatches";
    let ran = Command::new(ours())
        .current_dir(folder)
        .args(["sql", "--format=csv", "-c", query, "folder"])
        .output()
        .unwrap();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

fn together() {
    for is_there in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        if is_there {
            run(folder.path(), &["export", "--format=parquet", "-o", "f", &bundle("killed")]);
        }
        for _ in 0..5 {
            let started = BUNDLES.map(|name| {
                start(folder.path(), &["export", "--format=parquet", "-o", "f", &bundle(name)])
            });
            for mut child in started {
                assert!(child.wait().unwrap().success());
            }
            assert_eq!(names(folder.path()), BTreeSet::from(["f".to_owned()]));
            let query = "SELECT count(DISTINCT bundle) FROM sessions";
            let words = ["sql", "--expect-rows", "--format=csv", "-c", query, "f"];
            let ran = Command::new(ours()).current_dir(folder.path()).args(words).output().unwrap();
            let count = String::from_utf8_lossy(&ran.stdout).lines().nth(1).unwrap().to_owned();
            assert_eq!(count, if is_there { "4" } else { "3" });
        }
    }
}

/// Returns the words of an export of `count` bundles, whose labels begin with `prefix`.
fn many(prefix: &str, count: usize, name: &str) -> Vec<String> {
    ["export", "--format=parquet", "-o", "folder", "--tables=dispatches,queues,functions"]
        .map(str::to_owned)
        .into_iter()
        .chain((0..count).map(|nth| format!("{prefix}{nth}={}", bundle(name))))
        .collect()
}

/// Kills exports that replace a part of the bundles of a batch.
fn many_killed() {
    let folder = tempfile::tempdir().unwrap();
    let first = many("a", 25, BUNDLES[0]);
    run(folder.path(), &first.iter().map(String::as_str).collect::<Vec<_>>());
    let words = BUNDLES.map(|name| many("b", 20, name));
    let words = words.each_ref().map(|it| it.iter().map(String::as_str).collect::<Vec<_>>());
    let begun = Instant::now();
    let mut sums = BTreeSet::new();
    for words in &words {
        run(folder.path(), words);
        sums.insert(dispatches(folder.path()));
    }
    assert_eq!(sums.len(), 3, "the bundles differ");
    let whole_us = begun.elapsed().as_micros() as u64 / 3;
    Exports { words: &words, sums, whole_us }.are_killed(folder.path(), 100, 5);
}

/// Exports add bundles and replace each other's.
fn many_together() {
    for before in [0, 10, 20] {
        let folder = tempfile::tempdir().unwrap();
        if before > 0 {
            let words = many("a", before, BUNDLES[0]);
            run(folder.path(), &words.iter().map(String::as_str).collect::<Vec<_>>());
        }
        for _ in 0..3 {
            let exports =
                [many("a", 10, BUNDLES[1]), many("b", 9, BUNDLES[0]), many("c", 18, BUNDLES[2])];
            let started = exports.map(|words| {
                start(folder.path(), &words.iter().map(String::as_str).collect::<Vec<_>>())
            });
            for mut child in started {
                assert!(child.wait().unwrap().success());
            }
            assert_eq!(names(folder.path()), BTreeSet::from(["folder".to_owned()]));
        }
        let query = "SELECT count(DISTINCT bundle), count(*) FROM queues";
        let words = ["sql", "--format=csv", "-c", query, "folder"];
        let ran = Command::new(ours()).current_dir(folder.path()).args(words).output().unwrap();
        let counted = String::from_utf8_lossy(&ran.stdout).lines().nth(1).unwrap().to_owned();
        let alone = |name: &str| {
            let words = ["sql", "--format=csv", "-c", "SELECT count(*) FROM queues", &bundle(name)];
            let ran = Command::new(ours()).args(words).output().unwrap();
            let text = String::from_utf8_lossy(&ran.stdout).lines().nth(1).unwrap().to_owned();
            text.parse::<usize>().unwrap()
        };
        let others = before.max(10) - 10;
        let rows = others * alone(BUNDLES[0])
            + 10 * alone(BUNDLES[1])
            + 9 * alone(BUNDLES[0])
            + 18 * alone(BUNDLES[2]);
        assert_eq!(counted, format!("{},{rows}", others + 37), "after {before} bundles");
    }
}

fn one_file() {
    let folder = tempfile::tempdir().unwrap();
    let started =
        BUNDLES.map(|name| start(folder.path(), &["export", "-o", "x.jsonl", &bundle(name)]));
    for mut child in started {
        assert!(child.wait().unwrap().success());
    }
    let written = fs::read(folder.path().join("x.jsonl")).unwrap();
    let alone = BUNDLES.map(|name| {
        Command::new(ours()).args(["export", "--output=-", &bundle(name)]).output().unwrap().stdout
    });
    assert!(alone.contains(&written), "the file is the output of one of them");
    assert_eq!(names(folder.path()).len(), 1);
}

/// A folder whose parent cannot be written: its files are replaced in it. As root, that is a folder that is the root of its
/// file system.
fn within() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("parent/f");
    fs::create_dir_all(&target).unwrap();
    let rights = |mode| {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(folder.path().join("parent"), fs::Permissions::from_mode(mode))
            .unwrap();
    };
    rights(0o555);
    for name in ["mlp-vulkan", "mlp-local-task", "mlp-vulkan"] {
        run(folder.path(), &["export", "--format=parquet", "-o", "parent/f", &bundle(name)]);
    }
    rights(0o755);
    let left = names(&target).into_iter().chain(names(&folder.path().join("parent")));
    assert!(left.filter(|name| name.starts_with(".ireescope-")).count() == 0);
    assert!(target.join("dispatches/bundle=mlp-local-task/data.parquet").exists());
    assert!(target.join("dispatches/bundle=mlp-vulkan/data.parquet").exists());
}

/// A manifest from a stranger must not make an export remove files elsewhere.
fn manifests() {
    let folder = tempfile::tempdir().unwrap();
    run(folder.path(), &["export", "--format=parquet", "-o", "f", &bundle("mlp-vulkan")]);
    let victim = folder.path().join("bundle=mlp-vulkan/data.parquet");
    fs::create_dir_all(victim.parent().unwrap()).unwrap();
    fs::write(&victim, "mine").unwrap();
    let manifest = folder.path().join("f/manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    for name in ["..", "../f/..", "/tmp", "a b"] {
        fs::write(&manifest, text.replace("\"dispatches\"", &format!("\"{name}\""))).unwrap();
        let words = ["export", "--format=parquet", "-o", "f", &bundle("mlp-vulkan")];
        let ran = Command::new(ours()).current_dir(folder.path()).args(words).output().unwrap();
        assert_eq!(ran.status.code(), Some(3));
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        assert!(said.contains("but names have letters, digits and _ only"), "{said}");
        assert!(victim.exists());
    }
}

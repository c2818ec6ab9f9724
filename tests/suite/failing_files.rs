//! Tests that a failure or the end of the program at any call that changes files leaves the old or the new content, and
//! nothing else. The calls of the program are made to fail one by one by a preloaded library
//! (`tests/tools/failing_files.c`).

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;

use tempfile::TempDir;

use super::bench::SMALL;
use super::profile::ours;
use crate::Test;
use crate::support::ask::root;
use crate::support::day::{is_full, seed};

pub const TESTS: &[Test] = &[
    ("results_are_old_or_new", || {
        sweep(&Work::file(&["sql", "-c", "FROM dispatches", "-o", "out/f.csv"]));
    }),
    ("traces_are_old_or_new", || sweep(&Work::file(&["render", "-o", "out/f.pftrace"]))),
    ("tables_are_old_or_new", || {
        sweep(&Work::file(&["export", "--format=csv", "--tables=dispatches", "-o", "out/f.csv"]));
    }),
    ("compressed_exports_are_old_or_new", || {
        sweep(&Work::file(&["export", "-o", "out/f.jsonl.gz"]));
    }),
    ("new_parquet_folders_are_whole", || sweep(&Work { prepare: |_| {}, ..Work::file(PARQUET) })),
    ("parquet_folders_are_old_or_new", || {
        sweep(&Work { prepare: exported, ..Work::file(PARQUET) });
    }),
    ("batched_parquet_folders_are_old_or_new", || {
        sweep(&Work { prepare: batched, more: FEW_TABLES, ..Work::file(PARQUET) });
    }),
    ("captures_are_whole", || sweep(&Work { prepare: |_| {}, ..CAPTURE })),
    ("sets_keep_what_they_hold", || sweep(&CAPTURE)),
    ("filled_sets_hold_the_bundle", || sweep(&FILL)),
    ("benches_keep_what_they_measured", || sweep(&BENCH)),
    ("measured_peaks_are_old_or_new", || sweep(&PEAKS)),
    ("output_that_is_closed_or_full_is_an_error", closed),
    ("folders_that_cannot_be_written_are_named", unwritable),
];

const PARQUET: &[&str] = &["export", "--format=parquet", "-o", "out/folder"];
const BUNDLE: &str = "tests/data/mlp-local-task.ireeprof";
const WITHOUT_TIMES: &str = "tests/data/queue-only.ireeprof";
const OTHER: &str = "tests/data/mlp-vulkan.ireeprof";

/// A command that writes below the folder `out`.
struct Work {
    words: &'static [&'static str],
    /// Further words.
    more: &'static [&'static str],
    /// Whether the words are followed by a bundle.
    reads: bool,
    prepare: fn(&Place),
    /// Whether `out` must have exactly the old or the new content. Else, `opens` decides.
    is_exact: bool,
    /// Checks what is left where times differ from run to run.
    opens: fn(&Place),
    /// The exit codes of failures.
    codes: &'static [i32],
    /// The number of calls that are made to fail with --full, and of those at which the program is killed, evenly spread.
    tried: usize,
}

impl Work {
    const fn file(words: &'static [&'static str]) -> Self {
        Self {
            words,
            more: &[],
            reads: true,
            prepare: old_file,
            is_exact: true,
            opens: |_| {},
            codes: &[4],
            tried: 40,
        }
    }
}

const CAPTURE: Work = Work {
    more: &[],
    words: &[
        "capture",
        "-o",
        "out/set",
        "--iree-bin-dir",
        "bin",
        "--for=kernel-time,memory",
        "--",
        "iree-run-module",
        "--module=m.vmfb",
    ],
    reads: false,
    prepare: |place| {
        let made = place.command(&CAPTURE).output().unwrap();
        assert!(made.status.success(), "{}", said(&made));
    },
    is_exact: false,
    opens: |place| {
        if place.folder.path().join("out/set/manifest.json").exists() {
            place.rows("SELECT count(*) FROM runs", "out/set");
        }
    },
    codes: &[1, 4],
    tried: 25,
};

const FILL: Work = Work {
    words: &[
        "fill",
        "out/given.ireeprof",
        "--iree-bin-dir",
        "bin",
        "--for=memory",
        "--",
        "iree-run-module",
        "--module=m.vmfb",
    ],
    prepare: |place| {
        fs::copy(root().join(WITHOUT_TIMES), place.folder.path().join("out/given.ireeprof"))
            .unwrap();
    },
    opens: |place| {
        let given = fs::read(place.folder.path().join("out/given.ireeprof")).unwrap();
        assert!(given == fs::read(root().join(WITHOUT_TIMES)).unwrap(), "the bundle is as it was");
        if place.folder.path().join("out/given.capture/manifest.json").exists() {
            place.rows("SELECT count(*) FROM runs", "out/given.capture");
        }
    },
    ..CAPTURE
};

const BENCH: Work = Work {
    words: &[
        "bench",
        "run",
        "--iree-bin-dir=bin",
        "--generated-dir=out",
        "--default-config",
        "--force",
    ],
    more: SMALL,
    prepare: |place| {
        let made = place.command(&BENCH).output().unwrap();
        assert!(made.status.success(), "{}", said(&made));
    },
    opens: |place| {
        let passed = "SELECT count(*) FROM dispatch_runs WHERE outcome = 'passed'";
        assert!(place.rows(passed, "out").parse::<u32>().unwrap() > 0, "the old rows are there");
    },
    codes: &[1, 4],
    ..CAPTURE
};

const PEAKS: Work = Work {
    words: &["bench", "peaks", "--iree-bin-dir=bin", "--size=64"],
    prepare: |place| {
        let made = place.command(&PEAKS).output().unwrap();
        assert!(made.status.success(), "{}", said(&made));
    },
    opens: |place| {
        let stored = fs::read(place.folder.path().join("out/ireescope/peaks.json")).unwrap();
        let stored: serde_json::Value = serde_json::from_slice(&stored).unwrap();
        assert!(!stored.as_array().unwrap().is_empty());
    },
    ..CAPTURE
};

/// The library, compiled once.
pub static LIBRARY: LazyLock<PathBuf> = LazyLock::new(|| {
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("failing_files.so");
    let source = root().join("tests/tools/failing_files.c");
    let made = Command::new("cc")
        .args(["-O1", "-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .arg("-ldl")
        .output();
    let made = made.expect("a C compiler, which the build needs, too");
    assert!(made.status.success(), "{}", said(&made));
    library
});

/// A working folder with the folder `out` and fake tools.
struct Place {
    folder: TempDir,
}

impl Place {
    /// Creates a folder that is prepared for some work.
    fn new(work: &Work) -> Self {
        let place = Self::unprepared();
        fs::create_dir(place.folder.path().join("out")).unwrap();
        (work.prepare)(&place);
        place
    }

    /// Returns another folder with the same files.
    fn copy(&self) -> Self {
        let place = Self::unprepared();
        let copied = Command::new("cp")
            .arg("-a")
            .args([self.folder.path().join("out"), place.folder.path().to_owned()])
            .status();
        assert!(copied.unwrap().success());
        place
    }

    fn unprepared() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(place.folder.path().join("bin")).unwrap();
        for tool in ["iree-compile", "iree-run-module", "iree-benchmark-module"] {
            std::os::unix::fs::symlink(
                std::env::current_exe().unwrap(),
                place.folder.path().join("bin").join(tool),
            )
            .unwrap();
        }
        place
    }

    /// Returns the command, which also keeps its temporary and cached files below `out`.
    fn command(&self, work: &Work) -> Command {
        let mut command = Command::new(ours());
        let out = self.folder.path().join("out");
        command.current_dir(self.folder.path()).env("TMPDIR", &out).env("XDG_CACHE_HOME", &out);
        command.env("IREESCOPE_FAKE", "gpu").args(work.words).args(work.more);
        if work.reads {
            command.arg(root().join(BUNDLE));
        }
        command
    }

    /// Runs the command with the library. Returns its output and the number of calls that change files.
    fn run(&self, work: &Work, variables: &[(&str, String)]) -> (Output, usize) {
        let count = self.folder.path().join("count");
        let mut command = self.command(work);
        command.env("LD_PRELOAD", &*LIBRARY).env("FAIL_UNDER", self.folder.path().join("out"));
        command.env("FAIL_COUNT", &count).envs(variables.iter().cloned());
        let output = command.output().unwrap();
        let counted = fs::read_to_string(&count).unwrap_or_default();
        (output, counted.trim().parse().unwrap_or_default())
    }

    /// Returns the only value of a query.
    fn rows(&self, query: &str, opened: &str) -> String {
        let words = ["sql", "--format=csv", "-c", query, opened];
        let ran =
            Command::new(ours()).current_dir(self.folder.path()).args(words).output().unwrap();
        assert!(ran.status.success(), "{}", said(&ran));
        String::from_utf8_lossy(&ran.stdout).lines().nth(1).unwrap().to_owned()
    }

    /// Returns the files below `out` without temporary ones, and the names of those.
    fn content(&self) -> (BTreeMap<PathBuf, Vec<u8>>, Vec<PathBuf>) {
        let (mut files, mut temporary) = (BTreeMap::new(), Vec::new());
        let mut folders = vec![self.folder.path().join("out")];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.file_name().unwrap().to_string_lossy().starts_with(".ireescope-") {
                    temporary.push(path);
                } else if path.is_dir() {
                    folders.push(path);
                } else {
                    let content = fs::read(&path).unwrap();
                    files
                        .insert(path.strip_prefix(self.folder.path()).unwrap().to_owned(), content);
                }
            }
        }
        (files, temporary)
    }
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn old_file(place: &Place) {
    for name in ["f.csv", "f.pftrace", "f.jsonl.gz"] {
        fs::write(place.folder.path().join("out").join(name), "old").unwrap();
    }
}

const FEW_TABLES: &[&str] = &["--tables=dispatches,queues"];

/// Exports fewer tables of so many bundles that they share files, among them the bundle.
fn batched(place: &Place) {
    let other = root().join(OTHER).display().to_string();
    let others = (0..20).map(|nth| format!("b{nth}={other}"));
    let bundles: Vec<String> = others.chain([root().join(BUNDLE).display().to_string()]).collect();
    let mut command = Command::new(ours());
    command.current_dir(place.folder.path()).args(PARQUET).arg("--tables=queues").args(bundles);
    let made = command.output().unwrap();
    assert!(made.status.success(), "{}", said(&made));
}

/// Exports fewer tables of the bundle and another one.
fn exported(place: &Place) {
    let bundle = root().join(BUNDLE).display().to_string();
    let other = format!("other={}", root().join(OTHER).display());
    let words = [PARQUET, FEW_TABLES, &[&bundle, &other]].concat();
    let made = Command::new(ours()).current_dir(place.folder.path()).args(words).output().unwrap();
    assert!(made.status.success(), "{}", said(&made));
    fs::write(place.folder.path().join("out/folder/notes.txt"), "mine").unwrap();
}

/// The number of calls of a command that are made to fail without --full, and of those at which it is killed.
const TRIED: usize = 8;

/// Lets each of the calls fail, then kills the program at each of them.
fn sweep(work: &Work) {
    let prepared = Place::new(work);
    let place = prepared.copy();
    let old = place.content().0;
    let (whole, calls) = place.run(work, &[]);
    assert!(whole.status.success(), "{}", said(&whole));
    let (new, left) = place.content();
    assert!(old != new && left.is_empty(), "{left:?}");
    assert!(calls >= 2, "{calls} calls were seen");
    let tried = if is_full() { work.tried } else { work.tried.min(TRIED) };
    let step = (calls / tried).max(1);
    // Other calls every day.
    let first = if is_full() { 1 } else { 1 + seed() % step };
    for (nth, at) in (first..=calls).step_by(step).enumerate() {
        // No space, an error of the device, the quota is used up, not permitted.
        let (error, stays) = [(28, true), (5, false), (122, true), (13, false)][nth % 4];
        let place = prepared.copy();
        let mut variables = vec![("FAIL_AT", at.to_string()), ("FAIL_WITH", error.to_string())];
        variables.extend(stays.then(|| ("FAIL_ON", "1".to_owned())));
        let (ran, _) = place.run(work, &variables);
        let case = format!("call {at} of {calls} fails with {error}: {ran:?}");
        let is_known =
            ran.status.code().is_some_and(|code| code == 0 || work.codes.contains(&code));
        assert!(is_known, "{case}");
        assert!(ran.status.success() || said(&ran).contains("ireescope: "), "{case}");
        assert!(!said(&ran).contains("panicked"), "{case}");
        let (content, left) = place.content();
        // A file whose removal fails stays.
        assert!(left.is_empty() || ran.status.success() && error != 28, "{case}: {left:?}");
        whole_or_old(work, &place, [&old, &new], &content, &case);
        if work.is_exact && ran.status.success() {
            assert!(place.content().0 == new, "{case}: exit code 0, but the content is old");
        }
    }
    for at in (first..=calls).step_by(step) {
        let place = prepared.copy();
        let (ran, _) =
            place.run(work, &[("FAIL_AT", at.to_string()), ("FAIL_WITH", "0".to_owned())]);
        let case = format!("killed at call {at} of {calls}: {ran:?}");
        assert_eq!(ran.status.signal(), Some(9), "{case}");
        whole_or_old(work, &place, [&old, &new], &place.content().0, &case);
        let again = place.command(work).output().unwrap();
        assert!(again.status.success(), "{case}, then {}", said(&again));
        let (content, left) = place.content();
        assert!(left.is_empty(), "{case}: {left:?} is left by the next run");
        if work.is_exact {
            assert!(content == new, "{case}: the next run has other content");
        }
        (work.opens)(&place);
    }
}

fn whole_or_old(
    work: &Work,
    place: &Place,
    [old, new]: [&BTreeMap<PathBuf, Vec<u8>>; 2],
    content: &BTreeMap<PathBuf, Vec<u8>>,
    case: &str,
) {
    if work.is_exact {
        let names: Vec<_> = content.keys().collect();
        assert!(content == old || content == new, "{case}: neither old nor new: {names:?}");
    }
    (work.opens)(place);
}

/// Standard output that is full or closed.
fn closed() {
    for words in [
        "top",
        "sql -c SELECT(1)",
        "doctor",
        "dispatch --format=jsonl",
        "export --output=-",
        "render --output=-",
        "tables",
        "gaps",
        "explain",
    ] {
        let words: Vec<&str> = words.split(' ').collect();
        for (to, code) in [("/dev/full", 4), ("&-", 0)] {
            let mut command = Command::new("sh");
            command.args(["-c", &format!("exec \"$@\" >{to}"), "sh"]).arg(ours()).args(&words);
            if words != ["tables"] {
                command.arg(root().join(BUNDLE));
            }
            let ran = command.output().unwrap();
            assert_eq!(ran.status.code(), Some(code), "{words:?} >{to}: {}", said(&ran));
            // A closed output is /dev/null to a Rust program.
            assert!(code == 0 || said(&ran).contains("output"), "{words:?} >{to}: {}", said(&ran));
        }
    }
}

/// Folders that are missing, removed, or files.
fn unwritable() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    for words in
        [&["sql", "-c", "SELECT 1"][..], &["render"], &["export"], &["export", "--format=parquet"]]
    {
        for output in ["missing/x.csv", "file/x.csv"] {
            let ran = Command::new(ours())
                .current_dir(folder.path())
                .args(words)
                .args(["-o", output])
                .arg(root().join(BUNDLE))
                .output()
                .unwrap();
            assert_eq!(ran.status.code(), Some(4), "{words:?}: {}", said(&ran));
            assert!(said(&ran).contains(output), "{words:?}: {}", said(&ran));
        }
        // The working folder is removed.
        let script = "mkdir gone && cd gone && rmdir ../gone && exec \"$@\"";
        let ran = Command::new("sh")
            .current_dir(folder.path())
            .args(["-c", script, "sh"])
            .arg(ours())
            .args(words)
            .args(["-o", "x.csv"])
            .arg(root().join(BUNDLE))
            .output()
            .unwrap();
        assert_eq!(ran.status.code(), Some(4), "{words:?}: {}", said(&ran));
        assert!(said(&ran).contains("x.csv"), "{words:?}: {}", said(&ran));
    }
}

//! Tests Parquet exports: folders are written atomically and extended, give the same query results as the bundles, and
//! are readable by other programs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ireescope::capture::Stop;
use ireescope::engine::dataset::{Dataset, partition};
use ireescope::engine::{Engine, Options};
use ireescope::export::{DatasetPlan, DatasetRequest, ExportError};
use ireescope::workspace::WorkspaceOptions;
use libtest_mimic::Trial;

use super::differential::BIN;
use super::sql_files::{captures, files, queries};
use crate::support::ask::{csv, engine_over, file, generated, open, root};
use crate::support::built;
use crate::support::generator::Capture;
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("a_folder_answers_as_the_bundles_do", same_answers),
    ("a_bundle_is_added_or_replaced", added_or_replaced),
    ("another_capture_of_the_same_label_is_refused", other_capture),
    ("commands_answer_or_refuse_a_folder", commands),
    ("relations_that_answer_are_listed", listed),
    ("what_cannot_be_written_is_refused", refused),
    ("a_folder_appears_whole_or_not_at_all", whole_or_not),
    ("damage_is_named", damage),
    ("filters_skip_row_groups", pruning),
    ("the_same_bundle_becomes_the_same_files", deterministic),
    ("a_condition_that_always_holds_leaves_every_row", every_row),
    ("an_export_that_is_stopped_changes_nothing", stopped),
];

/// The tests that need the reference tools.
pub fn trials() -> Vec<Trial> {
    vec![trial("dataset::others_read_it".into(), others_read_it)]
}

/// Runs an export of labelled bundles to `folder`, with more arguments.
pub fn export(folder: &Path, bundles: &[(&str, &Path)], more: &[&str]) -> Output {
    let bundles = bundles.iter().map(|(label, path)| format!("{label}={}", path.display()));
    Command::new(env!("CARGO_BIN_EXE_ireescope"))
        .args(["export", "--format=parquet", "--output"])
        .arg(folder)
        .args(more)
        .args(bundles)
        .output()
        .unwrap()
}

fn dataset(folder: &Path) -> Engine {
    Engine::of_dataset(Dataset::open(folder).unwrap(), Options::default())
}

fn capture(name: &str) -> PathBuf {
    root().join(format!("tests/data/{name}.ireeprof"))
}

fn same_answers() {
    let mut compared = 0;
    for path in files(&root().join("tests/sql"), "slt") {
        let (names, queries) = queries(&path);
        let kept = captures(&names);
        let bundles: Vec<(&str, &Path)> =
            kept.iter().map(|(name, path, _)| (name.as_str(), path.as_path())).collect();
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("parquet");
        let output = export(&folder, &bundles, &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let opened = bundles.iter().map(|(name, path)| open(path, name).unwrap());
        let (ours, stored) = (engine_over(opened.collect(), None), dataset(&folder));
        // Reports, timelines, critical paths and functions need the bundles themselves.
        let of_bundles = [
            "report.",
            "timeline_",
            "function_key(",
            "host_span_",
            "sampled_counter_sets(",
            "critical_path",
            "memory_at(",
            "explain_",
        ];
        let is_of_bundles = |query: &str| of_bundles.iter().any(|name| query.contains(name));
        for query in queries.iter().filter(|query| !is_of_bundles(query)) {
            let wanted = csv(&ours, query).map_err(|error| error.to_string());
            let found = csv(&stored, query).map_err(|error| error.to_string());
            assert_eq!(found, wanted, "{query} of {}", path.display());
            compared += 1;
        }
    }
    assert!(compared >= 30, "{compared} queries were compared");
}

fn added_or_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("parquet");
    let (task, vulkan) = (capture("mlp-local-task"), capture("mlp-vulkan"));
    let count = |relation: &str| {
        let query = format!("SELECT bundle, count(*) FROM {relation} GROUP BY bundle ORDER BY 1");
        csv(&dataset(&folder), &query).unwrap().replace("bundle,count(*)\n", "")
    };
    assert!(export(&folder, &[("one", &task)], &[]).status.success());
    assert_eq!(count("dispatches"), "one,80\n");
    assert!(export(&folder, &[("b c", &vulkan)], &[]).status.success());
    assert_eq!(count("dispatch_events"), "b c,80\n");
    assert_eq!(count("dispatches"), "b c,80\none,80\n");
    // Replaces a label with other rows and fewer relations, one of whose files is gone already.
    std::fs::remove_file(folder.join(partition("functions", "one"))).unwrap();
    let narrow = ["--tables=dispatches,queues", "--where", "session_id = 1 AND byte_offset > 0"];
    assert!(export(&folder, &[("one", &vulkan)], &narrow).status.success());
    assert_eq!(count("dispatches"), "b c,80\none,80\n");
    assert_eq!(count("queues"), "b c,2\none,2\n");
    assert_eq!(count("functions"), "b c,4\n");
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    assert!(manifest.contains("\"where\": \"session_id = 1 AND byte_offset > 0\""), "{manifest}");
    assert!(!folder.join("functions/bundle=one/data.parquet").exists());
}

fn refused() {
    let folder = tempfile::tempdir().unwrap();
    let vulkan = capture("mlp-vulkan");
    let full = folder.path().join("full");
    std::fs::create_dir(&full).unwrap();
    std::fs::write(full.join("mine.txt"), "mine").unwrap();
    let nowhere = folder.path().join("no/where");
    let fresh = folder.path().join("fresh");
    for (target, more, code, said) in [
        (full.as_path(), [].as_slice(), 2, "contains files but no manifest.json"),
        (Path::new("-"), &[], 2, "parquet writes a folder"),
        (&nowhere, &[], 4, "cannot write"),
        (&fresh, &["--tables=nope"], 2, "there is no table or view nope with rows per bundle"),
        (&fresh, &["--where", "nope > 1", "--tables=queues"], 2, "there is no column nope"),
        (&fresh, &["--where", "1 = 1; SELECT 2"], 2, "--where requires one condition"),
        (&fresh, &["--where", "("], 2, "in `SELECT"),
    ] {
        let output = export(target, &[("v", &vulkan)], more);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{error}");
        assert!(error.contains(said), "{error}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    assert_eq!(std::fs::read_dir(&full).unwrap().count(), 1);
}

fn other_capture() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path();
    for (set, name) in [("a", "mlp-vulkan"), ("b", "mlp-local-task"), ("c", "mlp-vulkan")] {
        std::fs::create_dir(place.join(set)).unwrap();
        std::fs::copy(capture(name), place.join(set).join("run-1.ireeprof")).unwrap();
    }
    let export = |bundles: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command.current_dir(place).args([
            "export",
            "--format=parquet",
            "--tables=queues,dispatches",
            "-o",
            "x",
        ]);
        let output = command.args(bundles).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let devices = || {
        csv(
            &dataset(&place.join("x")),
            "SELECT DISTINCT bundle, timing_source FROM dispatches ORDER BY ALL",
        )
        .unwrap()
    };
    assert_eq!(export(&["a"]), (Some(0), String::new()));
    let first = devices();
    // Another capture of the same label is refused before anything is written.
    let (code, said) = export(&["b"]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("x has run-1 from a/run-1.ireeprof already, and b/run-1.ireeprof is another capture: name it"), "{said}");
    assert_eq!(devices(), first);
    // The same one, from the same file or a copy, is replaced, and so is what the user names.
    let replaced = "ireescope: replaced 1 bundle in x: run-1\n";
    assert_eq!(export(&["a"]), (Some(0), replaced.into()));
    assert_eq!(export(&["c"]), (Some(0), replaced.into()));
    assert_eq!(devices(), first);
    assert_eq!(export(&["b=b/run-1.ireeprof"]), (Some(0), String::new()));
    assert_eq!(devices().lines().count(), first.lines().count() + 1);
    assert_eq!(export(&["run-1=b/run-1.ireeprof"]), (Some(0), replaced.into()));
    // A file that was written again is the same one.
    std::fs::copy(capture("mlp-vulkan"), place.join("b/run-1.ireeprof")).unwrap();
    assert_eq!(export(&["b/run-1.ireeprof"]), (Some(0), replaced.into()));
    assert!(devices().starts_with("bundle,timing_source\nb,host\nrun-1,device\n"), "{}", devices());
    let names: Vec<String> = (1..=7).map(|nth| format!("n{nth}=a/run-1.ireeprof")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    assert_eq!(export(&names).0, Some(0));
    assert_eq!(export(&names).1, "ireescope: replaced 7 bundles in x: n1, n2, n3, n4, n5, …\n");
}

/// Checks that catalogues of datasets and histories list what can be selected from, and nothing else.
fn listed() {
    let folder = tempfile::tempdir().unwrap();
    let parquet = folder.path().join("parquet");
    let bundle = capture("mlp-local-task");
    assert!(
        export(&parquet, &[("b", &bundle)], &["--tables=dispatches,invocations,queue_events"])
            .status
            .success()
    );
    for (place, known) in
        [(parquet, "dispatches"), (root().join("tests/data/history"), "history_runs")]
    {
        let ask = |statement: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
            let output = command.args(["sql", "-c", statement]).arg(&place).output().unwrap();
            assert!(
                output.status.success(),
                "{statement}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
            String::from_utf8(output.stdout).unwrap()
        };
        let tables = "SELECT DISTINCT table_name FROM information_schema.columns WHERE table_schema = 'public' ORDER BY 1";
        let tables = ask(tables);
        let names: Vec<&str> = tables.lines().skip(1).collect();
        assert!(names.contains(&known) && !names.contains(&"att_clocks"), "{names:?}");
        let each = names.iter().map(|name| format!("(SELECT count(*) FROM {name})"));
        ask(&format!("SELECT {}", each.collect::<Vec<_>>().join(", ")));
        let shown = ask("SHOW TABLES");
        assert!(names.iter().all(|name| shown.contains(&format!(",{name},"))), "{shown}");
        assert!(ask(&format!("SHOW COLUMNS FROM {known}")).lines().count() > 5);
    }
}

fn commands() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("parquet");
    let vulkan = capture("mlp-vulkan");
    assert!(export(&target, &[("v", &vulkan)], &[]).status.success());
    let run = |words: &[&str], path: &Path| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        let output = command.args(words).arg(path).output().unwrap();
        let [out, err] = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap());
        (output.status.code(), out, err)
    };
    let reading = [
        "summary",
        "explain",
        "dispatch",
        "executable",
        "command",
        "queue",
        "memory",
        "counter",
        "statistics",
        "cat",
        "doctor",
        "gaps",
    ];
    for command in reading {
        for format in [None, Some("--format=jsonl"), Some("--format=csv")] {
            let words: Vec<&str> = std::iter::once(command).chain(format).collect();
            let (code, out, err) = run(&words, &target);
            assert_eq!((code, out.as_str()), (Some(2), ""), "{words:?}: {err}");
            assert!(
                err.contains("is a folder of Parquet files, but this command reads bundles"),
                "{words:?}: {err}"
            );
        }
    }
    for words in [["render", "-o", "/dev/null"].as_slice(), &["export"]] {
        let (code, _, err) = run(words, &target);
        assert!(code == Some(2) && err.contains("is a folder of Parquet files, but"), "{err}");
    }
    // What views answer is answered.
    let label = format!("v={}", vulkan.display());
    for words in
        [["top", "--format=jsonl"].as_slice(), &["top", "--by=invocation", "--format=jsonl"]]
    {
        let (stored, of_bundle) = (run(words, &target), run(words, Path::new(&label)));
        assert_eq!(stored, of_bundle, "{words:?}");
        assert!(stored.1.lines().count() > 3, "{stored:?}");
    }
}

fn whole_or_not() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("parquet");
    let mut child = Command::new(env!("CARGO_BIN_EXE_ireescope"))
        .args(["export", "--format=parquet", "--output"])
        .arg(&target)
        .arg(capture("mlp-vulkan"))
        .spawn()
        .unwrap();
    // Waits until the export has started to write.
    while std::fs::read_dir(folder.path()).unwrap().next().is_none() {
        assert!(child.try_wait().unwrap().is_none(), "it writes beside its target first");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!target.exists(), "nothing stands under the final name");
}

fn damage() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("parquet");
    assert!(
        export(&target, &[("v", &capture("mlp-vulkan"))], &["--tables=queues"]).status.success()
    );
    let ask = |query: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_ireescope"))
            .args(["sql", "-c", query])
            .arg(&target)
            .output()
            .unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    for (query, code, said) in [
        ("SELECT * FROM dispatches", 2, "does not contain dispatches"),
        ("SELECT * FROM report.dispatch_group", 2, "requires the bundle"),
        ("CREATE VIEW queues AS SELECT 1", 2, "already exists"),
    ] {
        let (found, error) = ask(query);
        assert!(found == Some(code) && error.contains(said), "{error}");
    }
    std::fs::write(target.join("queues/bundle=v/data.parquet"), "PAR1").unwrap();
    let (code, error) = ask("SELECT * FROM queues");
    assert!(
        code == Some(3) && error.contains("queues/bundle=v/data.parquet is damaged"),
        "{error}"
    );
    std::fs::write(target.join("manifest.json"), "{}").unwrap();
    let (code, error) = ask("SELECT 1");
    assert!(code == Some(3) && error.contains("is not the manifest of an export"), "{error}");
}

fn pruning() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("parquet");
    let bundles = [("task", capture("mlp-local-task")), ("vulkan", capture("mlp-vulkan"))];
    let bundles: Vec<(&str, &Path)> =
        bundles.iter().map(|(name, path)| (*name, path.as_path())).collect();
    assert!(export(&target, &bundles, &[]).status.success());
    // Other files in the folder are ignored.
    std::fs::write(target.join("queue_events/bundle=task/data.parquet.bak"), "").unwrap();
    let engine = dataset(&target);
    let scans = |query: &str| {
        let plan = csv(&engine, &format!("EXPLAIN FORMAT INDENT {query}")).unwrap();
        let scan = plan.split("DatasetScan: ").nth(1).and_then(|it| it.split("row_groups=").nth(1));
        scan.unwrap_or_else(|| panic!("{plan}")).chars().next().unwrap()
    };
    let answer = |query: &str| csv(&engine, query).unwrap();
    let by_label = "SELECT count(*) FROM queue_events WHERE bundle = 'vulkan'";
    assert_eq!(answer(by_label), "count(*)\n80\n");
    let of_no_row = "SELECT count(*) FROM queue_events WHERE host_time_ns < 0";
    assert_eq!(answer(of_no_row), "count(*)\n0\n");
    assert_eq!(scans(by_label), '1');
}

/// Runs `tests/tools/check_dataset.py`, which reads a folder with pyarrow and `DuckDB`, and compares it with the bundles that
/// these arguments name.
pub fn check_with_others(folder: &Path, bundles: impl Iterator<Item = String>) {
    let checked = Command::new(BIN.join("python"))
        .arg(root().join("tests/tools/check_dataset.py"))
        .arg(env!("CARGO_BIN_EXE_ireescope"))
        .arg(folder)
        .args(bundles)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stdout).into_owned()
        + &String::from_utf8_lossy(&checked.stderr);
    assert!(checked.status.success(), "{said}");
    assert!(said.contains("50 relations agree"), "{said}");
}

fn others_read_it() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("parquet");
    let gpu = file(&built::named("gpu")).into_temp_path();
    let (vulkan, task) = (capture("mlp-vulkan"), capture("mlp-local-task"));
    let bundles = [("gpu x", &*gpu), ("vulkan", vulkan.as_path()), ("task", task.as_path())];
    assert!(export(&target, &bundles, &[]).status.success());
    let given = bundles.iter().map(|(label, path)| format!("{label}={}", path.display()));
    check_with_others(&target, given);
}

fn every_row() {
    let folder = tempfile::tempdir().unwrap();
    let gpu = file(&built::named("gpu")).into_temp_path();
    for (name, path) in [("gpu", gpu.to_path_buf()), ("task", capture("mlp-local-task"))] {
        let [whole, chosen] = [[].as_slice(), &["--where", "true"]].map(|more| {
            let target = folder.path().join(format!("{name}-{}", more.len()));
            assert!(export(&target, &[(name, &path)], more).status.success());
            files_of(&target, name)
        });
        assert!(whole.len() > 30, "{} files", whole.len());
        for (relation, bytes) in &whole {
            assert!(*bytes == chosen[relation], "{} is not the same", relation.to_string_lossy());
        }
    }
}

/// Returns the bytes of the file of each relation of a bundle.
fn files_of(folder: &Path, label: &str) -> BTreeMap<OsString, Vec<u8>> {
    let relations = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let file = format!("bundle={label}/data.parquet");
    relations
        .filter(|path| path.is_dir())
        .map(|path| {
            (path.file_name().unwrap().to_owned(), std::fs::read(path.join(&file)).unwrap())
        })
        .collect()
}

fn stopped() {
    let folder = tempfile::tempdir().unwrap();
    let request = DatasetRequest {
        bundles: vec![capture("mlp-local-task").display().to_string()],
        folder: folder.path().join("export"),
        ..DatasetRequest::default()
    };
    let plan = || DatasetPlan::new(&request, &WorkspaceOptions::default()).unwrap();
    let (stop, mut steps) = (Stop::default(), Vec::new());
    let first = plan().write(&stop, &mut |progress| steps.push(progress)).unwrap();
    assert_eq!((first.bundles.len(), first.replaced.len()), (1, 0));
    assert!(steps[0].done == 0 && steps.last().is_some_and(|last| last.done == last.total));
    let before = files_of(&request.folder, "mlp-local-task");
    let stopped = plan().write(&stop, &mut |progress| {
        if progress.done > 0 {
            stop.ask();
        }
    });
    assert!(matches!(stopped, Err(ExportError::Stopped)));
    assert!(files_of(&request.folder, "mlp-local-task") == before);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left");
    let again = plan().write(&Stop::default(), &mut |_| {}).unwrap();
    assert_eq!(again.replaced, ["mlp-local-task"]);
}

fn deterministic() {
    let large = generated(&Capture {
        dispatches: 40_000,
        device: true,
        host: true,
        seed: 5,
        per_submission: false,
    });
    let folder = tempfile::tempdir().unwrap();
    let written = ["one", "other"].map(|name| {
        let folder = folder.path().join(name);
        let output = export(&folder, &[("large", large.path())], &[]);
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        files_of(&folder, "large")
    });
    let [one, other] = written;
    assert!(one.len() > 30 && one.keys().eq(other.keys()), "{} files", one.len());
    for (relation, bytes) in &one {
        assert!(*bytes == other[relation], "{} is not the same", relation.to_string_lossy());
    }
}

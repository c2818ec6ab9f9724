//! Tests Parquet exports of many bundles, which share files: the rows are those of exports with files for each bundle,
//! whatever is added and replaced, and the files stay few.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ireescope::engine::dataset::{Dataset, Manifest};
use ireescope::engine::{Engine, Options};
use libtest_mimic::Trial;
use tempfile::{NamedTempFile, TempDir};

use super::capture::Place;
use super::dataset::check_with_others;
use crate::support::ask::{captures, csv, file};
use crate::support::built;
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("many_bundles_have_the_rows_of_each", rows_of_each),
    ("files_of_each_bundle_become_batches", converted),
    ("adding_bundles_one_by_one_keeps_files_few", one_by_one),
    ("conditions_with_subqueries_are_of_each_bundle", subqueries),
    ("capture_sets_are_answered_bundle_by_bundle", sets),
    ("little_memory_changes_no_row", little_memory),
    ("the_same_bundles_become_the_same_files", deterministic),
    ("what_an_interrupted_move_left_is_removed", strays),
    ("damage_to_batches_is_named", damage),
];

/// The test that needs the reference tools.
pub fn trials() -> Vec<Trial> {
    vec![trial("dataset_batches::others_read_them".into(), others_read_them)]
}

/// A label and its bundle.
type Named = (String, PathBuf);

/// Every real capture and every built bundle, again and again under other labels.
struct Many {
    _built: Vec<NamedTempFile>,
    bundles: Vec<Named>,
}

impl Many {
    fn new(count: usize) -> Self {
        // A chunk of this one is damaged.
        let names = built::ALL.iter().filter(|name| **name != "long_trace");
        let built: Vec<NamedTempFile> = names.map(|name| file(&built::named(name))).collect();
        let mut paths = captures();
        paths.extend(built.iter().map(|file| file.path().to_owned()));
        let label = |nth: usize| format!("run {nth:04}");
        let bundles = (0..count).map(|nth| (label(nth), paths[nth % paths.len()].clone()));
        Self { bundles: bundles.collect(), _built: built }
    }
}

fn export(folder: &Path, bundles: &[Named], more: &[&str]) -> Output {
    let bundles = bundles.iter().map(|(label, path)| format!("{label}={}", path.display()));
    Command::new(env!("CARGO_BIN_EXE_ireescope"))
        .args(["export", "--format=parquet", "--output"])
        .arg(folder)
        .args(more)
        .args(bundles)
        .output()
        .unwrap()
}

fn exported(folder: &Path, bundles: &[Named], more: &[&str]) {
    let output = export(folder, bundles, more);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn dataset(folder: &Path) -> Engine {
    Engine::of_dataset(Dataset::open(folder).unwrap(), Options::default())
}

/// Returns the sorted rows of a relation.
fn rows(folder: &Path, relation: &str) -> Vec<String> {
    let text = csv(&dataset(folder), &format!("SELECT * FROM {relation}")).unwrap();
    // Texts have line breaks, so rows are told apart by their labels.
    let mut rows: Vec<String> = text.split("\nrun ").map(str::to_owned).skip(1).collect();
    if let Some(last) = rows.last_mut() {
        last.truncate(last.trim_end_matches('\n').len());
    }
    rows.sort_unstable();
    rows
}

/// Checks that the rows of a folder are those of the same bundles with files of their own.
fn same_rows(folder: &Path, bundles: &[Named], more: &[&str]) {
    let place = tempfile::tempdir().unwrap();
    let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (nth, few) in bundles.chunks(16).enumerate() {
        let single = place.path().join(nth.to_string());
        exported(&single, few, more);
        let manifest = Manifest::read(&single).unwrap();
        assert!(!manifest.is_batched());
        for relation in manifest.relations() {
            wanted.entry(relation.to_owned()).or_default().extend(rows(&single, relation));
        }
    }
    assert!(Manifest::read(folder).unwrap().is_batched());
    let mut compared = 0;
    for (relation, mut wanted) in wanted {
        wanted.sort_unstable();
        let found = rows(folder, &relation);
        compared += found.len();
        let differs = found.iter().zip(&wanted).find(|(found, wanted)| found != wanted);
        assert!(differs.is_none(), "{relation}: {differs:?}");
        assert_eq!(found.len(), wanted.len(), "{relation}");
    }
    assert!(compared > bundles.len(), "{compared} rows are compared");
}

/// Returns the data files below a folder, relative to it.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "parquet") {
                let name = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(name, fs::read(path).unwrap());
            }
        }
    }
    found
}

/// A folder that does not exist yet.
fn new_folder() -> (TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("all");
    (place, folder)
}

fn rows_of_each() {
    let (_place, folder) = new_folder();
    let Many { mut bundles, _built } = Many::new(200);
    exported(&folder, &bundles, &[]);
    let relations = Manifest::read(&folder).unwrap().relations().len();
    assert_eq!(files(&folder).len(), relations, "each relation has one file");
    same_rows(&folder, &bundles, &[]);
    // Every seventh label gets another bundle, and there are new labels.
    let paths: Vec<PathBuf> = bundles.iter().map(|(_, path)| path.clone()).collect();
    for (nth, (_, path)) in bundles.iter_mut().enumerate().filter(|(nth, _)| nth % 7 == 0) {
        path.clone_from(&paths[(nth + 1) % paths.len()]);
    }
    bundles.push(("run new".into(), paths[3].clone()));
    let again: Vec<Named> = bundles.iter().step_by(7).cloned().collect();
    exported(&folder, &again, &[]);
    exported(&folder, &bundles[200..], &[]);
    assert!(files(&folder).len() <= 3 * relations, "{} files", files(&folder).len());
    same_rows(&folder, &bundles, &[]);
}

fn converted() {
    let (_place, folder) = new_folder();
    let Many { bundles, _built } = Many::new(20);
    exported(&folder, &bundles[..10], &[]);
    let before = files(&folder);
    assert!(before.keys().all(|file| file.to_string_lossy().contains("/bundle=run%20000")));
    exported(&folder, &bundles[10..], &[]);
    let after = files(&folder);
    assert!(after.keys().all(|file| file.to_string_lossy().contains("/batch=20-")), "{after:?}");
    same_rows(&folder, &bundles, &[]);
    // Other relations of some bundles, and a file of the user.
    fs::create_dir(folder.join("views")).unwrap();
    fs::write(folder.join("views/mine.sql"), "SELECT 1 AS one").unwrap();
    exported(&folder, &bundles[..2], &["--tables=queues"]);
    let count = |relation: &str| {
        let query = format!("SELECT count(DISTINCT bundle) FROM {relation}");
        csv(&dataset(&folder), &query).unwrap().lines().nth(1).unwrap().to_owned()
    };
    assert_eq!(count("bundles"), "18");
    assert!(folder.join("views/mine.sql").exists());
}

fn one_by_one() {
    let (_place, folder) = new_folder();
    let Many { bundles, _built } = Many::new(60);
    let few = ["--tables=dispatches,queues,functions"];
    for bundle in bundles.chunks(1) {
        exported(&folder, bundle, &few);
        assert!(files(&folder).len() <= 16 * 3, "{} files", files(&folder).len());
    }
    assert!(files(&folder).len() <= 5 * 3, "{} files", files(&folder).len());
    same_rows(&folder, &bundles, &few);
}

fn subqueries() {
    let (_place, folder) = new_folder();
    let Many { bundles, _built } = Many::new(30);
    let condition = "duration_ns > (SELECT avg(duration_ns) FROM dispatches)";
    let more = ["--tables=dispatches", "--where", condition];
    exported(&folder, &bundles, &more);
    same_rows(&folder, &bundles, &more);
    let (_place, folder) = new_folder();
    let more = ["--where", "byte_offset % 3 = 0", "--tables=dispatches,memory_events,queues"];
    exported(&folder, &bundles, &more);
    same_rows(&folder, &bundles, &more);
}

fn sets() {
    let place = Place::new();
    let words = ["--for=kernel-time,counters,memory", "--print-device-statistics"];
    assert_eq!(place.capture("gpu", &words, &[]).code, Some(0));
    let run = |words: &[&str]| {
        let said = place.said_by(&[&["export", "--format=parquet"], words].concat());
        assert_eq!(said.code, Some(0), "{said:?}");
    };
    let mut all = vec!["-o".to_owned(), "all".to_owned()];
    let mut relations: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for nth in 0..20 {
        let (set, alone) = (format!("run {nth}=set"), format!("alone-{nth}"));
        run(&["-o", &alone, &set]);
        let folder = place.path(&alone);
        for relation in Manifest::read(&folder).unwrap().relations() {
            relations.entry(relation.into()).or_default().extend(rows(&folder, relation));
        }
        all.push(set);
    }
    run(&all.iter().map(String::as_str).collect::<Vec<_>>());
    let folder = place.path("all");
    assert!(Manifest::read(&folder).unwrap().is_batched());
    for relation in ["runs", "gaps", "question_ways", "doctor", "dispatches"] {
        let wanted = relations.get_mut(relation).unwrap();
        wanted.sort_unstable();
        assert!(wanted.len() >= 20, "{relation}");
        assert_eq!(rows(&folder, relation), *wanted, "{relation}");
    }
}

fn little_memory() {
    let (_place, folder) = new_folder();
    let Many { bundles, _built } = Many::new(60);
    exported(&folder, &bundles, &["--memory-limit=32MB", "--threads=1"]);
    same_rows(&folder, &bundles, &[]);
}

fn deterministic() {
    let Many { bundles, _built } = Many::new(40);
    let written = [&["--threads=1"], &["--threads=4"]].map(|threads| {
        let (_place, folder) = new_folder();
        exported(&folder, &bundles, threads);
        exported(&folder, &bundles[5..7], threads);
        files(&folder)
    });
    assert!(written[0].len() > 30);
    assert!(written[0] == written[1], "the files differ");
}

fn strays() {
    let (_place, folder) = new_folder();
    let Many { bundles, _built } = Many::new(20);
    let few = ["--tables=queues"];
    exported(&folder, &bundles, &few);
    let stray = folder.join("queues/batch=3-0123456789abcdef");
    fs::create_dir(&stray).unwrap();
    fs::write(stray.join("data.parquet"), "left").unwrap();
    exported(&folder, &bundles[..1], &few);
    assert!(!stray.exists());
    same_rows(&folder, &bundles, &few);
}

fn damage() {
    let (_place, folder) = new_folder();
    let Many { bundles, _built } = Many::new(20);
    let few = ["--tables=queues"];
    exported(&folder, &bundles, &few);
    let data = folder.join(files(&folder).into_keys().next().unwrap());
    let whole = fs::read(&data).unwrap();
    fs::write(&data, "PAR1").unwrap();
    // The rows of the other bundles cannot be written again.
    let output = export(&folder, &bundles[..1], &few);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.code() == Some(3) && error.contains("data.parquet is damaged"),
        "{error}"
    );
    // All are replaced.
    exported(&folder, &bundles, &few);
    assert!(fs::read(&data).unwrap() == whole);
    let manifest = folder.join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    for name in ["..", "../x", "a b"] {
        let batch = text.split("\"batch\": \"").nth(1).unwrap().split('"').next().unwrap();
        fs::write(&manifest, text.replace(batch, name)).unwrap();
        let output = export(&folder, &bundles[..1], &few);
        let error = String::from_utf8_lossy(&output.stderr);
        assert!(error.contains("but names have letters, digits and - only"), "{error}");
    }
}

fn others_read_them() {
    let (_place, folder) = new_folder();
    let Many { bundles, _built } = Many::new(30);
    exported(&folder, &bundles, &[]);
    exported(&folder, &bundles[7..8], &[]);
    check_with_others(
        &folder,
        bundles.iter().map(|(label, path)| format!("{label}={}", path.display())),
    );
}

//! Tests folders of `tune` as inputs: their tables join with the profiles of their captures.

use std::path::PathBuf;

use crate::Test;
use crate::capture::{Place, Said};

pub const TESTS: &[Test] = &[
    ("trials_join_the_profiles_of_their_captures", joined),
    ("a_named_folder_has_named_bundles", named),
    ("a_folder_without_captures_has_tables", without_captures),
    ("missing_and_damaged_tables_are_told", damaged),
    ("tables_of_other_writers_are_read_by_name", other_columns),
    ("runs_of_two_folders_are_not_mixed", two),
];

const RUNS: &str = "SELECT arrow_cast(1, 'UInt32') AS run, 'mlp.mlir' AS model, 'faster' AS state, 0.5 AS time_ratio";
const DISPATCHES: &str =
    "SELECT arrow_cast(1, 'UInt32') AS run, key AS dispatch, true AS is_chosen FROM functions";
const CANDIDATES: &str = "SELECT arrow_cast(1, 'UInt32') AS run, arrow_cast(4, 'UInt32') AS candidate, false AS is_compiled, 'too large' AS reason";
/// A trial of each function that was profiled, and one without a bundle.
const TRIALS: &str = "SELECT arrow_cast(1, 'UInt32') AS run, arrow_cast(1, 'UInt32') AS trial, bundle AS capture, key AS dispatch, 7.5 AS time_ns FROM functions UNION ALL SELECT arrow_cast(1, 'UInt32'), arrow_cast(2, 'UInt32'), NULL, NULL, NULL";

/// A folder `name` with a capture set and tables.
struct Tuned {
    place: Place,
}

impl Tuned {
    fn new(name: &str) -> Self {
        let place = Place::new();
        assert_eq!(place.capture("", &["--for=kernel-time"], &[]).code, Some(0));
        std::fs::create_dir(place.path(name)).unwrap();
        std::fs::rename(place.path("set"), place.path(name).join("captures")).unwrap();
        let tuned = Self { place };
        for (table, query) in [
            ("tune_runs", RUNS),
            ("tune_dispatches", DISPATCHES),
            ("tune_candidates", CANDIDATES),
            ("tune_trials", TRIALS),
        ] {
            tuned.write(name, table, query);
        }
        tuned
    }

    fn file(&self, folder: &str, table: &str) -> PathBuf {
        self.place.path(&format!("{folder}/{table}.parquet"))
    }

    fn write(&self, folder: &str, table: &str, query: &str) {
        let captures = format!("{folder}/captures");
        let output = format!("{folder}/{table}.parquet");
        let words = ["sql", "--format=parquet", "--output", &output, "-c", query, &captures];
        let said = self.place.said_by(&words);
        assert_eq!(said.code, Some(0), "{said:?}");
    }

    fn asked(&self, query: &str, inputs: &[&str]) -> Said {
        let words = ["sql", "--format=csv", "-c", query];
        self.place.said_by(&words.iter().chain(inputs).copied().collect::<Vec<_>>())
    }

    fn ask(&self, query: &str, inputs: &[&str]) -> Vec<String> {
        let said = self.asked(query, inputs);
        assert_eq!(said.code, Some(0), "{query}: {said:?}");
        said.out.lines().skip(1).map(str::to_owned).collect()
    }
}

/// The trials of functions with the number of their dispatches in the profile.
const JOINED: &str = "SELECT t.bundle, t.capture, t.dispatch, count(*) > 0, max(t.time_ns) FROM tune_trials AS t JOIN dispatches AS d ON d.bundle = t.bundle AND d.key = t.dispatch GROUP BY ALL ORDER BY ALL";

fn joined() {
    let tuned = Tuned::new("tuned");
    let profiled = tuned.ask(
        "SELECT DISTINCT bundle, bundle, key, true, 7.5 FROM dispatches ORDER BY ALL",
        &["tuned/captures"],
    );
    assert!(!profiled.is_empty() && profiled[0].starts_with("run-"), "{profiled:?}");
    assert_eq!(tuned.ask(JOINED, &["tuned"]), profiled);
    let state = "SELECT r.model, r.state, c.reason, r.seed FROM tune_runs AS r JOIN tune_candidates AS c USING (run)";
    assert_eq!(tuned.ask(state, &["tuned"]), ["mlp.mlir,faster,too large,"]);
    // Trials without a bundle stay.
    let lost = "SELECT count(*) FROM tune_trials WHERE bundle IS NULL";
    assert_eq!(tuned.ask(lost, &["tuned"]), ["1"]);
    // Commands read the profiles, and bundles that are not of `tune` have no rows.
    assert_eq!(tuned.place.said_by(&["top", "tuned"]).code, Some(0));
    assert_eq!(tuned.ask("SELECT count(*) FROM tune_trials", &["tuned/captures"]), ["0"]);
}

fn named() {
    let tuned = Tuned::new("tuned");
    let bundles = "SELECT DISTINCT t.bundle = concat('n/', t.capture), count(d.key) > 0 FROM tune_trials AS t JOIN dispatches AS d USING (bundle) GROUP BY ALL";
    assert_eq!(tuned.ask(bundles, &["n=tuned"]), ["true,true"]);
    // Beside another set with bundles of the same names, the folder's own name tells them apart.
    let labels = "SELECT count(DISTINCT t.bundle), bool_and(t.bundle LIKE 'tuned/run-%') FROM tune_trials AS t JOIN dispatches AS d USING (bundle)";
    assert_eq!(tuned.ask(labels, &["tuned", "other=tuned/captures"]), ["1,true"]);
}

fn without_captures() {
    let tuned = Tuned::new("tuned");
    std::fs::remove_dir_all(tuned.place.path("tuned/captures")).unwrap();
    assert_eq!(tuned.ask("SELECT count(*) > 1 FROM tune_trials", &["tuned"]), ["true"]);
    assert_eq!(tuned.ask("SELECT count(*) FROM bundles", &["tuned"]), ["0"]);
}

fn damaged() {
    let tuned = Tuned::new("tuned");
    let trials = tuned.file("tuned", "tune_trials");
    let whole = std::fs::read(&trials).unwrap();
    for (bytes, what) in [
        (Some(&whole[..whole.len() / 2]), "the file is damaged ("),
        (Some(&b"no Parquet"[..]), "the file is damaged ("),
        (None, "there is no such file, but other tables of `ireescope tune`"),
    ] {
        match bytes {
            Some(bytes) => std::fs::write(&trials, bytes).unwrap(),
            None => std::fs::remove_file(&trials).unwrap(),
        }
        let said = tuned.asked("SELECT count(*) FROM tune_runs", &["tuned"]);
        assert_eq!(said.code, Some(3), "{said:?}");
        for words in ["cannot read tuned/tune_trials.parquet", what, "name the folder `captures`"] {
            assert!(said.err.contains(words), "{words}: {said:?}");
        }
        assert_eq!(tuned.place.said_by(&["top", "tuned/captures"]).code, Some(0));
    }
}

fn other_columns() {
    let tuned = Tuned::new("tuned");
    tuned.write("tuned", "tune_runs", "SELECT 3 AS run, 'new' AS column_of_later, 1.5 AS tuned_ns");
    let rows = tuned.ask("SELECT run + 1, model, tuned_ns FROM tune_runs", &["tuned"]);
    assert_eq!(rows, ["4,,1.5"]);
    tuned.write("tuned", "tune_runs", "SELECT 3 AS number");
    let said = tuned.asked("SELECT 1", &["tuned"]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("there is no column `run`"), "{said:?}");
}

fn two() {
    let tuned = Tuned::new("tuned");
    let copy = tuned.place.path("copy");
    std::fs::create_dir(&copy).unwrap();
    std::fs::copy(tuned.file("tuned", "tune_runs"), copy.join("tune_runs.parquet")).unwrap();
    let said = tuned.asked("SELECT 1", &["tuned", "copy"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("tuned and copy are both folders of `ireescope tune`"), "{said:?}");
}

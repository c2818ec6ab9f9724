//! The definitions that `sql` finds beside bundles, in `views/*.sql`.

use std::fs;
use std::path::Path;
use std::process::Command;

use super::Test;
use crate::support::ask::root;

pub const TESTS: &[Test] =
    &[("files_of_views_define_views", defined), ("a_file_of_views_can_only_define", refused)];

/// Makes a folder with a bundle and files of views.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let bundle = "mlp-vulkan.ireeprof";
    fs::copy(root().join("tests/data").join(bundle), folder.path().join(bundle)).unwrap();
    fs::create_dir(folder.path().join("views")).unwrap();
    for (name, text) in files {
        fs::write(folder.path().join("views").join(name), text).unwrap();
    }
    folder
}

/// Runs a query over a folder or bundle, and returns the exit code with the output and errors.
fn ask(path: &Path, query: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    let command = command.args(["sql", "-c", query]).arg(path);
    let output = command.env("XDG_CONFIG_HOME", root().join("tests/data/config")).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    (output.status.code(), said)
}

fn defined() {
    let folder = folder(&[
        (
            "slow.sql",
            "-- At least a millisecond.\nFROM steps SELECT key, count(*) WHERE ns >= 1e6 GROUP BY key",
        ),
        ("a.sql", "CREATE VIEW steps AS SELECT key, ns(duration_ns) AS ns FROM dispatches;\n"),
        ("0.sql", "CREATE MACRO ns(x) AS x * 1;"),
        ("notes.txt", "DROP TABLE everything"),
    ]);
    let expected = "key,count(*)\nmain_dispatch_0_matmul_32x256x128_f32,1\n";
    assert_eq!(ask(folder.path(), "FROM slow"), (Some(0), expected.to_owned()));
    // A bundle alone brings no views, as does a folder without them.
    let (code, said) = ask(&folder.path().join("mlp-vulkan.ireeprof"), "FROM slow");
    assert_eq!(code, Some(2), "{said}");
}

fn refused() {
    for (text, part) in [
        (
            "CREATE VIEW a AS SELECT 1 AS x;\n\nCREATE VIEW b AS SELECT y\nFROM a",
            "x.sql, line 3\n  because: there is no column y",
        ),
        ("SELECT 1;\nSELECT 2", "x.sql\n  because: line 1: a file of views is one SELECT"),
        ("CREATE VIEW a AS SELECT 1;\nDROP VIEW a", "because: line 2: a file"),
        ("CREATE TABLE a AS SELECT 1", "because: line 1: a file"),
        ("CREATE OR REPLACE VIEW steady AS SELECT 1", "because: line 1: a file"),
        ("CREATE VIEW steady AS SELECT 1", "line 1\n  because: Table 'steady' already exists"),
        ("CREATE MACRO count(x) AS 0", "line 1\n  because: count is a function"),
        ("COPY bundles TO 'x.csv'", "COPY is not supported"),
        ("CREATE EXTERNAL TABLE a STORED AS CSV LOCATION 'a.csv'", "because: line 1: a file"),
        ("SET datafusion.execution.batch_size = 1", "because: line 1: a file"),
        ("SELECT 1\n+ ;", "Line: 2"),
    ] {
        let folder = folder(&[("x.sql", text)]);
        let (code, said) = ask(folder.path(), "SELECT 1");
        // The tables can still be queried.
        assert!(code == Some(0) && said.contains(part), "{text}: {said}");
        assert!(said.contains("ireescope: warning: in "), "{said}");
    }
    let folder = folder(&[("dispatches.sql", "SELECT 1")]);
    let (code, said) = ask(folder.path(), "SELECT 1");
    assert!(code == Some(0) && said.contains("dispatches.sql, line 1"), "{said}");
}

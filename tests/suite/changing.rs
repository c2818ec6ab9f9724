//! Tests files that change while they are read.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use super::profile::ours;
use crate::Test;
use crate::support::ask::root;

pub const TESTS: &[Test] = &[
    ("a_file_that_becomes_shorter_is_an_error", shorter),
    ("a_file_that_becomes_shorter_within_a_page_is_an_error", shorter_within_a_page),
    ("no_output_file_is_left_of_a_file_that_becomes_shorter", no_output),
    ("a_file_that_grows_or_is_replaced_is_read_as_it_was", grown),
];

/// Runs a command over a copy of a capture and a pipe. One thread opens them in order, and opening the pipe waits until
/// `change` has changed the copy, which is mapped then.
fn changed(words: &[&str], folder: &Path, change: impl FnOnce(&Path)) -> Output {
    let capture = root().join("tests/data/mlp-vulkan.ireeprof");
    let (copy, pipe) = (folder.join("copy.ireeprof"), folder.join("pipe.ireeprof"));
    fs::copy(&capture, &copy).unwrap();
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let child = Command::new(ours())
        .args(words)
        .arg("--threads=1")
        .args([&copy, &pipe])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Returns as soon as the program reads the pipe; it opens the files in order.
    let mut writer = File::create(&pipe).unwrap();
    change(&copy);
    writer.write_all(&fs::read(&capture).unwrap()).unwrap();
    drop(writer);
    child.wait_with_output().unwrap()
}

fn cut(path: &Path, length: u64) {
    OpenOptions::new().write(true).open(path).unwrap().set_len(length).unwrap();
}

/// The lengths are those of the capture and of what is left of it.
fn check(output: &Output, is: u64) {
    let was = fs::metadata(root().join("tests/data/mlp-vulkan.ireeprof")).unwrap().len();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let expected = format!(
        "copy.ireeprof became shorter while it was read (was {was} bytes, is {is}); read it again when no program writes to it"
    );
    assert!(said.contains(&expected), "{said}");
}

fn shorter() {
    for words in [
        vec!["top"],
        vec!["explain"],
        vec!["dispatch", "--format=jsonl"],
        vec!["memory"],
        vec!["sql", "-c", "SELECT * FROM dispatches"],
        vec!["doctor"],
    ] {
        for is in [0, 5000] {
            let folder = tempfile::tempdir().unwrap();
            check(&changed(&words, folder.path(), |copy| cut(copy, is)), is);
        }
    }
}

fn shorter_within_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let mut length = 0;
    let output = changed(&["top"], folder.path(), |copy| {
        length = fs::metadata(copy).unwrap().len() - 1;
        cut(copy, length);
    });
    check(&output, length);
}

fn no_output() {
    for format in ["ireeperf-jsonl", "parquet"] {
        let folder = tempfile::tempdir().unwrap();
        let out = folder.path().join("out");
        let flags = [format!("--format={format}"), format!("--output={}", out.display())];
        let words = ["export", flags[0].as_str(), flags[1].as_str()];
        check(&changed(&words, folder.path(), |copy| cut(copy, 5000)), 5000);
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|it| it.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{format}: {left:?}");
    }
}

fn grown() {
    let same = |change: &dyn Fn(&Path)| {
        let folder = tempfile::tempdir().unwrap();
        let words = ["sql", "-c", "SELECT bundle, count(*) FROM dispatches GROUP BY 1 ORDER BY 1"];
        let output = changed(&words, folder.path(), change);
        assert_eq!(String::from_utf8_lossy(&output.stdout), "bundle,count(*)\ncopy,80\npipe,80\n");
        assert!(output.status.success());
    };
    same(&|copy| {
        OpenOptions::new().append(true).open(copy).unwrap().write_all(&[7; 10_000]).unwrap();
    });
    same(&|copy| {
        fs::remove_file(copy).unwrap();
        fs::write(copy, "another file").unwrap();
    });
}

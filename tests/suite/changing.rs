//! Tests files that change while they are read.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use ireescope::bundle::{Access, Files};
use ireescope::workspace::{OpenError, Workspace, WorkspaceOptions};

use super::profile::ours;
use crate::Test;
use crate::support::ask::{csv, root};

pub const TESTS: &[Test] = &[
    ("a_file_that_becomes_shorter_is_an_error", shorter),
    ("a_file_that_becomes_shorter_within_a_page_is_an_error", shorter_within_a_page),
    ("no_output_file_is_left_of_a_file_that_becomes_shorter", no_output),
    ("a_file_that_grows_or_is_replaced_is_read_as_it_was", grown),
    ("engines_in_one_process_do_not_disturb_each_other", rounds),
    ("a_copied_file_is_read_as_it_was", copied),
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

const SUM: &str = "SELECT count(*), sum(end_tick - start_tick) FROM dispatch_events";

/// Opens a file as a workspace with a list of files of its own.
fn opened(path: &Path, access: Access) -> Result<(Workspace, Files), OpenError> {
    let files = Files::default();
    let options = WorkspaceOptions { access, files: files.clone(), ..WorkspaceOptions::default() };
    Ok((Workspace::open(&[path.display().to_string()], &options)?, files))
}

/// Returns the bytes of a capture, and its answer to [`SUM`].
fn whole() -> (Vec<u8>, String) {
    let path = root().join("tests/data/mlp-vulkan.ireeprof");
    let (workspace, _) = opened(&path, Access::Mapped).unwrap();
    let answer = csv(&workspace.engine, SUM).unwrap();
    assert!(answer.contains("\n80,"), "{answer}");
    (fs::read(path).unwrap(), answer)
}

/// Opens two engines in each of a thousand rounds on several threads, asks and drops them. In half of the rounds, the file of
/// one becomes shorter before it is asked: that concerns this one only, in its round only.
fn rounds() {
    let (capture, expected) = whole();
    let folder = tempfile::tempdir().unwrap();
    let round = |thread: usize, nth: usize| {
        let [one, other] = ["one", "other"].map(|name| {
            let path = folder.path().join(format!("{thread}-{name}.ireeprof"));
            fs::write(&path, &capture).unwrap();
            path
        });
        let (first, first_files) = opened(&one, Access::Mapped).unwrap();
        let (second, second_files) = opened(&other, Access::Mapped).unwrap();
        let is_cut = nth.is_multiple_of(2);
        if is_cut {
            cut(&one, if nth.is_multiple_of(4) { 5000 } else { capture.len() as u64 - 1 });
        }
        let answer = csv(&first.engine, SUM);
        drop(first);
        if is_cut {
            let said = first_files.whole().expect_err("the file is shorter").to_string();
            assert!(said.contains("one.ireeprof became shorter"), "{said}");
        } else {
            first_files.whole().unwrap();
            assert_eq!(answer.unwrap(), expected);
        }
        assert_eq!(csv(&second.engine, SUM).unwrap(), expected);
        second_files.whole().unwrap();
        drop(second);
        second_files.whole().unwrap();
    };
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let round = &round;
            scope.spawn(move || (0..250).for_each(|nth| round(thread, nth)));
        }
    });
}

fn copied() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("copy.ireeprof");
    let (capture, expected) = whole();
    fs::write(&path, capture).unwrap();
    let (workspace, files) = opened(&path, Access::Copied).unwrap();
    cut(&path, 0);
    assert_eq!(csv(&workspace.engine, SUM).unwrap(), expected);
    files.whole().unwrap();
}

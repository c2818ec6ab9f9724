//! Compares what is known of functions with `bench`, for all of its predefined operations: by the names that the
//! compiler gives them (`tests/data/bench_functions.txt`), and by the sources that it dumps.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;

use ireescope::bench::request::{Collection, Request, collections};
use ireescope::bench::run::DispatchRun;
use ireescope::bench::{Device, Epilogue, Kind, Target, source};
use ireescope::operation::ExternalFacts;
use libtest_mimic::Trial;

use super::bench::Place;
use super::capture::{Said, said};
use super::differential::TOOLS;
use super::sql_files::settle;
use crate::support::ask::root;
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("dispatches_of_bench_have_its_work", of_bench),
    ("peaks_are_measured_and_stored", peaks),
    ("peaks_that_cannot_be_measured_are_not_stored", no_peaks),
];

pub fn trials() -> Vec<Trial> {
    vec![trial("operations::sources_have_the_work_of_bench".into(), of_sources)]
}

fn target() -> Target {
    Target {
        device: Device::LocalTask,
        cuda_arch: String::new(),
        rocm_target: String::new(),
        target_cpu: "generic".to_owned(),
        vulkan_target: None,
    }
}

/// All predefined operations with the compiler's default configuration.
fn operations(epilogue: Epilogue) -> Vec<Collection> {
    let request = Request {
        epilogues: vec![epilogue],
        dispatches: vec!["_default$".to_owned()],
        default_config: true,
        ..Request::default()
    };
    let mut all = collections(&request, &target()).expect("the predefined operations");
    // A reduction that is not divisible by its slices cannot be computed.
    all.retain(|collection| !collection.configurations.is_empty());
    all
}

fn row(collection: &Collection) -> DispatchRun {
    DispatchRun::of(collection, &collection.configurations[0], &target())
}

/// Runs a command in a folder whose cache is its own.
fn in_cache(place: &Place, fake: &str, words: &[&str]) -> Said {
    let mut command = place.command(fake, words);
    said(&command.env("XDG_CACHE_HOME", place.path("cache")).output().unwrap())
}

fn measure(place: &Place, fake: &str, flags: &[&str]) -> Said {
    let bin = format!("--iree-bin-dir={}", place.path("bin it's").display());
    let words = [&["bench", "peaks", &bin, "--size=64", "--name=a device"], flags].concat();
    in_cache(place, fake, &words)
}

fn peaks() {
    let place = Place::new();
    let measured = measure(&place, "", &["--generated-dir=kept"]);
    assert_eq!(measured.code, Some(0), "{measured:?}");
    assert!(measured.out.starts_with("a device, fake: "), "{measured:?}");
    let sql = |query: &str, bundles: &[&str]| {
        let words = [&["sql", "--format=csv", "-c", query], bundles].concat();
        let answer = in_cache(&place, "", &words);
        assert_eq!(answer.code, Some(0), "{answer:?}");
        answer.out.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let stored = "SELECT device, driver, dtype, flops_per_s > 0 AND bytes_per_s > 0 AND launch_ns > 0 FROM device_peaks WHERE driver IS NOT NULL ORDER BY dtype";
    let each = |name: &str| {
        ["bf16", "f16", "f32", "i8"].map(|dtype| format!("{name},fake,{dtype},true")).to_vec()
    };
    assert_eq!(sql(stored, &[]), each("a device"));
    // The peak is that of the fastest run of any configuration.
    let best = "SELECT p.flops_per_s = max(r.flops / r.min_ns * 1e9) FROM device_peaks AS p JOIN dispatch_runs AS r ON r.m = 64 AND r.lhs = concat(p.dtype, 't') WHERE p.driver IS NOT NULL GROUP BY p.dtype, p.flops_per_s";
    assert_eq!(sql(best, &["kept"]), vec!["true"; 4]);
    let matched = "SELECT count(device) > 0 AND count(device) = count(*) FROM report.roofline WHERE device = 'a device' OR device IS NULL";
    assert_eq!(
        sql(matched, &["kept"]),
        ["true"],
        "the driver of the captures is that of the peaks"
    );
    // A second measurement takes the place of the first, and other devices stay.
    assert_eq!(measure(&place, "", &[]).code, Some(0));
    assert_eq!(sql(stored, &[]), each("a device"));
    assert_eq!(measure(&place, "", &["--name=b"]).code, Some(2), "a flag that is given twice");
}

fn no_peaks() {
    let place = Place::new();
    std::fs::remove_file(place.path("bin it's/iree-benchmark-module")).unwrap();
    let measured = measure(&place, "", &[]);
    assert_eq!(measured.code, Some(4), "{measured:?}");
    assert!(measured.err.contains("the peaks could not be measured"), "{measured:?}");
    assert!(!place.path("cache").exists());
}

fn list() -> PathBuf {
    root().join("tests/data/bench_functions.txt")
}

fn of_bench() {
    let text = std::fs::read_to_string(list()).unwrap();
    let names: Vec<&str> = text.lines().collect();
    let all: Vec<Collection> = Epilogue::ALL.into_iter().flat_map(operations).collect();
    assert_eq!(all.len(), 135);
    let mut seen = 0;
    for collection in &all {
        let row = row(collection);
        let prefix = format!("{}_dispatch_", row.dispatch);
        let functions: Vec<&&str> = names.iter().filter(|name| name.starts_with(&prefix)).collect();
        assert!(!functions.is_empty(), "{} is compiled", row.dispatch);
        seen += functions.len();
        let (by_name, mut known) = (ExternalFacts::default(), ExternalFacts::default());
        known.add_dispatch(&row.dispatch, row.flops, row.bytes);
        let of_operation: Vec<_> = functions
            .iter()
            .map(|name| known.of(name))
            .filter(|facts| (facts.flops, facts.bytes) == (Some(row.flops), Some(row.bytes)))
            .collect();
        assert_eq!(of_operation.len(), 1, "{functions:?}: {} and {}", row.flops, row.bytes);
        let flops = functions.iter().filter_map(|name| by_name.of(name).flops).sum::<u64>();
        if collection.operation.epilogue == Epilogue::None {
            assert_eq!(flops, row.flops, "by name alone: {functions:?}");
        } else {
            assert!(flops < row.flops, "a name has no epilogue: {functions:?}");
        }
    }
    assert_eq!(seen, names.len(), "every function is of an operation");
}

fn of_sources() {
    let before = std::fs::read_to_string(list()).unwrap_or_default();
    let mut names = BTreeSet::new();
    for epilogue in Epilogue::ALL {
        let all = operations(epilogue);
        let (known, functions) = dumped(&all);
        for collection in &all {
            let row = row(collection);
            let first = format!("{}_dispatch_0_", row.dispatch);
            let name = functions.iter().find(|name| name.starts_with(&first));
            let facts = known.of(name.unwrap_or_else(|| panic!("{first} is compiled")));
            let operation = &collection.operation;
            if operation.kind() == Kind::MatmulSplitk {
                // The first function computes a result for each slice.
                let [_, m, n, k] = operation.product();
                assert_eq!(facts.flops, Some(2 * m * n * k), "{first}");
            } else {
                assert_eq!(facts.flops, Some(row.flops), "{first}");
                assert_eq!(facts.bytes, Some(row.bytes), "{first}");
            }
        }
        names.extend(functions);
    }
    let after: String = names.iter().map(|name| format!("{name}\n")).collect();
    settle(&list(), &before, &after);
}

/// Compiles operations to the sources of their executables. Returns these sources and the names of the functions.
fn dumped(all: &[Collection]) -> (ExternalFacts, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (input, dump) = (folder.path().join("all.mlir"), folder.path().join("dump"));
    let text: String = all.iter().map(|collection| source(collection, &target())).collect();
    std::fs::write(&input, text).unwrap();
    let compiler = TOOLS.join("../../../../../bin/iree-compile");
    let output = Command::new(compiler)
        .args(["--iree-hal-target-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic"])
        .arg("--compile-to=executable-sources")
        .arg(format!("--iree-hal-dump-executable-sources-to={}", dump.display()))
        .args([input.as_os_str(), "-o".as_ref(), "/dev/null".as_ref()])
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let (mut known, mut names) = (ExternalFacts::default(), Vec::new());
    for file in std::fs::read_dir(dump).unwrap() {
        let text = std::fs::read_to_string(file.unwrap().path()).unwrap();
        assert_eq!(known.add_source(&text), 1, "a function a file");
        let name = text.split("func.func @").nth(1).and_then(|rest| rest.split('(').next());
        names.push(name.unwrap().to_owned());
    }
    (known, names)
}

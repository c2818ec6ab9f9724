//! Tests what is said where nothing is to be recorded, or a part is missing: one worker, dispatches without workgroups,
//! command buffers that are not described, memory of before the capture, and the sessions that a tool does not keep. Some
//! captures are made by the real tools, others are changed in one way.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use ireescope::engine::Engine;
use libtest_mimic::Trial;

use super::differential::TOOLS;
use crate::capture::{Place, Said, said};
use crate::support::ask::{cell, engine, engine_of, root};
use crate::support::changes::{each, get, keep, set};
use crate::support::models;
use crate::support::parts::Parts;
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("one_worker_records_no_regions", one_worker),
    ("tiles_side_by_side_are_of_several_workers", several_workers),
    ("dispatches_without_workgroups_are_some", no_workgroups),
    ("what_is_not_described_may_transfer", undescribed),
    ("a_part_of_the_work_is_called_one", part),
    ("refused_runs_lose_no_bundle", kept),
    ("printed_commands_empty_no_bundle", printed),
];

/// The tests that need the reference tools.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("missing_parts::a_real_worker_alone_records_no_regions".into(), real_worker),
        trial("missing_parts::real_dispatches_without_workgroups".into(), real_extent),
        trial("missing_parts::real_copies_of_local_sync_are_not_described".into(), real_copies),
        trial("missing_parts::weights_count_where_pools_tell_them".into(), weights),
        trial("missing_parts::one_of_two_real_devices_is_a_part".into(), real_devices),
    ]
}

const SPAN: &str = "host_execution_event";

/// A capture of tests/data, changed.
fn changed(capture: &str, change: impl Fn(&mut Parts)) -> Vec<u8> {
    let path = root().join(format!("tests/data/{capture}.ireeprof"));
    let mut parts = Parts::of(&fs::read(path).unwrap());
    change(&mut parts);
    parts.bytes()
}

/// A capture of tests/data.
fn opened(capture: &str) -> Engine {
    engine(&root().join(format!("tests/data/{capture}.ireeprof")))
}

/// A row of `gaps` about a question.
fn gap(engine: &Engine, columns: &str, question: &str) -> String {
    cell(engine, &format!("SELECT {columns} FROM gaps WHERE question = '{question}'"))
}

fn found(engine: &Engine, finding: &str) -> String {
    cell(engine, &format!("SELECT severity, what FROM doctor WHERE finding = '{finding}'"))
}

/// Whether one worker ran all tiles is told by their times, without regions.
fn alone(parts: &mut Parts) {
    keep(parts, "command-region-events", |_| false);
    each(parts, "host-execution-events", |record| {
        let start = get(record, SPAN, "start_host_time_ns");
        let time = get(record, SPAN, "end_host_time_ns") - start;
        set(record, SPAN, "tile_duration_sum_ns", time);
        if get(record, SPAN, "tile_count") > 0 {
            set(record, SPAN, "tile_count", 2);
        }
    });
}

/// Why there are no regions, if so many dispatches have several tiles.
fn why(several: u32) -> String {
    format!(
        "\"command-region-events: one worker ran all tiles (dispatches with several: {several}), and the only worker of a device \
         records none\""
    )
}

fn one_worker() {
    let engine = engine_of(&changed("mlp-local-task", alone));
    let what = "one worker did all the work at any time: tiles never ran side by side (dispatches with several: 80)";
    assert_eq!(found(&engine, "one_worker"), format!("warning,{what}"));
    assert_eq!(gap(&engine, "why", "scheduling"), why(80));
    assert_eq!(gap(&engine, "answerable, fill, capture, has_none", "scheduling"), "no,,,true");
    assert_eq!(cell(&engine, "SELECT count(*) FROM excessive_tiles"), "0");
    // A driver without workers shares nothing.
    let sync = opened("mlp-local-sync");
    assert_eq!(cell(&sync, "SELECT count(*) FROM doctor WHERE finding = 'one_worker'"), "0");
    assert!(gap(&sync, "why", "scheduling").contains("not supported by local-sync"));
}

fn several_workers() {
    let engine = engine_of(&changed("mlp-local-task", |parts| {
        keep(parts, "command-region-events", |_| false);
    }));
    assert_eq!(cell(&engine, "SELECT count(*) FROM doctor WHERE finding = 'one_worker'"), "0");
    let fill = gap(&engine, "fill", "scheduling");
    assert!(fill.contains(" --for scheduling -- TOOL"), "{fill}");
}

/// Dispatches with a workgroup count of 0 have no spans on local-task.
fn empty(parts: &mut Parts) {
    each(parts, "command-operations", |record| {
        set(record, "command_operation_record", "workgroup_count[1]", 0);
    });
    only_spans_without_dispatches(parts);
}

fn only_spans_without_dispatches(parts: &mut Parts) {
    let chunks = parts.chunks.iter_mut().filter(|it| it.family() == "host-execution-events");
    for chunk in chunks {
        chunk.records.retain(|record| get(record, SPAN, "type") != 2);
    }
}

fn no_workgroups() {
    let bytes = changed("mlp-local-task", empty);
    let engine = engine_of(&bytes);
    let why = "the dispatches have no workgroups, as an extent is 0";
    assert_eq!(cell(&engine, "SELECT absence FROM report.capture_health"), "empty");
    assert_eq!(
        found(&engine, "no_work"),
        format!("info,\"{why} (executions of command buffers: 20)\"")
    );
    assert!(gap(&engine, "why", "kernel-time").contains(&format!("host-execution: {why}")));
    assert_eq!(gap(&engine, "answerable, fill, has_none", "kernel-time"), "no,,true");
    let place = Place::new();
    fs::write(place.path("empty.ireeprof"), bytes).unwrap();
    let said = place.said_by(&["top", "empty.ireeprof"]);
    let words = "No dispatch ran: those of the program have no workgroups, as an extent is 0.";
    assert!(said.out.contains(words) || said.err.contains(words), "{said:?}");
    // Dispatches with workgroups that have no spans were not recorded.
    let engine = engine_of(&changed("mlp-local-task", only_spans_without_dispatches));
    assert_eq!(cell(&engine, "SELECT absence FROM report.capture_health"), "not_recorded");
}

fn undescribed() {
    let engine = opened("mlp-local-sync");
    assert_eq!(
        gap(&engine, "answerable, fill, why", "transfers"),
        "partly,,host-execution: what command buffers transfer is not recorded (executions: 8)"
    );
    let engine = engine_of(&changed("mlp-local-task", |parts| {
        keep(parts, "command-operations", |_| false);
    }));
    assert!(gap(&engine, "why", "transfers").contains("(executions: 20)"));
    let engine = engine_of(&changed("mlp-local-task", |_| ()));
    assert_eq!(gap(&engine, "answerable", "transfers"), "yes");
}

fn part() {
    let place = Place::new();
    let for_times = ["--for=kernel-time"];
    let said = place.capture_with("iree-check-module", "tests", &for_times, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let why = "iree-check-module writes the bundle anew for each test: it has 1 of 3";
    let partly =
        format!("partly answered by dispatch-events of run-1, on the device's clock; {why}");
    assert!(said.out.contains(&partly), "{said:?}");
    assert_eq!(
        place.sql("SELECT severity, what FROM doctor WHERE finding = 'partial_run'"),
        format!("severity,what\nwarning,{why}\n")
    );
    let gap = "SELECT answerable, fill FROM gaps WHERE question = 'kernel-time'";
    assert_eq!(place.sql(gap), "answerable,fill\npartly,\n");
    let said = place.said_by(&["gaps", "--for=kernel-time", "set"]);
    assert!(said.out.contains("fill:    not possible with this tool and driver"), "{said:?}");
    // The same tool with one test keeps all.
    let place = Place::new();
    assert_eq!(place.capture_with("iree-check-module", "", &for_times, &[]).code, Some(0));
    assert_eq!(place.sql(gap), "answerable,fill\nyes,\n");
}

/// Runs `fill` of a bundle into `set`, with a tool that refuses without saying what, so that modes are probed.
fn fill(place: &Place, bundle: &str) -> Said {
    let bin = place.path("bin it's");
    let words = ["fill", bundle, "--for=kernel-time,memory", "-o", "set", "--iree-bin-dir"];
    let mut command = place.command("picky", &words);
    said(&command.arg(bin).args(["--", "iree-run-module", "--module=m.vmfb"]).output().unwrap())
}

/// The bundles of `set` with their sizes.
fn bundles(place: &Place) -> Vec<(String, u64)> {
    let entries = fs::read_dir(place.path("set")).unwrap().map(Result::unwrap);
    let sizes = entries
        .map(|entry| (entry.file_name().into_string().unwrap(), entry.metadata().unwrap().len()));
    sizes.filter(|(name, _)| name.contains(".ireeprof")).collect()
}

fn kept() {
    for name in ["probe", "run-1", ".probe", "run-2"] {
        let place = Place::new();
        assert_eq!(place.capture("", &["--mode=queue-events"], &[]).code, Some(0));
        let bundle = format!("{name}.ireeprof");
        fs::rename(place.path("set/run-1.ireeprof"), place.path(&bundle)).unwrap();
        fs::remove_dir_all(place.path("set")).unwrap();
        let old = fs::read(place.path(&bundle)).unwrap();
        let said = fill(&place, &bundle);
        assert!(said.err.contains("memory-events"), "a probe found what is refused: {said:?}");
        assert_eq!(fs::read(place.path(&bundle)).unwrap(), old, "{name}");
        let manifest = place.manifest();
        let mut runs = manifest["runs"].as_array().unwrap().iter();
        let given = runs.find(|run| run["outcome"] == "given").unwrap();
        let copy = place.path("set").join(given["bundle"].as_str().unwrap());
        assert_eq!(fs::read(copy).unwrap(), old, "{name}");
        for (file, size) in bundles(&place) {
            assert!(size > 24, "{name}: {file} is empty");
        }
    }
    // Files of these names that the set does not list are not written over, compressed or not.
    let place = Place::new();
    assert_eq!(place.capture("", &["--mode=queue-events"], &[]).code, Some(0));
    fs::create_dir(place.path("other")).unwrap();
    fs::copy(place.path("set/run-1.ireeprof"), place.path("other/mine.ireeprof.gz")).unwrap();
    let others = ["set/mine.ireeprof.gz", "set/run-2.ireeprof.gz", "set/run-3.ireeprof"];
    for file in others {
        fs::write(place.path(file), file).unwrap();
    }
    fill(&place, "other/mine.ireeprof.gz");
    assert_eq!(place.runs("name")[..2], ["run-1", "run-4"]);
    for file in others {
        assert_eq!(fs::read(place.path(file)).unwrap(), file.as_bytes());
    }
    // A flag file would lead runs without a profile to a bundle.
    let flags = "--device_profiling_mode=queue-events\n--device_profiling_output=old.ireeprof\n";
    fs::write(place.path("flags.txt"), flags).unwrap();
    let said = place.capture("", &["--for=memory"], &["--flagfile=flags.txt"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("--device_profiling_mode is set by this command"), "{said:?}");
}

fn printed() {
    let place = Place::new();
    fs::copy(root().join("tests/data/queue-only.ireeprof"), place.path("q.ireeprof")).unwrap();
    let output = || {
        let said = place.said_by(&["gaps", "--for=memory", "q.ireeprof"]).out;
        let (_, file) = said.split_once("--device_profiling_output=").unwrap();
        file.split_whitespace().next().unwrap().to_owned()
    };
    assert_eq!(output(), "memory.ireeprof");
    fs::write(place.path("memory.ireeprof"), "old").unwrap();
    assert_eq!(output(), "memory-2.ireeprof");
}

/// Runs a real tool in the place, whose module is compiled of a model of tests/data, and returns the bundle that it writes.
fn recorded(place: &Place, tool: &str, model: &str, flags: &[&str]) -> PathBuf {
    let module = place.path(&format!("{model}.vmfb"));
    models::compile(model, models::flags("llvm-cpu"), &module);
    let bundle = place.path(&format!("{}.ireeprof", flags.len()));
    let ran = Command::new(TOOLS.join(tool))
        .current_dir(place.path(""))
        .arg(format!("--module={}", module.display()))
        .arg("--function=main")
        .arg(
            "--device_profiling_mode=queue-events,host-execution,memory-events,executable-metadata",
        )
        .arg(format!("--device_profiling_output={}", bundle.display()))
        .args(flags)
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    bundle
}

const MLP: [&str; 5] = [
    "--input=32x128xf32=1",
    "--input=128x256xf32=0.01",
    "--input=256xf32=0.5",
    "--input=256x64xf32=0.01",
    "--input=64xf32=0.25",
];

fn real_worker() {
    let place = Place::new();
    let one = ["--device=local-task", "--task_topology_group_count=1", "--benchmark_min_time=20x"];
    let bundle = recorded(&place, "iree-benchmark-module", "mlp", &[&one[..], &MLP].concat());
    let engine = engine(&bundle);
    // The transpose has one tile.
    assert_eq!(gap(&engine, "why", "scheduling"), why(60));
    assert_eq!(gap(&engine, "fill, has_none", "scheduling"), ",true");
    assert!(found(&engine, "one_worker").starts_with("warning,one worker did all the work"));
    // Of a set that asked for regions, and for one worker, it is meant.
    let module = place.path("mlp.vmfb");
    let module = format!("--module={}", module.display());
    let words = ["capture", "--for=scheduling,kernel-time", "-o", "set", "--iree-bin-dir"];
    let mut command = place.command("", &words);
    command.arg(&*TOOLS).args(["--", "iree-benchmark-module", &module, "--function=main"]);
    let said = said(&command.args(one).args(MLP).output().unwrap());
    assert_eq!(said.code, Some(1), "regions are not there: {said:?}");
    assert_eq!(
        place.sql("SELECT severity FROM doctor WHERE finding = 'one_worker'"),
        "severity\ninfo\n"
    );
    let said = place.said_by(&["gaps", "--for=scheduling", "set"]);
    assert!(said.out.contains("fill:    there is nothing to capture"), "{said:?}");
}

fn real_extent() {
    let place = Place::new();
    let inputs = ["--input=0x128xf32", "--input=0x128xf32", "--input=128x64xf32=1"];
    let words = [&["--device=local-task"][..], &inputs].concat();
    let engine = engine(&recorded(&place, "iree-run-module", "dynamic", &words));
    assert_eq!(cell(&engine, "SELECT absence FROM report.capture_health"), "empty");
    assert!(gap(&engine, "why", "kernel-time").contains("have no workgroups, as an extent is 0"));
}

fn real_copies() {
    let place = Place::new();
    let words = [&["--device=local-sync", "--benchmark_min_time=3x"][..], &MLP].concat();
    let engine = engine(&recorded(&place, "iree-benchmark-module", "mlp", &words));
    assert_eq!(gap(&engine, "answerable, fill", "transfers"), "partly,");
}

/// Two weights of 256 KiB are loaded before the capture.
fn weights() {
    let place = Place::new();
    let created = Command::new(TOOLS.join("iree-create-parameters"))
        .args(["--data=w1=256x256xf32", "--data=w2=256x256xf32"])
        .arg(format!("--output={}", place.path("w.irpa").display()))
        .output()
        .unwrap();
    assert!(created.status.success(), "{created:?}");
    let flags = ["--parameters=model=w.irpa", "--input=4x256xf32=1", "--benchmark_min_time=4x"];
    let words = [&["--device=local-task"][..], &flags].concat();
    let bundle = recorded(&place, "iree-benchmark-module", "parameters", &words);
    let pools = engine(&bundle);
    let told = "SELECT pool_before_bytes, pool_peak_bytes - pool_before_bytes, queue_allocation_peak_bytes, \
                untold_count FROM report.explain_memory_bound";
    // What a call allocates: 4 KiB of its result, and two intermediate results in one allocation.
    assert_eq!(cell(&pools, told), "524288,12288,,0");
    let peaks = "SELECT DISTINCT pool_before_bytes, pool_peak_bytes FROM memory_peaks";
    assert_eq!(cell(&pools, peaks), "524288,536576");
    let report = |bundle: &str| place.said_by(&["report", bundle, "--format=markdown"]).out;
    let said = report(bundle.to_str().unwrap());
    let words = "have reserved 524 KiB at their peak, as they tell, with 512 KiB of before the capture, such as weights";
    assert!(said.contains(words), "{said}");
    assert!(said.contains("| peak of memory | 524 KiB | as pools tell"), "{said}");
    // local-sync has no pools.
    let words = [&["--device=local-sync", "--time_unit=ms"][..], &flags].concat();
    let bundle = recorded(&place, "iree-benchmark-module", "parameters", &words);
    assert_eq!(
        cell(
            &engine(&bundle),
            "SELECT pool_peak_bytes, untold_count FROM report.explain_memory_bound"
        ),
        ",8"
    );
    let said = report(bundle.to_str().unwrap());
    assert!(
        said.contains("Memory of before the capture, such as weights, is not counted."),
        "{said}"
    );
    assert!(said.contains("| peak of memory | at most "), "{said}");
    let said = place.said_by(&["explain", bundle.to_str().unwrap()]).out;
    assert!(said.contains("such as weights, counts only where pools tell it."), "{said}");
}

/// The first of two devices is profiled by iree-run-module; iree-benchmark-module profiles both.
fn real_devices() {
    let place = Place::new();
    let module = place.path("mlp.vmfb");
    models::compile("mlp", models::flags("llvm-cpu"), &module);
    let capture = |set: &str, tool: &str, flags: &[&str]| {
        let words = ["capture", "--for=kernel-time", "-o", set, "--iree-bin-dir"];
        let mut command = place.command("", &words);
        command.arg(&*TOOLS).args(["--", tool, "--device=local-task", "--device=local-sync"]);
        command.arg(format!("--module={}", module.display())).arg("--function=main");
        let said = said(&command.args(flags).args(MLP).output().unwrap());
        assert_eq!(said.code, Some(0), "{said:?}");
        said.out
    };
    let why = "iree-run-module profiled 1 of 2 devices";
    assert!(capture("set", "iree-run-module", &[]).contains(why));
    let found = "SELECT what FROM doctor WHERE finding = 'partial_run'";
    assert_eq!(place.sql(found), format!("what\n{why}\n"));
    let both = capture("both", "iree-benchmark-module", &["--benchmark_min_time=3x"]);
    assert!(both.contains("\nkernel-time        answered by host-execution of run-1"), "{both}");
}

//! Tests what `capture` and `fill` say and leave behind: the cause of a failure first, no folder of a capture that
//! recorded nothing, no modes asked that a driver never records, and no process or temporary file after a signal.

use std::process::Stdio;

use nix::sys::signal::Signal;

use crate::Test;
use crate::capture::{Place, assert_gone, said};
use crate::captures_in_trouble::{begin, end, signal, wait_for};

pub const TESTS: &[Test] = &[
    ("a_capture_of_nothing_leaves_no_folder", nothing),
    ("what_is_not_of_the_set_is_left_alone", foreign),
    ("a_set_that_was_there_stays", existing),
    ("the_other_reasons_follow_the_first", reasons),
    ("what_a_driver_never_records_is_not_asked", never),
    ("the_plan_says_once_what_is_not_asked", plan),
    ("times_of_a_benchmark_are_columns", times),
    ("one_cold_call_is_called_that", cold),
    ("doctor_knows_what_a_run_was_for", doctor),
    ("the_default_folder_is_as_the_help_says", default_folder),
    ("sigterm_leaves_no_process_and_no_file", terminated),
    ("a_signal_before_anything_is_recorded_leaves_no_folder", early),
    ("a_signal_while_the_tool_is_looked_at_ends_all", looking),
];

fn nothing() {
    for (fake, words, code, first) in [
        (
            "fail:a.c:1: NOT_FOUND; no such module",
            &[][..],
            4,
            "iree-run-module failed: NOT_FOUND; no such module",
        ),
        ("unprofiled", &[], 1, "UNIMPLEMENTED; HIP HAL-native profiling is not implemented ("),
        ("nothing", &[], 1, "it was accepted, but nothing was recorded ("),
        ("late", &["--time-limit=300ms"], 1, "the time limit stopped the run before it wrote"),
        ("silent", &[], 4, "iree-run-module succeeded, but wrote no bundle"),
    ] {
        let place = Place::new();
        let said = place.capture(fake, &[&["--for=kernel-time"], words].concat(), &[]);
        assert_eq!(said.code, Some(code), "{fake}: {said:?}");
        assert!(said.err.starts_with(&format!("ireescope: error: {first}")), "{said:?}");
        assert!(said.err.ends_with("so the folder set was removed again\n"), "{said:?}");
        assert_eq!((said.err.lines().count(), said.out.as_str()), (2, ""), "{said:?}");
        assert!(!place.path("set").exists(), "{fake}");
    }
    // The folder of a bundle that `fill` could not fill is removed, too, and its answer is printed.
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--for=kernel-time"], &[]).code, Some(0));
    std::fs::copy(place.path("set/run-1.ireeprof"), place.path("b.ireeprof")).unwrap();
    let tool = place.path("bin it's/iree-run-module");
    let words = ["fill", "b.ireeprof", "--for=kernel-time,memory", "--", tool.to_str().unwrap()];
    let said = place.said_by_fake("fail:it broke", &words);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(
        said.err.starts_with("ireescope: error: iree-run-module failed: it broke\n"),
        "{said:?}"
    );
    assert!(said.out.contains("1.100 µs in 2 dispatches"), "{said:?}");
    assert!(!place.path("b.capture").exists() && place.path("b.ireeprof").exists());
}

fn foreign() {
    let place = Place::new();
    let said = place.capture("unprofiled", &["--for=memory"], &["--benchmark_out=set/mine.json"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.err.contains("\nnothing was recorded; the output of the tool is in set\n"),
        "{said:?}"
    );
    assert!(place.path("set/mine.json").exists() && place.path("set/manifest.json").exists());
    // Device statistics were printed, so their file is kept.
    let place = Place::new();
    let words = ["--for=memory", "--print-device-statistics"];
    let said = place.capture("unprofiled", &words, &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(place.runs("outcome"), ["passed", "refused"]);
}

fn existing() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--for=kernel-time"], &[]).code, Some(0));
    let said = place.capture("fail:it broke", &["--for=memory"], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert_eq!(
        said.err,
        "ireescope: error: iree-run-module failed: it broke\n\
         nothing was recorded (exit code 1); its output is in set/run-2.stderr.txt\n"
    );
    assert_eq!(place.runs("outcome"), ["captured", "failed"]);
    assert_eq!(place.sql("SELECT count(*) AS n FROM dispatch_events"), "n\n2\n");
}

fn reasons() {
    let place = Place::new();
    let said = place.capture("picky", &["--mode=memory-events"], &[]);
    let first = "FAILED_PRECONDITION; profiling needs a feature that is off (memory-events)";
    assert!(said.err.starts_with(&format!("ireescope: error: {first}\n")), "{said:?}");
    let said = place.capture("picky", &["--for=memory,device-time"], &["--device=local-task"]);
    assert_eq!(
        said.err,
        format!(
            "ireescope: error: {first}\n\
             nothing was recorded, so the folder set was removed again\n\
             also: not supported by local-task (dispatch-events)\n"
        )
    );
    let said = place.capture("old", &["--mode=device-metrics"], &[]);
    assert_eq!(
        said.err,
        "ireescope: error: iree-run-module fake tool 9.9 does not list this mode (device-metrics)\n\
         nothing was run\n"
    );
    assert!(!place.path("set").exists());
}

fn never() {
    let place = Place::new();
    let device = ["--device=local-task"];
    let said = place.capture("", &["--for=kernel-time"], &device);
    assert_eq!((said.code, said.err.contains("refused")), (Some(0), false), "{said:?}");
    assert!(
        said.out.contains("; dispatch-events is not available: not supported by local-task\n"),
        "{said:?}"
    );
    assert_eq!(place.capture("", &["--mode=dispatch-events"], &device).code, Some(0));
    assert_eq!(place.capture("", &["--for=kernel-time"], &["--device=hip"]).code, Some(0));
    assert_eq!(
        place.sql("SELECT asked, refused FROM runs ORDER BY run"),
        "asked,refused\n\
         \"host-execution,executable-metadata\",\n\
         dispatch-events,\n\
         \"dispatch-events,executable-metadata\",\n"
    );
    // Without anything to ask, no tool runs.
    let place = Place::new();
    let said = place.capture("", &["--for=device-time,counters"], &device);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(
        said.err,
        "ireescope: error: not supported by local-task (dispatch-events, counters, counter-ranges)\n\
         nothing was run; --mode NAME asks for a mode anyway\n"
    );
    assert!(!place.path("set").exists());
}

fn plan() {
    let place = Place::new();
    let dry = |words: &[&str], device: &str| {
        let words = [&["--dry-run"], words].concat();
        let said = place.capture("gpu", &words, &[device]);
        assert_eq!(said.code, Some(0), "{said:?}");
        said.out
    };
    let out = dry(&["--for=kernel-time,device-time,queue-wait"], "--device=local-task");
    assert!(
        out.ends_with(
            "not asked: device-queue-events, dispatch-events (not supported by local-task)\n"
        ),
        "{out}"
    );
    assert!(
        out.contains("run-1: queue-events, host-execution, executable-metadata  (for"),
        "{out}"
    );
    let out = dry(&["--for=kernel-time", "--mode=dispatch-events"], "--device=local-task");
    assert!(out.contains("--device_profiling_mode=dispatch-events"), "{out}");
    assert!(!out.contains("not asked"), "{out}");
    assert!(!dry(&["--for=kernel-time"], "--device=vulkan://0,local-task").contains("not asked"));
}

fn times() {
    let place = Place::new();
    let capture = |fake: &str, tool: &[&str]| {
        let said = place.capture_with("iree-benchmark-module", fake, &["--for=kernel-time"], tool);
        assert_eq!(said.code, Some(0), "{said:?}");
    };
    capture("", &[]);
    capture("two benchmarks", &[]);
    capture("", &["--benchmark_out=mine.json"]);
    assert_eq!(place.capture("", &["--mode=queue-events"], &[]).code, Some(0));
    assert_eq!(
        place.sql("SELECT run, tool, iterations, wall_ns, cpu_ns FROM runs ORDER BY run"),
        "run,tool,iterations,wall_ns,cpu_ns\n\
         run-1,iree-benchmark-module,6,3500,7000\n\
         run-2,iree-benchmark-module,,,\n\
         run-3,iree-benchmark-module,,,\n\
         run-4,iree-run-module,,,\n"
    );
    // The file names the machine, so only that of the user is left.
    assert!(place.path("mine.json").exists());
    let left = std::fs::read_dir(place.path("set")).unwrap();
    let left: Vec<_> = left.map(|entry| entry.unwrap().file_name()).collect();
    assert!(left.iter().all(|name| !name.to_str().unwrap().contains("benchmark")), "{left:?}");
    let ran = place.manifest()["runs"][0]["process"]["ran"].to_string();
    assert!(ran.contains("set/run-1.benchmark.json"), "{ran}");
}

fn cold() {
    let note = "one call, first call included: times include warm-up; use iree-benchmark-module for steady state\n";
    let place = Place::new();
    let said = place.capture("gpu", &["--for=kernel-time"], &[]);
    assert_eq!(said.out.matches(note).count(), 1, "{said:?}");
    let said = place.said_by_fake("gpu", &["fill", "set", "--for=memory"]);
    assert_eq!(said.err.matches(note).count(), 1, "{said:?}");
    for (tool, words) in
        [("iree-benchmark-module", &[][..]), ("iree-run-module", &["--replay"][..])]
    {
        let words = [&["--for=kernel-time"], words].concat();
        let said = place.capture_with(tool, "gpu", &words, &[]);
        assert!(said.code == Some(0) && !said.out.contains("warm-up"), "{said:?}");
    }
}

fn doctor() {
    let blamed = "SELECT DISTINCT finding FROM doctor WHERE finding IN ('no_events', 'no_dispatches', 'missing_metadata') AND severity <> 'info'";
    let place = Place::new();
    for (fake, device) in [("gpu", "--device=hip"), ("", "--device=local-task")] {
        let _ = std::fs::remove_dir_all(place.path("set"));
        assert_eq!(place.capture(fake, &["--mode=queue-events"], &[device]).code, Some(0));
        for question in ["memory", "kernel-code", "queue-wait"] {
            let said = place.said_by_fake(fake, &["fill", "set", "--for", question]);
            assert_eq!(said.code, Some(0), "{question}: {said:?}");
        }
        assert_eq!(place.runs("name").len(), 4);
        assert_eq!(place.sql(blamed), "finding\n", "{device}");
        // A bundle whose records refer to functions without their metadata would be rejected.
        assert_eq!(place.said_by(&["dispatch", "set"]).code, Some(0));
    }
    assert_eq!(place.said_by(&["doctor", "set"]).code, Some(0));
    // A run that was asked for dispatches and has none is to blame.
    let words = ["--mode=queue-events,dispatch-events", "--filter-function=none"];
    assert_eq!(place.capture("filtered", &words, &[]).code, Some(1));
    assert_eq!(place.sql(blamed), "finding\nno_dispatches\n");
}

fn default_folder() {
    let place = Place::new();
    std::fs::create_dir(place.path("models")).unwrap();
    std::fs::write(place.path("models/m.vmfb"), "module").unwrap();
    let help = place.said_by(&["capture", "--help"]).out;
    let help: Vec<&str> = help.split_whitespace().collect();
    let told = "[default: MODULE.capture in the working directory, or MODULE.capture-2 and so on, if that exists]";
    assert!(help.join(" ").contains(told), "{help:?}");
    let bin = place.path("bin it's");
    let capture = |tool: &[&str]| {
        let words = ["capture", "--for=kernel-time", "--iree-bin-dir", bin.to_str().unwrap(), "--"];
        let said = place.said_by_fake("gpu", &[&words[..], tool].concat());
        assert_eq!(said.code, Some(0), "{said:?}");
    };
    let is_set = |name: &str| place.path(name).join("manifest.json").exists();
    capture(&["iree-run-module", "--module=models/m.vmfb"]);
    assert!(is_set("m.capture") && !is_set("m.capture-2") && !is_set("models/m.capture"));
    capture(&["iree-run-module", "--module=models/m.vmfb"]);
    assert!(is_set("m.capture-2") && !is_set("m.capture-3"));
    capture(&["iree-benchmark-replay", "r.ireereplay"]);
    assert!(is_set("r.capture"));
    // A failed capture does not take the name.
    let words = ["capture", "--iree-bin-dir", bin.to_str().unwrap(), "--", "iree-run-module"];
    let said = place.said_by_fake("fail:it broke", &[&words[..], &["--module=n.vmfb"]].concat());
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(!place.path("n.capture").exists());
}

fn terminated() {
    for (given, code) in [(Signal::SIGTERM, 143), (Signal::SIGHUP, 129), (Signal::SIGINT, 130)] {
        let place = Place::new();
        std::fs::create_dir(place.path("tmp")).unwrap();
        let bin = place.path("bin it's");
        let words = ["capture", "-o", "set", "--for=kernel-time", "--iree-bin-dir"];
        let mut command = place.command("family", &words);
        command.arg(&bin).args(["--", "iree-run-module"]).env("TMPDIR", place.path("tmp"));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(&place.path("set/run-1.pid"));
        signal(&child, given);
        let said = said(&child.wait_with_output().unwrap());
        assert_eq!(said.code, Some(code), "{said:?}");
        assert!(said.err.contains("interrupted; kept dispatch-events"), "{said:?}");
        assert_gone(&place);
        let mut left: Vec<String> = std::fs::read_dir(place.path("set"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let wanted = [
            "manifest.json",
            "run-1.ireeprof",
            "run-1.pid",
            "run-1.stderr.txt",
            "run-1.stdout.txt",
        ];
        assert_eq!(left, wanted);
        assert_eq!(std::fs::read_dir(place.path("tmp")).unwrap().count(), 0);
    }
}

fn early() {
    let place = Place::new();
    let child = begin(&place, "late", &["--for=kernel-time"], &[]);
    wait_for(&place.path("ready"));
    signal(&child, Signal::SIGTERM);
    let said = end(child);
    assert_eq!(said.code, Some(143), "{said:?}");
    assert_eq!(
        said.err,
        "ireescope: error: interrupted before anything was recorded\n\
         nothing was recorded, so the folder set was removed again\n"
    );
    assert!(!place.path("set").exists());
}

fn looking() {
    let place = Place::new();
    let child = begin(&place, "slow help", &["--for=kernel-time"], &[]);
    wait_for(&place.path("ready"));
    let pid = std::fs::read_to_string(place.path("ready")).unwrap();
    signal(&child, Signal::SIGTERM);
    let said = end(child);
    assert_eq!(said.code, Some(143), "{said:?}");
    assert!(said.err.contains("interrupted before anything was recorded"), "{said:?}");
    let state = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    assert!(state.is_empty() || state.contains(") Z "), "{state}");
    assert!(!place.path("set").exists());
}

//! Tests failing and interrupted captures: failures are not reported as refusals, running tools are stopped, and
//! recorded data is kept. Also tests that `fill` repeats the recorded command.

use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::Test;
use crate::capture::{Place, Said, assert_gone, is_alive, said};

pub const TESTS: &[Test] = &[
    ("a_failure_is_no_refusal_whatever_its_names", failures),
    ("filters_that_are_refused_are_left_out", filters),
    ("a_second_ctrl_c_ends_the_tool_at_once", twice),
    ("a_tool_that_does_not_stop_is_ended", stubborn),
    ("a_killed_capture_leaves_a_set", killed),
    ("ctrl_c_in_statistics_ends_all", statistics),
    ("a_time_limit_is_no_refusal", late),
    ("a_time_limit_ends_each_repetition", repeated),
    ("a_replay_that_was_not_recorded_is_not_profiled", replay),
    ("one_capture_at_a_time_writes_a_set", locked),
    ("fill_knows_which_device_it_asks", devices),
    ("fill_runs_as_before", before),
    ("the_printed_command_works_from_anywhere", anywhere),
    ("fill_takes_a_set_for_what_it_is", subjects),
    ("what_a_tool_prints_does_not_reach_the_terminal_raw", raw),
    ("counters_that_are_named_are_wanted", named_counters),
    ("a_full_ring_is_flushed_earlier", ring),
    ("dropped_records_are_captured_with_flushes", dropped),
    ("the_flushes_follow_from_the_calls_asked_for", flushes),
];

/// Returns a member of the refusals of all runs.
fn refusals(place: &Place, key: &str) -> Vec<String> {
    let manifest = place.manifest();
    let runs = manifest["runs"].as_array().unwrap().iter();
    let refused = runs.flat_map(|run| run["refused"].as_array().unwrap().clone());
    refused.map(|refused| refused[key].as_str().unwrap_or_default().to_owned()).collect()
}

fn failures() {
    for said_by_tool in [
        "file_handle.c:373: NOT_FOUND; failed to open file 'profiles/nope.vmfb'; loading bytecode module at 'profiles/nope.vmfb'; creating run context",
        "file_handle.c:373: NOT_FOUND; no such file profiles/counters/trace.vmfb; creating run context",
        "module.c:333: NOT_FOUND; no function `counter_step` exported by module; looking up function 'counter_step'",
        "x.c:1: INVALID_ARGUMENT; bad trace limit in my_profile.vmfb",
        "x.c:1: UNAVAILABLE; the family counter of profile users is away",
        "x.c:1: INVALID_ARGUMENT; filter of the trace does not fit",
    ] {
        let place = Place::new();
        place.make_set();
        let fake = format!("fail:{said_by_tool}");
        let said = place.capture(&fake, &["--for=kernel-time,counters", "--filter-queue=0"], &[]);
        assert_eq!(said.code, Some(4), "{said_by_tool}: {said:?}");
        // The status and its message; the context is in the output.
        let (_, cause) = said_by_tool.split_once(": ").unwrap();
        let cause = cause.split("; ").take(2).collect::<Vec<_>>().join("; ");
        let wanted = format!(
            "ireescope: error: iree-run-module failed: {cause}\n\
             nothing was recorded (exit code 1); its output is in set/run-1.stderr.txt\n"
        );
        assert_eq!((said.err.as_str(), said.out.as_str()), (wanted.as_str(), ""));
        assert_eq!(place.runs("outcome"), ["failed"], "{said_by_tool}");
        assert_eq!(refusals(&place, "why"), ["cut", "cut"], "{said_by_tool}");
        assert!(!place.path("set/probe.stderr.txt").exists());
        // The failure is not recorded as a refusal of the device.
        let said = place.said_by_fake("", &["fill", "set"]);
        assert_eq!(said.code, Some(0), "{said:?}");
    }
}

fn filters() {
    let place = Place::new();
    let words = ["--for=kernel-time", "--filter-function=mat*"];
    let said = place.capture("unfiltered", &words, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err.contains(
            "refused the filters; everything is recorded: UNIMPLEMENTED; fake profiling capture filters"
        ),
        "{said:?}"
    );
    assert!(
        said.out.contains("kernel-time        answered by host-execution of run-1"),
        "{said:?}"
    );
    assert!(
        said.out
            .contains("filters            not available; everything was recorded: UNIMPLEMENTED"),
        "{said:?}"
    );
    assert_eq!(refusals(&place, "mode"), ["dispatch-events"]);
    let run = &place.manifest()["runs"][0];
    assert!(run["filters_refused"].as_str().unwrap().starts_with("UNIMPLEMENTED; fake"), "{run}");
    assert!(!run["process"]["ran"].to_string().contains("_filter_"), "{run}");
    assert_eq!(
        place.said_by(&["gaps", "--check", "--for=kernel-time,kernel-code", "set"]).code,
        Some(0)
    );
}

/// Starts a capture in the background.
pub fn begin(place: &Place, fake: &str, words: &[&str], tool: &[&str]) -> Child {
    let bin = place.path("bin it's");
    let mut all = vec!["capture", "-o", "set", "--iree-bin-dir", bin.to_str().unwrap()];
    all.extend(words);
    all.extend(["--", "iree-run-module"]);
    all.extend(tool);
    let mut command = place.command(fake, &all);
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

pub fn wait_for(path: &Path) {
    let started = Instant::now();
    while !path.exists() {
        assert!(started.elapsed() < Duration::from_mins(1), "{}", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(100));
}

pub fn signal(child: &Child, signal: Signal) {
    let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(id, signal).unwrap();
}

pub fn end(child: Child) -> Said {
    said(&child.wait_with_output().unwrap())
}

fn twice() {
    let place = Place::new();
    let child = begin(&place, "stubborn", &["--for=kernel-time"], &[]);
    wait_for(&place.path("set/run-1.pid"));
    signal(&child, Signal::SIGINT);
    std::thread::sleep(Duration::from_millis(300));
    let asked = Instant::now();
    signal(&child, Signal::SIGINT);
    let said = end(child);
    assert!(
        asked.elapsed() < Duration::from_millis(1500),
        "it does not wait: {:?}",
        asked.elapsed()
    );
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.err.contains("interrupted; kept dispatch-events"), "{said:?}");
    assert_gone(&place);
    assert_eq!(place.runs("outcome"), ["interrupted"]);
    assert_eq!(place.sql("SELECT count(*) AS n FROM dispatch_events"), "n\n2\n");
}

fn stubborn() {
    let place = Place::new();
    let child = begin(&place, "stubborn", &["--for=kernel-time"], &[]);
    wait_for(&place.path("set/run-1.pid"));
    signal(&child, Signal::SIGINT);
    assert_eq!(end(child).code, Some(130));
    assert_gone(&place);
    assert_eq!(place.runs("outcome"), ["interrupted"]);
    assert_eq!(place.runs("got"), [r#"["dispatch-events","executable-metadata"]"#]);
}

fn killed() {
    let place = Place::new();
    let child = begin(&place, "hang", &["--for=kernel-time"], &[]);
    wait_for(&place.path("set/run-1.pid"));
    signal(&child, Signal::SIGKILL);
    end(child);
    // The tool, and what it started, end with the program; until then, the folder is locked.
    let folder = std::fs::File::open(place.path("set")).unwrap();
    let killed = Instant::now();
    while folder.try_lock().is_err() {
        assert!(killed.elapsed() < Duration::from_secs(10), "the lock is still held");
        std::thread::sleep(Duration::from_millis(1));
    }
    let tool = std::fs::read_to_string(place.path("set/run-1.pid")).unwrap();
    assert!(!is_alive(tool.trim()), "process {tool} is left");
    folder.unlock().unwrap();
    assert_eq!(place.runs("outcome"), ["running"]);
    assert_eq!(place.sql("SELECT count(*) AS n FROM dispatch_events"), "n\n2\n");
    let said = place.said_by(&["doctor", "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("ireescope was terminated while the tool ran"), "{said:?}");
    let said = place.said_by_fake("", &["fill", "set"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("1.100 µs in 2 dispatches"), "{said:?}");
    assert_eq!(place.runs("outcome"), ["running", "captured"]);
}

fn statistics() {
    let place = Place::new();
    place.make_set();
    let words = ["--for=kernel-time", "--print-device-statistics", "--replay"];
    let external = ["--device_capture_tool=x", "--device_capture_file=y"];
    let child = begin(&place, "slow statistics", &words, &external);
    wait_for(&place.path("ready"));
    signal(&child, Signal::SIGINT);
    assert_eq!(end(child).code, Some(130));
    assert_eq!(place.runs("outcome"), ["interrupted"], "no other run begins");
}

fn late() {
    let place = Place::new();
    place.make_set();
    let said = place.capture("late", &["--for=kernel-time", "--time-limit=500ms"], &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.err.starts_with(
            "ireescope: error: the time limit stopped the run before it wrote any of these records; --flush-interval-ms"
        ),
        "{said:?}"
    );
    assert_eq!(place.runs("outcome"), ["time_limit"], "another way is no better");
    let said = place.said_by(&["gaps", "--for=device-time", "set"]);
    assert!(said.out.contains("fill:    ireescope fill set --for device-time"), "{said:?}");
}

fn repeated() {
    let place = Place::new();
    let words = ["--for=kernel-time", "--time-limit=400ms", "--repeat=3"];
    assert_eq!(place.capture("hang", &words, &[]).code, Some(0));
    assert_eq!(place.runs("outcome"), ["time_limit"; 3]);
}

fn replay() {
    let place = Place::new();
    place.make_set();
    let said = place.capture("slow recording", &["--replay", "--time-limit=400ms"], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(
        said.err
            .contains("there is no complete recording to replay: the time limit stopped the tool"),
        "{said:?}"
    );
    assert_eq!(place.runs("outcome"), ["time_limit"]);
    // The set records the tool itself, not the replay tool.
    let tool = place.path("bin it's/iree-run-module");
    let words = ["fill", "set", "--", tool.to_str().unwrap()];
    assert_eq!(place.said_by_fake("", &words).code, Some(0));
    let said =
        place.said_by(&["capture", "--replay", "--", "iree-benchmark-replay", "x.ireereplay"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("--replay cannot be used with iree-benchmark-replay"), "{said:?}");
}

fn locked() {
    let place = Place::new();
    let child = begin(&place, "hang", &["--for=kernel-time"], &[]);
    wait_for(&place.path("set/run-1.pid"));
    let said = place.capture("", &["--for=kernel-time"], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(
        said.err.contains("another capture into ") && said.err.contains(" is running"),
        "{said:?}"
    );
    signal(&child, Signal::SIGINT);
    assert_eq!(end(child).code, Some(130));
    assert_eq!(place.runs("name"), ["run-1"]);
    assert_eq!(place.capture("", &["--for=kernel-time"], &[]).code, Some(0));
}

fn devices() {
    let place = Place::new();
    let capture = |modes: &str, device: &str| place.capture("two", &[modes], &[device]);
    assert_eq!(capture("--mode=host-execution,dispatch-events", "--device=a").code, Some(1));
    let tool = place.path("bin it's/iree-run-module");
    let fill = |words: &[&str], device: Option<&str>| {
        let mut all = vec!["fill", "set"];
        all.extend(words);
        if let Some(device) = device {
            all.extend(["--", tool.to_str().unwrap(), device]);
        }
        place.said_by_fake("two", &all)
    };
    // A mode that one device refuses is tried on another.
    let said = fill(&["--for=device-time"], None);
    assert!(said.code == Some(1) && place.runs("name").len() == 1, "{said:?}");
    let said = fill(&["--for=device-time"], Some("--device=b"));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("2 dispatches timed by the device"), "{said:?}");
    // `fill` uses the device of the bundle with the gap, even if the last run used another one.
    assert_eq!(capture("--mode=queue-events", "--device=a").code, Some(0));
    let said = place.said_by(&["gaps", "--for=timeline", "set"]);
    assert!(said.out.contains("ireescope fill set --for timeline"), "{said:?}");
    let said = fill(&["--for=timeline", "--dry-run"], None);
    assert_eq!(said.code, Some(0), "{said:?}");
    let bundle = place.sql("SELECT bundle FROM gaps WHERE question = 'timeline'");
    let wanted = if bundle.contains("run-2") { "--device=b" } else { "--device=a" };
    assert!(said.out.contains(wanted), "{bundle} {said:?}");
}

fn before() {
    let place = Place::new();
    let bin = place.path("bin it's");
    let words = [
        "capture",
        "-o",
        "set",
        "--mode=queue-events",
        "--time-limit=20s",
        "--flush-interval-ms=50",
        "--iree-bin-dir",
        bin.to_str().unwrap(),
        "--",
        "iree-run-module",
    ];
    let mut command = place.command("gpu", &words);
    assert_eq!(said(&command.env("HIP_VISIBLE_DEVICES", "1").output().unwrap()).code, Some(0));
    let fill = |visible: Option<&str>, question: &str| {
        let mut command = place.command("gpu", &["fill", "set", question]);
        command.env_remove("HIP_VISIBLE_DEVICES");
        command.envs(visible.map(|visible| ("HIP_VISIBLE_DEVICES", visible)));
        said(&command.output().unwrap())
    };
    let said = fill(None, "--for=kernel-time");
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("using HIP_VISIBLE_DEVICES=1 of the earlier capture"), "{said:?}");
    let printed = std::fs::read_to_string(place.path("set/run-2.stdout.txt")).unwrap();
    assert!(printed.contains("\nHIP_VISIBLE_DEVICES=1\n"), "{printed}");
    let process = &place.manifest()["runs"][1]["process"];
    assert_eq!(process["time_limit_ms"], 20_000);
    assert_eq!(process["environment"]["HIP_VISIBLE_DEVICES"], "1");
    assert!(
        process["ran"].to_string().contains("--device_profiling_flush_interval_ms=50"),
        "{process}"
    );
    let said = fill(Some("0"), "--for=memory");
    assert!(said.err.contains("HIP_VISIBLE_DEVICES is 0, but was 1"), "{said:?}");
    assert_eq!(place.manifest()["runs"][2]["process"]["environment"]["HIP_VISIBLE_DEVICES"], "0");
}

fn anywhere() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--mode=queue-events"], &["--x=a 'b'"]).code, Some(0));
    let there = place.path("over there, it's");
    std::fs::create_dir(&there).unwrap();
    let mut gaps = place.command("", &["gaps", "--for=memory", "../set"]);
    let said = said(&gaps.current_dir(&there).output().unwrap());
    let line = said.out.lines().find_map(|line| line.trim().strip_prefix("or:")).unwrap();
    assert!(line.trim().starts_with("cd "), "{line}");
    let output = std::process::Command::new("bash")
        .args(["-c", line.trim()])
        .current_dir(&there)
        .env("IREESCOPE_FAKE", "gpu")
        .output()
        .unwrap();
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    let bundle = there.join("memory.ireeprof");
    let said = place.said_by(&["gaps", "--check", "--for=memory", bundle.to_str().unwrap()]);
    assert_eq!(said.code, Some(0), "{said:?}");
}

fn subjects() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--mode=queue-events"], &[]).code, Some(0));
    let said = place.said_by_fake("gpu", &["fill", "set", "-o", "other"]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("set is a capture set, which is filled in place"), "{said:?}");
    // `fill` of a bundle in a set uses the set's command, and adds the run to the set.
    let said = place.said_by_fake("gpu", &["fill", "set/run-1.ireeprof"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("belongs to the capture set set, which is filled"), "{said:?}");
    assert_eq!(place.runs("name"), ["run-1", "run-2"]);
    assert!(!place.path("set/run-1.capture").exists());
}

fn raw() {
    let place = Place::new();
    let fake = "fail:\u{1b}[31mred\u{1b}]0;title\u{7}";
    let said = place.capture(fake, &["--for=kernel-time"], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(!said.err.contains('\u{1b}') && said.err.contains("\\u{1b}[31mred"), "{said:?}");
}

fn named_counters() {
    let place = Place::new();
    let said = place.capture("gpu", &["--for=kernel-time", "--counter=WAVES"], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("counters           answered by counters of run-2"), "{said:?}");
    let place = Place::new();
    let said = place.capture("unprofiled", &["--for=counters", "--mode=counters"], &[]);
    let first = "ireescope: error: UNIMPLEMENTED; HIP HAL-native profiling is not implemented (counters, counter-ranges";
    assert!(said.err.starts_with(first), "{said:?}");
}

const INTERVAL: &str = "--device_profiling_flush_interval_ms=";

fn ring() {
    let place = Place::new();
    let said = place.capture("ring", &["--for=kernel-time"], &["--device=amdgpu"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let full = "a ring of events was full (RESOURCE_EXHAUSTED; dispatch profiling event ring exhausted: requested 4 events, \
                available 1, ready 65535, capacity 65536)";
    for (run, every) in [(1, 100), (2, 10)] {
        let wanted = format!("run-{run}: {full}; again with --flush-interval-ms={every}\n");
        assert!(said.err.contains(&wanted), "{wanted}{}", said.err);
    }
    assert_eq!(place.runs("outcome"), ["captured"]);
    assert!(
        place.manifest()["runs"][0]["process"]["ran"]
            .to_string()
            .contains(&format!("{INTERVAL}10\""))
    );
    assert_eq!(refusals(&place, "why"), [""; 0], "nothing is not supported");
    // What the user chose stays, and the error says what to choose.
    let place = Place::new();
    let words = ["--for=kernel-time", "--flush-interval-ms=70"];
    let said = place.capture("ring", &words, &["--device=amdgpu"]);
    assert_eq!(said.code, Some(4), "{said:?}");
    let advice = "(the driver keeps its events in a ring until they are flushed, which was too late: use a shorter \
                  --flush-interval-ms, or record fewer calls";
    assert!(said.err.contains(advice), "{said:?}");
    assert_eq!(refusals(&place, "why"), [""; 0], "{said:?}");
}

fn dropped() {
    let place = Place::new();
    let said = place.capture("drops", &["--for=kernel-time,memory"], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let gaps = place.said_by(&["gaps", "--for=memory", "set"]);
    assert!(gaps.out.contains("the producer dropped records (3)"), "{gaps:?}");
    // Records of 80 ms were kept.
    let said = place.said_by_fake("drops", &["fill", "set", "--for=memory"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let runs = place.manifest()["runs"].clone();
    assert!(runs[1]["process"]["ran"].to_string().contains(&format!("{INTERVAL}40\"")), "{runs}");
    assert_eq!(place.said_by(&["gaps", "--check", "--for=memory", "set"]).code, Some(0));
}

fn flushes() {
    let place = Place::new();
    let planned = |device: &str, tool: &str, words: &[&str]| {
        let bin = place.path("bin it's");
        let mut all =
            vec!["capture", "-o", "set", "--dry-run", "--for=kernel-time", "--iree-bin-dir"];
        let device = format!("--device={device}");
        all.extend([bin.to_str().unwrap(), "--", tool, &device]);
        all.extend(words);
        let said = place.said_by_fake("", &all);
        assert_eq!(said.code, Some(0), "{said:?}");
        said.out.contains(&format!("{INTERVAL}100"))
    };
    let benchmark = "iree-benchmark-module";
    assert!(planned("amdgpu", benchmark, &["--benchmark_min_time=10s"]));
    assert!(planned("amdgpu", benchmark, &["--benchmark_min_time=20000x"]));
    assert!(!planned("amdgpu", benchmark, &["--benchmark_min_time=100x"]));
    assert!(!planned("amdgpu", "iree-run-module", &[]));
    assert!(!planned("vulkan", benchmark, &["--benchmark_min_time=10s"]));
}

//! Tests captures with the real tools: filling the gaps of a capture with queue events only, modes that devices refuse,
//! and manifests, which are validated against their schema.

use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;

use super::differential::TOOLS;
use crate::capture::{Place, Said, said};
use crate::support::ask::root;
use crate::support::models;
use crate::{skipped_if, trial};

/// The tests that need the real tools.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("real_captures::local_task_answers_by_the_host".into(), || {
            real("local-task", "host-execution", "device-time");
        }),
        trial("real_captures::local_sync_answers_by_the_host".into(), || {
            real("local-sync", "host-execution", "device-time");
        }),
        skipped_if(
            no_vulkan(),
            trial("real_captures::vulkan_answers_by_the_device".into(), || {
                real("vulkan", "dispatch-events", "scheduling");
            }),
        ),
        trial("real_captures::real_replays_are_profiled".into(), real_replay),
        trial("real_captures::real_filters_are_refused_or_leave_a_part".into(), real_filters),
        trial("real_captures::real_failures_are_told_by_their_cause".into(), real_messages),
        trial("real_captures::a_module_races_itself".into(), race),
        trial("real_captures::manifests_follow_their_schema".into(), schema),
    ]
}

/// Why tests of Vulkan cannot run; `None` if the machine has a Vulkan device, such as llvmpipe.
pub fn no_vulkan() -> Option<&'static str> {
    let output = Command::new(TOOLS.join("iree-run-module")).arg("--list_devices=vulkan").output();
    let has_vulkan =
        output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("vulkan://"));
    (!has_vulkan).then_some("there is no Vulkan device")
}

/// Compiles a model of tests/data for a device, and returns the tool arguments that run it.
fn model(place: &Place, device: &str) -> Vec<String> {
    let module = place.path("mlp it's.vmfb");
    models::compile("mlp", models::flags(device), &module);
    let mut words = vec![
        format!("--device={device}"),
        format!("--module={}", module.display()),
        "--function=main".into(),
    ];
    for input in
        ["32x128xf32=1", "128x256xf32=0.01", "256xf32=0.5", "256x64xf32=0.01", "64xf32=0.25"]
    {
        words.push(format!("--input={input}"));
    }
    words
}

/// Runs `ireescope` with the real tools.
fn with_tools(place: &Place, words: &[&str], tool: &[String]) -> Said {
    let mut command = place.command("", words);
    command.arg("--iree-bin-dir").arg(&*TOOLS);
    if !tool.is_empty() {
        command.arg("--").args(tool);
    }
    said(&command.output().unwrap())
}

/// Fills the gaps of a capture with queue events only, and checks the questions that the device cannot answer.
fn real(device: &str, answered_by: &str, refused: &str) {
    let place = Place::new();
    let tool: Vec<String> =
        std::iter::once("iree-run-module".into()).chain(model(&place, device)).collect();
    let said = with_tools(&place, &["capture", "--mode=queue-events", "-o", "queues"], &tool);
    assert_eq!(said.code, Some(0), "{said:?}");
    let bundle = "queues/run-1.ireeprof";
    assert!(place.said_by(&["top", bundle]).out.contains("no dispatches recorded"));
    let said = place.said_by(&["gaps", "--for=kernel-time,counters", bundle]);
    let fill = "fill:    ireescope fill queues/run-1.ireeprof --for kernel-time -- TOOL ARGS…\n";
    assert!(said.out.contains(fill), "{}", said.out);
    let abstains = format!("counters: not supported by {device}\n");
    assert!(said.out.contains(&abstains), "{}", said.out);
    assert!(said.out.contains("fill:    not possible with this driver"), "{}", said.out);
    let said = with_tools(&place, &["fill", bundle, "-o", "set"], &tool);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains(" in 4 dispatches of 4 functions"), "{}", said.out);
    assert!(
        said.err.contains(&format!("kernel-time: answered by {answered_by} of run-2")),
        "{}",
        said.err
    );
    if answered_by == "host-execution" {
        // The device is known not to support the mode, so it is not tried.
        let known = format!(
            "on the host's clock; dispatch-events is not available: not supported by {device}"
        );
        assert!(said.err.contains(&known), "{}", said.err);
    }
    assert!(place.said_by(&["top", "set"]).out.contains(" in 4 dispatches of 4 functions"));
    let process = &place.manifest()["runs"][1]["process"];
    assert_eq!(
        (&process["tool"]["version"], &process["device"]),
        (&"3.13.0".into(), &device.into())
    );
    assert_eq!(process["tool"]["compiler_version"], "3.13.0");
    assert_eq!(process["tool"]["revision"].as_str().map(str::len), Some(40));
    let questions = format!("--for={refused},counters");
    let said = place.said_by(&["gaps", "--check", &questions, "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(said.out.matches("fill:    not possible with this driver").count(), 2, "{said:?}");
    let said = with_tools(&place, &["fill", "set", &questions], &tool);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(said.err.matches(" not answered: ").count(), 2, "{said:?}");
    assert_eq!(place.runs("name").len(), 2, "nothing is tried that is known");
    // What the driver is known not to record is not asked, unless it is named.
    let said = with_tools(&place, &["capture", &questions, "-o", "none"], &tool);
    assert_eq!(said.code, Some(1), "{said:?}");
    let first = format!("ireescope: error: not supported by {device} (");
    assert!(said.err.starts_with(&first), "{said:?}");
    assert!(
        said.err.contains("\nnothing was run; --mode NAME asks for a mode anyway\n"),
        "{said:?}"
    );
    assert!(!place.path("none").exists());
    let said = with_tools(&place, &["capture", "--mode=counters", "-o", "none"], &tool);
    assert_eq!(said.code, Some(1), "{said:?}");
    let first = "ireescope: error: UNIMPLEMENTED; unsupported ";
    assert!(
        said.err.starts_with(first) && said.err.contains("profiling data families 0x10"),
        "{said:?}"
    );
    assert!(said.err.contains("\nnothing was recorded, so the folder none was removed again\n"));
    assert!(!place.path("none").exists());
}

/// Checks the first line of failures of the real tools, and the times of a benchmark.
fn real_messages() {
    let place = Place::new();
    let words = model(&place, "local-task");
    let capture = |tool: &str, changes: &[&str]| {
        let tool: Vec<String> = std::iter::once(tool.to_owned())
            .chain(words.iter().cloned())
            .chain(changes.iter().map(|word| (*word).to_owned()))
            .collect();
        with_tools(&place, &["capture", "--for=kernel-time", "-o", "set"], &tool)
    };
    for (change, cause) in [
        ("--module=nope.vmfb", "NOT_FOUND; failed to open file 'nope.vmfb'\n"),
        ("--function=nope", "NOT_FOUND; no function `nope` exported by module"),
        ("--device=nodev", "NOT_FOUND; no driver 'nodev' registered\n"),
        ("--bogus=1", "INVALID_ARGUMENT; flag 'bogus' not recognized"),
    ] {
        // The benchmark ignores flags that it does not know.
        let benchmark = (change != "--bogus=1").then_some("iree-benchmark-module");
        for tool in std::iter::once("iree-run-module").chain(benchmark) {
            let said = capture(tool, &[change]);
            assert_eq!(said.code, Some(4), "{said:?}");
            let first = format!("ireescope: error: {tool} failed: {cause}");
            assert!(said.err.starts_with(&first), "{said:?}");
            assert_eq!(
                said.err.lines().nth(1),
                Some("nothing was recorded (exit code 1), so the folder set was removed again"),
                "{said:?}"
            );
            assert!(!place.path("set").exists(), "{change}");
        }
    }
    let said = capture("iree-benchmark-module", &["--benchmark_min_time=5x"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.out.contains("warm-up"), "{said:?}");
    // The tool's own output is what it always is.
    let printed = std::fs::read_to_string(place.path("set/run-1.stdout.txt")).unwrap();
    assert!(printed.contains("BM_main/process_time/real_time"), "{printed}");
    assert_eq!(
        place.sql("SELECT iterations, wall_ns > 0 AND wall_ns < duration_ns AS w, cpu_ns > 0 AS c FROM runs"),
        "iterations,w,c\n5,true,true\n"
    );
    assert!(!place.path("set/run-1.benchmark.json").exists());
}

fn real_replay() {
    let place = Place::new();
    let tool: Vec<String> =
        std::iter::once("iree-run-module".into()).chain(model(&place, "local-task")).collect();
    let said = with_tools(
        &place,
        &["capture", "--for=kernel-time", "--replay", "--repeat=2", "-o", "set"],
        &tool,
    );
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(place.runs("outcome"), ["passed", "captured", "captured"]);
    let counts = place
        .sql("SELECT count(DISTINCT key) AS f, min(dispatch_count) > 0 AS n FROM function_runs");
    assert_eq!(counts, "f,n\n4,true\n");
}

/// Checks that a capture without filters is made if the driver refuses them, and that another failure is not taken for
/// a refusal.
fn real_filters() {
    let place = Place::new();
    let tool: Vec<String> =
        std::iter::once("iree-run-module".into()).chain(model(&place, "local-task")).collect();
    let words = ["capture", "--for=kernel-time", "--filter-function=*matmul*", "-o", "set"];
    let said = with_tools(&place, &words, &tool);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err.contains(
            "refused the filters; everything is recorded: UNIMPLEMENTED; local profiling capture filters"
        ),
        "{said:?}"
    );
    assert_eq!(place.said_by(&["gaps", "--check", "--for=kernel-time", "set"]).code, Some(0));
    assert_eq!(place.sql("SELECT count(DISTINCT key) AS n FROM dispatches"), "n\n4\n");
    // A failure for another reason is not a refusal.
    let mut wrong = tool.clone();
    wrong.push("--function=counter_profile_trace".into());
    let words = ["capture", "--for=kernel-time", "-o", "wrong"];
    let said = with_tools(&place, &words, &wrong);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.err.contains("no function `counter_profile_trace`"), "{said:?}");
}

/// The command of a race between a module and itself.
fn against_itself(place: &Place) -> Vec<String> {
    let words = model(place, "local-task").into_iter().chain(["--benchmark_min_time=20x".into()]);
    let side: Vec<String> = ["iree-benchmark-module".into()].into_iter().chain(words).collect();
    [&side[..], &["--vs".to_owned()], &side].concat()
}

fn race() {
    let place = Place::new();
    let tools = against_itself(&place);
    let said = with_tools(&place, &["race", "--repeat=4", "-o", "set"], &tools);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains("block 2: ") && said.err.contains("; 4 runs a side"), "{said:?}");
    assert!(
        said.out.contains("base: 4 runs, ") && said.out.contains("; new: 4 runs, "),
        "{said:?}"
    );
    let counts = "SELECT side, count(*) AS runs FROM runs GROUP BY side ORDER BY side NULLS LAST";
    assert_eq!(place.sql(counts), "side,runs\nbase,4\nnew,4\n,2\n");
    let compared = place.said_by(&["compare", "set", "--format=jsonl"]);
    assert_eq!(compared.code, Some(0), "{compared:?}");
    let rows: Vec<serde_json::Value> =
        compared.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 5, "the total and four functions: {rows:?}");
    let delta = |row: &serde_json::Value| row["delta_ns"].as_i64().unwrap();
    assert_eq!(delta(&rows[0]), rows[1..].iter().map(delta).sum::<i64>());
    assert!(rows.iter().all(|row| row["ratio"].as_f64().is_some_and(|ratio| ratio > 0.0)));
}

/// Validates manifests of real and fake runs against `schemas/json`.
fn schema() {
    let place = Place::new();
    let tool: Vec<String> =
        std::iter::once("iree-run-module".into()).chain(model(&place, "local-task")).collect();
    let words =
        ["capture", "--for=kernel-time,counters", "--print-device-statistics", "-o", "real"];
    assert_eq!(with_tools(&place, &words, &tool).code, Some(1));
    assert_eq!(
        with_tools(&place, &["fill", "real/run-2.ireeprof", "--for=memory", "-o", "filled"], &tool)
            .code,
        Some(0)
    );
    for (fake, arguments) in [
        ("gpu", "--for=all"),
        ("gpu", "--counter=HITS,NOPE"),
        ("crash", "--for=kernel-time"),
        ("unprofiled", "--for=memory"),
        ("unfiltered", "--filter-queue=0"),
        ("late", "--time-limit=200ms"),
        ("header", "--for=kernel-time"),
        ("tests", "--for=kernel-time"),
    ] {
        place.capture(fake, &[arguments], &["--device_capture_tool=x", "--device_capture_file=y"]);
    }
    let outcomes = place.runs("outcome");
    for outcome in ["passed", "captured", "failed", "refused", "time_limit", "empty"] {
        assert!(outcomes.iter().any(|known| known == outcome), "{outcome}: {outcomes:?}");
    }
    let tool = std::iter::once("iree-benchmark-module".into()).chain(model(&place, "local-task"));
    let tool: Vec<String> = tool.chain(["--benchmark_min_time=2x".into()]).collect();
    let words = ["capture", "--for=kernel-time", "-o", "timed"];
    assert_eq!(with_tools(&place, &words, &tool).code, Some(0));
    let words = ["race", "--repeat=2", "-o", "raced"];
    assert_eq!(with_tools(&place, &words, &against_itself(&place)).code, Some(0));
    let manifests = ["real", "filled", "timed", "raced", "set"]
        .map(|set| place.path(set).join("manifest.json"));
    let check = |manifests: &[PathBuf]| {
        Command::new(TOOLS.join("../../../../../bin/python"))
            .arg(root().join("tests/tools/check_schema.py"))
            .arg(root().join("schemas/json/capture-set.schema.json"))
            .args(manifests)
            .output()
            .unwrap()
    };
    let output = check(&manifests);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // An invalid manifest is rejected.
    let broken = place.path("broken.json");
    let text = std::fs::read_to_string(Path::new(&manifests[0])).unwrap();
    std::fs::write(&broken, text.replace("\"captured\"", "\"caught\"")).unwrap();
    assert!(!check(&[broken]).status.success());
}

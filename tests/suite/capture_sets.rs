//! Tests capture sets as inputs: every command accepts them, whatever the outcomes of their runs, and reports combine
//! neither incomplete runs nor runs of different sets.

use std::path::Path;
use std::process::Command;

use crate::Test;
use crate::capture::{Place, Said, said};

pub const TESTS: &[Test] = &[
    ("every_command_takes_a_set_with_runs_of_nothing", every_command),
    ("a_set_of_nothing_says_why", nothing),
    ("fill_shows_the_bundle_that_gaps_names", after_a_crash),
    ("counters_stand_beside_times_of_their_own_set", two_sets),
    ("what_a_filter_leaves_is_a_part", filtered),
    ("executable_traces_need_a_narrow_filter", traces),
    ("without_filters_no_executable_traces_are_recorded", untraced),
    ("a_tool_that_fails_after_it_wrote_leaves_no_whole_capture", bad_end),
    ("a_cut_run_is_a_part", cut),
    ("a_set_may_be_moved", moved),
    ("a_lost_bundle_is_missed_and_no_more", lost),
    ("counters_are_answered_by_all_that_count", counters),
    ("a_damaged_manifest_is_said_to_be_one", damaged),
    ("sets_are_named_and_matched", named),
    ("runs_tell_all_that_the_manifest_does", facts),
    ("a_set_runs_nothing_but_a_tool_and_its_model", trusted),
    ("links_in_a_set_lead_no_output_out_of_it", links),
];

const COMMANDS: &[&str] = &[
    "summary",
    "explain",
    "dispatch",
    "executable",
    "command",
    "queue",
    "memory",
    "counter",
    "statistics",
    "cat",
    "top",
    "gaps",
];

fn ask(place: &Place, query: &str, bundles: &[&str]) -> Vec<String> {
    let words: Vec<&str> =
        ["sql", "--format=csv", "-c", query].iter().chain(bundles).copied().collect();
    let said = place.said_by(&words);
    assert_eq!(said.code, Some(0), "{query}: {said:?}");
    said.out.lines().skip(1).map(str::to_owned).collect()
}

/// Renames `set`, so that another one can be captured.
fn keep(place: &Place, name: &str) {
    std::fs::rename(place.path("set"), place.path(name)).unwrap();
}

fn every_command() {
    let place = Place::new();
    let external = ["--device_capture_tool=renderdoc", "--device_capture_file=frames.rdc"];
    let words = ["--for=kernel-time,counters", "--print-device-statistics"];
    assert_eq!(place.capture("gpu", &words, &external).code, Some(0));
    let rows =
        ask(&place, "SELECT run, bundle, outcome, external FROM runs ORDER BY run", &["set"]);
    assert_eq!(rows.len(), 5, "{rows:?}");
    assert_eq!(rows[0], "run-1,,passed,");
    assert_eq!(rows[1], "run-2,,passed,renderdoc: frames.rdc");
    assert_eq!(rows[2], "run-3,run-3,captured,");
    for command in COMMANDS {
        let said = place.said_by(&[command, "set"]);
        assert_eq!(said.code, Some(0), "{command}: {said:?}");
    }
    assert_eq!(place.said_by(&["doctor", "set"]).code, Some(0));
    for format in ["parquet", "ireeperf-jsonl"] {
        let output = format!("out.{format}");
        let said =
            place.said_by(&["export", "--format", format, "-o", &output, "set/run-3.ireeprof"]);
        assert_eq!(said.code, Some(0), "{format}: {said:?}");
    }
    let said = place.said_by(&["export", "--format=parquet", "-o", "all", "set"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(ask(&place, "SELECT count(*) FROM runs", &["all"]), ["5"]);
    assert_eq!(place.said_by(&["render", "set", "-o", "t.pftrace"]).code, Some(0));
}

fn nothing() {
    let place = Place::new();
    assert_eq!(place.capture("", &["--for=kernel-time"], &[]).code, Some(0));
    keep(&place, "good");
    place.make_set();
    assert_eq!(place.capture("unprofiled", &["--for=kernel-time"], &[]).code, Some(1));
    let rows = ask(&place, "SELECT outcome, bundle FROM runs", &["set"]);
    assert!(!rows.is_empty() && rows.iter().all(|row| row == "refused,"), "{rows:?}");
    assert_eq!(ask(&place, "SELECT count(*) FROM bundles", &["set"]), ["0"]);
    let said = place.said_by(&["gaps", "--check", "--for=kernel-time", "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let reason =
        "not supported by this driver: UNIMPLEMENTED; HIP HAL-native profiling is not implemented";
    assert!(
        said.out.contains(reason) && said.out.contains("not possible with this driver"),
        "{said:?}"
    );
    let said = place.said_by(&["doctor", "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains("error    no run of the capture set recorded anything; "),
        "{said:?}"
    );
    let said = place.said_by(&["top", "set"]);
    assert_eq!(said.code, Some(3), "{said:?}");
    assert!(said.err.contains("HIP HAL-native profiling is not implemented"), "{said:?}");
    // An empty set does not affect other inputs.
    let said = place.said_by(&["top", "good", "set"]);
    assert!(said.code == Some(0) && said.out.contains("in 2 dispatches"), "{said:?}");
    let said = place.said_by(&["dispatch", "good", "set"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(
        ask(&place, "SELECT count(DISTINCT capture_set) FROM runs", &["good", "set"]),
        ["2"]
    );
}

fn fill(place: &Place, fake: &str, words: &[&str]) -> Said {
    let words: Vec<&str> = ["fill", "set"].iter().chain(words).copied().collect();
    place.said_by_fake(fake, &words)
}

fn after_a_crash() {
    let place = Place::new();
    assert_eq!(place.capture("crash", &["--for=kernel-time"], &[]).code, Some(4));
    let said = fill(&place, "", &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("1.100 µs in 2 dispatches of 2 functions"), "{said:?}");
    assert!(said.err.contains("kernel-time: answered by dispatch-events of run-2"), "{said:?}");
    let named = ask(&place, "SELECT bundle FROM gaps WHERE question = 'kernel-time'", &["set"]);
    assert_eq!(named, ["run-2"]);
    let said = fill(&place, "", &[]);
    assert!(said.err.contains("there is nothing to capture"), "{said:?}");
    assert!(said.out.contains("1.100 µs in 2 dispatches"), "{said:?}");
}

fn two_sets() {
    let place = Place::new();
    for name in ["one", "two"] {
        let said = place.capture("gpu", &["--for=kernel-time,counters", "--counter=WAVES"], &[]);
        assert_eq!(said.code, Some(0), "{said:?}");
        keep(&place, name);
    }
    let query =
        "SELECT key, bundle, timed_bundle, capture_set FROM function_counters ORDER BY 1, 2";
    let rows = ask(&place, query, &["a=one", "b=two"]);
    assert_eq!(
        rows,
        [
            "matmul,a/run-2,a/run-1,one",
            "matmul,b/run-2,b/run-1,two",
            "softmax,a/run-2,a/run-1,one",
            "softmax,b/run-2,b/run-1,two",
        ]
    );
    // Bundles opened without their sets are not combined: nothing says that they belong together.
    let rows = ask(&place, query, &["c=one/run-2.ireeprof", "t=two/run-1.ireeprof"]);
    assert_eq!(rows, ["matmul,c,,", "softmax,c,,"]);
}

fn filtered() {
    let place = Place::new();
    let words = [
        "--for=kernel-time",
        "--filter-function=mat*",
        "--filter-command-buffer=7",
        "--filter-command-index=3",
        "--filter-physical-device=2",
        "--filter-queue=1",
    ];
    let said = place.capture("sieve", &words, &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("kernel-time        partly answered by dispatch-events"), "{said:?}");
    let ran = place.manifest()["runs"][0]["process"]["ran"].to_string();
    for flag in
        ["function=mat*", "command_buffer=7", "command_index=3", "physical_device=2", "queue=1"]
    {
        assert!(ran.contains(&format!("\"--device_profiling_filter_{flag}\"")), "{flag}: {ran}");
    }
    let said = place.said_by(&["gaps", "--check", "--for=kernel-time,kernel-code", "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.starts_with("set: answers 1 of 2 questions, 1 partly\n"), "{said:?}");
    assert!(said.out.contains("dispatch-events: restricted by "), "{said:?}");
    let said = place.said_by(&["doctor", "set"]);
    assert!(said.code == Some(0) && said.out.contains("run-1: 1 warning"), "{said:?}");
    // `fill` captures what the filter excluded.
    let said = fill(&place, "sieve", &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("in 2 dispatches of 2 functions"), "{said:?}");
    assert_eq!(place.said_by(&["gaps", "--check", "--for=kernel-time", "set"]).code, Some(0));
}

fn traces() {
    let place = Place::new();
    let instructions = "--for=instructions";
    for flags in [&[][..], &["--function=*"], &["--filter-queue=1"]] {
        let said = place.capture("", &[&[instructions], flags].concat(), &[]);
        assert_eq!(said.code, Some(2), "{flags:?}: {said:?}");
        assert!(
            said.err.contains("executable-traces of all dispatches are very large"),
            "{said:?}"
        );
        assert!(!place.path("set").exists(), "{flags:?}");
    }
    let said = place.capture("", &[instructions, "--function=*mat*"], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let modes = r#"["dispatch-events","executable-metadata","executable-traces"]"#;
    assert_eq!(place.runs("got"), [modes]);
    let ran = place.manifest()["runs"][0]["process"]["ran"].to_string();
    assert!(ran.contains(r#""--device_profiling_filter_function=*mat*""#), "{ran}");
    assert!(
        ran.contains(
            "--device_profiling_mode=dispatch-events,executable-metadata,executable-traces"
        ),
        "{ran}"
    );
    // What the filter excluded is still a gap, which `fill` closes by the same rule.
    let said = place.said_by(&["gaps", instructions, "set"]);
    assert!(said.out.contains(" fill set --for instructions --function=PATTERN\n"), "{said:?}");
    assert!(said.out.contains("--device_profiling_filter_function=PATTERN"), "{said:?}");
    let said = place.said_by(&["gaps", instructions, "--function=soft max*", "set"]);
    for words in
        [" fill set --for instructions --function='soft max*'\n", "_filter_function='soft max*' "]
    {
        assert!(said.out.contains(words), "{words}: {said:?}");
    }
    assert!(!said.out.contains("PATTERN"), "{said:?}");
    let said = fill(&place, "", &[instructions]);
    assert_eq!(said.code, Some(2), "{said:?}");
    let said = fill(&place, "", &[instructions, "--function=soft*"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let said = fill(&place, "", &[instructions, "--all"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(place.runs("got"), [modes; 3]);
    let manifest = place.manifest();
    let filters =
        |nth: usize| manifest["runs"][nth]["process"]["ran"].to_string().contains("_filter_");
    assert!(filters(1) && !filters(2), "{manifest}");
    assert_eq!(place.said_by(&["gaps", "--check", instructions, "set"]).code, Some(0));
    // Nothing is left to capture, so no filter is asked for.
    let said = fill(&place, "", &[instructions]);
    assert_eq!(said.code, Some(0), "{said:?}");
    // A driver that records no traces is not asked for a filter.
    let tool =
        ["--dry-run", "--for=all", "--counter=A", "--", "iree-run-module", "--device=local-task"];
    let said = place.said_by(&[&["capture", "-o", "other"], &tool[..]].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
}

fn untraced() {
    let place = Place::new();
    let words = ["--for=instructions,kernel-time", "--function=*mat*"];
    let said = place.capture("unfiltered", &words, &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains(
            "instructions       not answered: executable-traces: the device cannot filter"
        ),
        "{said:?}"
    );
    let got = place.runs("got").concat();
    assert!(!got.contains("executable-traces") && got.contains("host-execution"), "{got}");
    // They are not known to be refused, so they can be recorded after all.
    let said = fill(&place, "unfiltered", &["--for=instructions", "--all"]);
    assert!(place.runs("got").concat().contains("executable-traces"), "{said:?}");
}

fn bad_end() {
    let place = Place::new();
    let said = place.capture("bad end", &["--for=kernel-time"], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    let said = place.said_by(&["doctor", "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains(
            "error    the tool failed (exit code 3); its records until then are available"
        ),
        "{said:?}"
    );
    let said = place.said_by(&["gaps", "--check", "--for=kernel-time", "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("dispatch-events: the tool failed (exit code 3)"), "{said:?}");
    // The evidence query of every finding returns rows.
    for query in ask(&place, "SELECT evidence FROM doctor WHERE severity <> 'info'", &["set"]) {
        let query = query.trim_matches('"').replace("\"\"", "\"");
        assert!(!ask(&place, &query, &["set"]).is_empty(), "{query}");
    }
}

fn cut() {
    let place = Place::new();
    let words = ["--for=kernel-time", "--time-limit=500ms"];
    assert_eq!(place.capture("hang", &words, &[]).code, Some(0));
    let said = place.said_by(&["gaps", "--check", "--for=kernel-time", "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains("dispatch-events: the time limit of 500 ms stopped the run"),
        "{said:?}"
    );
    // The user set the limit, so what it causes is no error.
    let said = place.said_by(&["doctor", "set"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.starts_with("run-1: cut as asked, no problems\n"), "{said:?}");
    let found = "SELECT finding, severity FROM doctor WHERE finding IN ('cut_run', 'unfinished') ORDER BY 1";
    assert_eq!(ask(&place, found, &["set"]), ["cut_run,info", "unfinished,info"]);
    assert_eq!(
        ask(&place, "SELECT count(*) FROM doctor WHERE severity <> 'info'", &["set"]),
        ["0"]
    );
    let evidence = ask(&place, "SELECT evidence FROM doctor WHERE finding = 'cut_run'", &["set"]);
    assert_eq!(ask(&place, evidence[0].trim_matches('"'), &["set"]).len(), 1);
}

fn moved() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--mode=queue-events"], &[]).code, Some(0));
    std::fs::copy(place.path("set/run-1.ireeprof"), place.path("q.ireeprof")).unwrap();
    let tool = place.path("bin it's/iree-run-module");
    let words = ["fill", "q.ireeprof", "--", tool.to_str().unwrap(), "--module=m.vmfb"];
    let said = place.said_by_fake("gpu", &words);
    assert_eq!(said.code, Some(0), "{said:?}");
    // The bundle is part of the set, and `fill` does not add it twice.
    let said = place.said_by_fake("gpu", &words);
    assert!(said.err.contains("there is nothing to capture"), "{said:?}");
    std::fs::create_dir(place.path("far away")).unwrap();
    std::fs::rename(place.path("q.capture"), place.path("far away/set of ours")).unwrap();
    std::fs::remove_file(place.path("q.ireeprof")).unwrap();
    let rows =
        ask(&place, "SELECT run, outcome, bundle FROM runs ORDER BY 1", &["far away/set of ours"]);
    assert_eq!(rows, ["q,given,q", "run-1,captured,run-1"]);
    let said = place.said_by(&["top", "far away/set of ours"]);
    assert!(said.code == Some(0) && said.out.contains("in 2 dispatches"), "{said:?}");
    // The command that `gaps` prints is quoted for a shell.
    let said = place.said_by(&["gaps", "--for=memory", "far away/set of ours"]);
    let line = said.out.lines().find_map(|line| line.trim().strip_prefix("fill:")).unwrap();
    let line = line.trim().replace("ireescope", &format!("'{}'", env!("CARGO_BIN_EXE_ireescope")));
    let output = Command::new("bash")
        .args(["-c", &line])
        .current_dir(place.path(""))
        .env("IREESCOPE_FAKE", "gpu")
        .env(
            "PATH",
            format!("{}:{}", place.path("bin it's").display(), std::env::var("PATH").unwrap()),
        )
        .output();
    assert_eq!(self::said(&output.unwrap()).code, Some(0), "{line}");
}

fn lost() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--for=kernel-time"], &[]).code, Some(0));
    assert_eq!(place.capture("gpu", &["--mode=queue-events"], &[]).code, Some(0));
    std::fs::remove_file(place.path("set/run-1.ireeprof")).unwrap();
    let said = place.said_by(&["queue", "set"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err.contains("run-1.ireeprof: the file is missing, but its capture set lists it"),
        "{said:?}"
    );
    assert_eq!(place.said_by(&["queue", "--strict", "set"]).code, Some(3));
    let said = place.said_by(&["doctor", "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains("the capture set lists set/run-1.ireeprof, but the file is missing"),
        "{said:?}"
    );
    let said = place.said_by(&["gaps", "--for=kernel-time", "set"]);
    assert!(said.out.contains("recorded in run-1, whose bundle is missing"), "{said:?}");
    assert_eq!(fill(&place, "gpu", &[]).code, Some(0));
    assert_eq!(place.said_by(&["gaps", "--check", "--for=kernel-time", "set"]).code, Some(0));
}

fn counters() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--for=counters"], &[]).code, Some(0));
    let query = "SELECT answer FROM gaps WHERE question = 'counters'";
    let all = "ireescope counter set/run-1.ireeprof set/run-2.ireeprof";
    assert_eq!(ask(&place, query, &["set"]), [all]);
    assert_eq!(place.said_by(&["gaps", "--check", "--for=counters", "set"]).code, Some(0));
    let said = fill(&place, "gpu", &["--for=counters"]);
    assert!(said.out.contains("HITS") && said.out.contains("WAVES"), "{said:?}");
    // An unavailable counter is a gap that cannot be filled.
    let said = fill(&place, "gpu", &["--for=counters", "--mode=counters", "--counter=NOPE"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.err.contains("error: UNIMPLEMENTED; unsupported fake counter 'NOPE'"), "{said:?}");
    keep(&place, "first");
    let said = place.capture("gpu", &["--for=counters", "--counter=HITS,NOPE"], &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let said = place.said_by(&["gaps", "--check", "--for=counters", "set"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.out.contains(
            "counters: NOPE is not available: UNIMPLEMENTED; unsupported fake counter 'NOPE'"
        ),
        "{said:?}"
    );
    assert!(said.out.contains("fill:    not possible with this tool and driver"), "{said:?}");
}

fn damaged() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--for=kernel-time"], &[]).code, Some(0));
    let path = place.path("set/manifest.json");
    let text = std::fs::read(&path).unwrap();
    for length in [0, text.len() / 2] {
        std::fs::write(&path, &text[..length]).unwrap();
        for command in ["top", "gaps", "doctor", "fill"] {
            let said = place.said_by(&[command, "set"]);
            assert_eq!(said.code, Some(3), "{command}: {said:?}");
            assert!(
                said.err.contains("it is not the manifest of a capture set"),
                "{command}: {said:?}"
            );
        }
    }
}

fn named() {
    let place = Place::new();
    for name in ["m.capture", "m.capture-2"] {
        assert_eq!(place.capture("gpu", &["--for=kernel-time"], &[]).code, Some(0));
        keep(&place, name);
    }
    let rows = ask(&place, "SELECT bundle FROM bundles ORDER BY 1", &["m.cap*"]);
    assert_eq!(rows.len(), 2, "{rows:?}");
    let said = place.said_by(&["gaps", "--for=all", "before=m.capture"]);
    assert!(said.out.starts_with("before: answers "), "{said:?}");
    assert!(said.out.contains("of 12 questions"), "{said:?}");
}

fn facts() {
    let place = Place::new();
    assert_eq!(
        place.capture("gpu", &["--for=kernel-time"], &["--device=a", "--device=b"]).code,
        Some(0)
    );
    let query = "SELECT device, directory = '' AS d, memory_bytes > 0 AS m, kernel IS NOT NULL AS k, tool_revision FROM runs";
    assert_eq!(ask(&place, query, &["set"]), ["\"a,b\",false,true,true,"]);
    let process = &place.manifest()["runs"][0]["process"];
    assert_eq!(process["tool"]["version"], "fake tool 9.9");
    assert_eq!(process["inputs"][0]["path"], "m.vmfb");
    let digest = Command::new("sha256sum").arg(place.path("m.vmfb")).output().unwrap();
    let digest = String::from_utf8(digest.stdout).unwrap();
    assert_eq!(process["inputs"][0]["sha256"].as_str(), digest.split(' ').next());
    assert_eq!(process["host"]["os"], "linux");
    assert!(process["host"]["cores"].as_u64() > Some(0));
    assert_eq!(
        Path::new(process["directory"].as_str().unwrap()),
        place.path("").canonicalize().unwrap()
    );
}

/// A change of the command in a manifest.
type Change<'a> = dyn Fn(&mut serde_json::Value) + 'a;

fn rewrite(place: &Place, change: impl Fn(&mut serde_json::Value)) {
    let mut manifest = place.manifest();
    for run in manifest["runs"].as_array_mut().unwrap() {
        change(&mut run["process"]);
    }
    std::fs::write(place.path("set/manifest.json"), manifest.to_string()).unwrap();
}

fn trusted() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let script = place.path("evil.sh");
    let touched = place.path("touched");
    std::fs::write(&script, format!("#!/bin/sh\ntouch '{}'\n", touched.display())).unwrap();
    std::fs::set_permissions(&script, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(place.capture("gpu", &["--mode=queue-events"], &[]).code, Some(0));
    let original = std::fs::read(place.path("set/manifest.json")).unwrap();
    std::fs::copy(place.path("m.vmfb"), place.path("set/m.vmfb")).unwrap();
    let argument = |word: &'static str| {
        move |process: &mut serde_json::Value| {
            process["arguments"].as_array_mut().unwrap().push(word.into());
        }
    };
    let changes: [(&str, Box<Change>); 7] = [
        (
            "evil.sh is not the name of a tool",
            Box::new(|process| {
                process["tool"]["path"] = script.to_str().into();
                process["tool"]["name"] = "evil.sh".into();
            }),
        ),
        (
            "but iree-run-module on this machine is",
            Box::new(|process| process["tool"]["path"] = script.to_str().into()),
        ),
        ("--executable_plugin=x.so", Box::new(argument("--executable_plugin=x.so"))),
        ("--output=@out.npy", Box::new(argument("--output=@out.npy"))),
        ("--flagfile=flags.txt", Box::new(argument("--flagfile=flags.txt"))),
        ("came with the set, and is code", Box::new(argument("--module=set/m.vmfb"))),
        (
            "the environment variable VK_LAYER_PATH=layers",
            Box::new(|process| process["environment"]["VK_LAYER_PATH"] = "layers".into()),
        ),
    ];
    for (reason, change) in &changes {
        std::fs::write(place.path("set/manifest.json"), &original).unwrap();
        rewrite(&place, change);
        for words in [&["--for=memory"][..], &["--for=memory", "--dry-run"]] {
            let said = fill(&place, "gpu", words);
            assert_eq!(said.code, Some(2), "{said:?}");
            assert!(said.err.contains(reason) && said.err.contains("--trust"), "{said:?}");
            assert!(said.err.contains("--module=m.vmfb"), "the command is shown: {said:?}");
        }
        assert!(!touched.exists(), "{reason}");
    }
    // With --trust, the program of the set runs; without an objection, it needs none.
    std::fs::write(place.path("set/manifest.json"), &original).unwrap();
    rewrite(&place, &changes[1].1);
    fill(&place, "gpu", &["--for=memory", "--trust"]);
    assert!(touched.exists());
    std::fs::write(place.path("set/manifest.json"), &original).unwrap();
    rewrite(&place, |process| process["environment"]["HIP_VISIBLE_DEVICES"] = "1".into());
    assert_eq!(fill(&place, "gpu", &["--for=memory"]).code, Some(0));
}

fn links() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--mode=queue-events"], &[]).code, Some(0));
    let outside = ["run-2.ireeprof", "run-3.stdout.txt", "probe.ireeprof", "probe.stdout.txt"];
    for name in outside {
        std::os::unix::fs::symlink(
            place.path(&format!("outside {name}")),
            place.path("set").join(name),
        )
        .unwrap();
    }
    assert_eq!(fill(&place, "gpu", &["--for=memory"]).code, Some(0));
    assert_eq!(place.runs("name"), ["run-1", "run-4"]);
    for name in outside {
        assert!(!place.path(&format!("outside {name}")).exists(), "{name}");
    }
}

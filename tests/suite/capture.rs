//! Tests `capture` and `fill` with fake tools (`tests/support/fake_tool.rs`).

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

use crate::Test;

pub const TESTS: &[Test] = &[
    ("counters_that_do_not_fit_are_spread_over_runs", counters_are_spread),
    ("a_named_counter_that_is_unknown_is_left_out", unknown_counter),
    ("a_crash_keeps_what_was_written", crash),
    ("a_time_limit_stops_the_tool_and_its_children", time_limit),
    ("ctrl_c_keeps_what_was_written", interrupt),
    ("a_failure_half_way_is_no_refusal", half),
    ("a_tool_that_writes_nothing_is_an_error", silent),
    ("a_header_is_no_capture", header),
    ("old_tools_are_spoken_to_as_they_like", old_spelling),
    ("an_unclear_refusal_is_cleared_up", picky),
    ("modes_that_quarrel_are_captured_apart", quarrel),
    ("a_driver_that_cannot_profile_says_so", unprofiled),
    ("words_reach_the_tool_as_they_are", words),
    ("secrets_are_not_recorded", secrets),
    ("statistics_and_external_captures_pass_through", passing),
    ("runs_are_repeated", repeated),
    ("a_replay_is_profiled", replay),
    ("fill_uses_the_command_of_the_set", filling),
    ("tools_that_are_none_are_errors", no_tool),
    ("folders_of_other_things_are_left_alone", other_folder),
];

/// A temporary working folder with fake tools.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(place.path("bin it's")).unwrap();
        let own = std::env::current_exe().unwrap();
        for name in [
            "iree-run-module",
            "iree-benchmark-module",
            "iree-benchmark-replay",
            "iree-check-module",
        ] {
            std::os::unix::fs::symlink(&own, place.path("bin it's").join(name)).unwrap();
        }
        std::fs::write(place.path("m.vmfb"), "module").unwrap();
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns an `ireescope` command in the folder, whose fake tools have the behaviour `fake`.
    pub fn command(&self, fake: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command.current_dir(self.folder.path()).env("IREESCOPE_FAKE", fake).args(arguments);
        // `fill` runs the program of a set only if it is the one that its name has here.
        let path = std::env::var("PATH").unwrap_or_default();
        command.env("PATH", format!("{}:{path}", self.path("bin it's").display()));
        command
    }

    /// Makes the set `set` without runs, so that a capture that records nothing leaves its run there.
    pub fn make_set(&self) {
        let empty = r#"{"format": "ireescope-capture-set", "schema_version": 1, "ireescope_version": "0", "runs": []}"#;
        std::fs::create_dir(self.path("set")).unwrap();
        std::fs::write(self.path("set/manifest.json"), empty).unwrap();
    }

    /// Runs `capture` with the output folder `set`.
    pub fn capture(&self, fake: &str, arguments: &[&str], tool: &[&str]) -> Said {
        self.capture_with("iree-run-module", fake, arguments, tool)
    }

    /// Runs `capture` of another tool.
    pub fn capture_with(&self, name: &str, fake: &str, arguments: &[&str], tool: &[&str]) -> Said {
        let bin = self.path("bin it's");
        let before = ["capture", "-o", "set", "--iree-bin-dir", bin.to_str().unwrap()];
        let words: Vec<&str> =
            before.into_iter().chain(arguments.iter().copied()).chain(["--", name]).collect();
        let mut command = self.command(fake, &words);
        said(&command.args(["--module=m.vmfb"]).args(tool).output().unwrap())
    }

    pub fn manifest(&self) -> Value {
        let text = std::fs::read_to_string(self.path("set/manifest.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    /// Returns a member of each run in the manifest.
    pub fn runs(&self, key: &str) -> Vec<String> {
        let manifest = self.manifest();
        let runs = manifest["runs"].as_array().unwrap().iter();
        runs.map(|run| run[key].as_str().map_or_else(|| run[key].to_string(), str::to_owned))
            .collect()
    }

    pub fn sql(&self, query: &str) -> String {
        let output =
            self.command("", &["sql", "--format=csv", "-c", query, "set"]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }
}

/// The exit code and output of a command.
#[derive(Debug)]
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

pub fn said(output: &Output) -> Said {
    Said {
        code: output.status.code(),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        err: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

fn counters_are_spread() {
    let place = Place::new();
    let said = place.capture("gpu", &["--for", "kernel-time,counters"], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(place.runs("outcome"), ["captured"; 3]);
    assert_eq!(place.runs("counters"), ["[]", r#"["WAVES","BUSY"]"#, r#"["HITS"]"#]);
    // Counters perturb times, so they are captured in separate runs and joined to the times of the first run.
    // Executable ids differ between the runs, so functions are matched by hash or name.
    let table = place.sql(
        "SELECT key, counter, bundle, total, timed_bundle, timing_source, total_ns FROM function_counters ORDER BY 1, 2",
    );
    assert_eq!(
        table.lines().collect::<Vec<_>>(),
        [
            "key,counter,bundle,total,timed_bundle,timing_source,total_ns",
            "matmul,BUSY,run-2,14.0,run-1,device,500",
            "matmul,HITS,run-3,14.0,run-1,device,500",
            "matmul,WAVES,run-2,15.0,run-1,device,500",
            "softmax,BUSY,run-2,14.0,run-1,device,600",
            "softmax,HITS,run-3,14.0,run-1,device,600",
            "softmax,WAVES,run-2,15.0,run-1,device,600",
        ]
    );
    let runs = place.sql(
        "SELECT function, bundle, dispatch_count, counter_count FROM function_runs ORDER BY 1, 2",
    );
    assert_eq!(runs.lines().count(), 7, "{runs}");
    assert!(runs.contains("softmax,run-1,1,0\n") && runs.contains("softmax,run-2,0,2\n"), "{runs}");
}

fn unknown_counter() {
    let place = Place::new();
    let said = place.capture("gpu", &["--for=counters", "--counter=HITS,NOPE"], &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(place.runs("counters"), [r#"["HITS"]"#]);
    assert!(
        said.out.contains("counter NOPE") && said.out.contains("supported counters: WAVES"),
        "{}",
        said.out
    );
    let refused = &place.manifest()["runs"][0]["refused"][0];
    assert_eq!((&refused["mode"], &refused["counter"]), (&"counters".into(), &"NOPE".into()));
}

fn crash() {
    let place = Place::new();
    let said = place.capture("crash", &["--for=kernel-time"], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert_eq!(
        said.err,
        "ireescope: error: iree-run-module was terminated by signal 6: last words\n\
         run-1 keeps its records of dispatch-events, executable-metadata; its output is in set/run-1.stderr.txt\n\
         other last lines of its output:\n  first words\n"
    );
    assert_eq!(place.runs("outcome"), ["failed"]);
    assert_eq!(place.runs("got"), [r#"["dispatch-events","executable-metadata"]"#]);
    assert_eq!(place.sql("SELECT count(*) AS n FROM dispatch_events"), "n\n2\n");
    assert_eq!(
        place.sql("SELECT outcome, exit_code, signal FROM runs"),
        "outcome,exit_code,signal\nfailed,,6\n"
    );
}

fn time_limit() {
    let place = Place::new();
    let started = Instant::now();
    let said = place.capture("hang", &["--for=kernel-time", "--time-limit=700ms"], &[]);
    assert!(started.elapsed() < Duration::from_mins(1), "it was stopped");
    // Reaching the requested limit is not a failure, but the truncation is reported.
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("kernel-time        partly answered by dispatch-events of run-1, on the device's clock; the time limit of 700 ms stopped the run"), "{}", said.out);
    assert!(said.err.contains("stopped by the time limit; kept dispatch-events"), "{}", said.err);
    assert_eq!(place.runs("outcome"), ["time_limit"]);
    assert_gone(&place);
}

/// Waits until the child of the tool has ended.
pub fn assert_gone(place: &Place) {
    let pid = std::fs::read_to_string(place.path("set/run-1.pid")).unwrap();
    let started = Instant::now();
    while is_alive(&pid) {
        assert!(started.elapsed() < Duration::from_secs(20), "process {pid} is left");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// True if the process exists and is not a zombie.
pub fn is_alive(pid: &str) -> bool {
    let state = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    state
        .rsplit(')')
        .next()
        .is_some_and(|rest| !rest.trim().is_empty() && !rest.trim().starts_with('Z'))
}

fn interrupt() {
    let place = Place::new();
    let bin = place.path("bin it's");
    let words = [
        "capture",
        "-o",
        "set",
        "--for=kernel-time,counters",
        "--iree-bin-dir",
        bin.to_str().unwrap(),
        "--",
        "iree-run-module",
    ];
    let child = place
        .command("hang", &words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let started = Instant::now();
    while !place.path("set/run-1.pid").exists() {
        assert!(started.elapsed() < Duration::from_mins(1), "the tool starts");
        std::thread::sleep(Duration::from_millis(20));
    }
    let id = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(id, nix::sys::signal::Signal::SIGINT).unwrap();
    let said = said(&child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.err.contains("interrupted; kept dispatch-events"), "{}", said.err);
    assert_eq!(place.runs("outcome"), ["interrupted"], "no other run begins");
    assert_eq!(place.sql("SELECT count(*) AS n FROM dispatch_events"), "n\n2\n");
    assert_gone(&place);
}

fn half() {
    let place = Place::new();
    let said = place.capture("half", &["--for=kernel-time"], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert_eq!(
        said.err,
        "ireescope: error: iree-run-module failed: NOT_FOUND; function 'main' is not in the module\n\
         run-1 keeps its records of dispatch-events, executable-metadata (exit code 1); its output is in set/run-1.stderr.txt\n"
    );
    assert_eq!(place.runs("bundle"), ["run-1.ireeprof"]);
    assert_eq!(place.sql("SELECT finished FROM bundles"), "finished\nfalse\n");
    // If the bundle ends inside a record, the records before it are kept.
    let place = Place::new();
    let said = place.capture("torn", &["--mode=queue-events,dispatch-events"], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(
        said.err.contains("run-1 keeps its records of queue-events, dispatch-events (exit code 1)"),
        "{}",
        said.err
    );
    assert!(place.sql("SELECT kind FROM problems").contains("cut_record"));
    assert_eq!(place.sql("SELECT count(*) AS n FROM queue_events"), "n\n1\n");
}

fn silent() {
    let place = Place::new();
    let said = place.capture("silent", &["--for=kernel-time"], &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert_eq!(
        said.err,
        "ireescope: error: iree-run-module succeeded, but wrote no bundle\n\
         nothing was recorded, so the folder set was removed again\n"
    );
}

fn header() {
    for fake in ["header", "nothing"] {
        let place = Place::new();
        place.make_set();
        let said = place.capture(fake, &["--for=kernel-time"], &[]);
        assert_eq!(said.code, Some(1), "{said:?}");
        assert_eq!(
            said.err,
            "ireescope: error: it was accepted, but nothing was recorded (host-execution, dispatch-events, executable-metadata)\n\
             nothing was recorded; the output of the tool is in set\n"
        );
        // The fallback for the question was tried, too.
        assert_eq!(place.runs("outcome"), ["empty", "empty"]);
        assert_eq!(place.runs("bundle"), ["null", "null"]);
        assert!(!place.path("set/run-1.ireeprof").exists());
    }
}

fn old_spelling() {
    let place = Place::new();
    let filters =
        ["--mode=dispatch-events,device-metrics", "--filter-function=mat*", "--filter-queue=1"];
    let said = place.capture("old", &filters, &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let ran = place.manifest()["runs"][0]["process"]["ran"].to_string();
    assert!(ran.contains("--device_profiling_filter_export=mat*"), "{ran}");
    assert!(ran.contains("--device_profiling_filter_queue=1"), "{ran}");
    assert!(said.out.contains("device-metrics         not available: iree-run-module fake tool 9.9 does not list this mode"), "{}", said.out);
}

fn picky() {
    let place = Place::new();
    let said = place.capture("picky", &["--for=memory,queue-time,kernel-time"], &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("memory             not answered: memory-events: FAILED_PRECONDITION; profiling needs a feature that is off"), "{}", said.out);
    assert!(said.out.contains("kernel-time        answered by dispatch-events"), "{}", said.out);
    assert!(
        said.out.contains("queue-time         answered by device-queue-events"),
        "{}",
        said.out
    );
}

fn quarrel() {
    let place = Place::new();
    let said = place.capture("quarrel", &["--for=kernel-time,memory,timeline"], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.out.contains("kernel-time        answered by dispatch-events"), "{}", said.out);
    assert!(said.out.contains("memory             answered by memory-events"), "{}", said.out);
    // The device modes, which must be in one bundle, cannot be combined, so the fallback with host times is used.
    assert!(
        said.out.contains("timeline           answered by queue-events and host-execution"),
        "{}",
        said.out
    );
}

fn unprofiled() {
    let place = Place::new();
    place.make_set();
    let said = place.capture("unprofiled", &[], &["--device=hip"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let first = "ireescope: error: UNIMPLEMENTED; HIP HAL-native profiling is not implemented (queue-events, ";
    assert!(said.err.starts_with(first) && said.err.lines().count() == 2, "{said:?}");
    assert_eq!(said.out, "");
    assert!(place.runs("bundle").iter().all(|bundle| bundle == "null"));
    let said = Place::said_by(&place, &["top", "set"]);
    assert_eq!(said.code, Some(3));
    assert!(said.err.contains("no run of the capture set recorded anything"), "{}", said.err);
}

impl Place {
    /// Runs `ireescope` with fake tools of this behaviour.
    pub fn said_by_fake(&self, fake: &str, words: &[&str]) -> Said {
        said(&self.command(fake, words).output().unwrap())
    }

    pub fn said_by(&self, words: &[&str]) -> Said {
        said(&self.command("", words).output().unwrap())
    }
}

fn words() {
    let place = Place::new();
    let odd = [
        "--input=a b",
        "it's",
        "\"quoted\"",
        "$(touch harm)",
        "`touch harm`",
        "; touch harm",
        "*",
        "line\nbreak",
        "",
    ];
    let said = place.capture("", &["--for=kernel-time", "--filter-function=a 'b' *"], &odd);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!place.path("harm").exists());
    let printed = std::fs::read_to_string(place.path("set/run-1.stdout.txt")).unwrap();
    let heard: Vec<&str> = printed.lines().collect();
    for word in odd {
        assert!(heard.contains(&format!("{word:?}").as_str()), "{word:?} in {printed}");
    }
    assert!(heard.contains(&"\"--device_profiling_filter_function=a 'b' *\""), "{printed}");
    let arguments = &place.manifest()["runs"][0]["process"]["arguments"];
    assert_eq!(arguments.as_array().unwrap()[1..], odd.map(Value::from));
}

fn secrets() {
    let place = Place::new();
    let bin = place.path("bin it's");
    let words =
        ["capture", "-o", "set", "--iree-bin-dir", bin.to_str().unwrap(), "--", "iree-run-module"];
    let mut command = place.command("", &words);
    command
        .env("IREE_ACCESS_TOKEN", "hush-1")
        .env("IREE_PASS", "hush-5")
        .env("IREE_PASSPHRASE", "hush-6")
        .env("IREE_PWD", "hush-7")
        .env("IREE_PAT", "hush-8")
        .env("IREE_BEARER", "hush-9")
        .env("IREE_SIGNATURE", "hush-10")
        .env("VK_COOKIE", "hush-11")
        .env("IREE_URL", "https://u:hush-12@h")
        .env("VK_LAYER_PATH", "https://u:hush-13@h")
        .env("VK_PASSWORD", "hush-2")
        .env("CUDA_API_KEY", "hush-3")
        .env("AWS_SECRET_ACCESS_KEY", "hush-4")
        .env("HIP_VISIBLE_DEVICES", "0,1");
    assert_eq!(said(&command.output().unwrap()).code, Some(0));
    let text = std::fs::read_to_string(place.path("set/manifest.json")).unwrap();
    assert!(!text.contains("hush-"), "{text}");
    assert!(text.contains("\"HIP_VISIBLE_DEVICES\": \"0,1\""), "{text}");
}

fn passing() {
    let place = Place::new();
    let external = ["--device_capture_tool=renderdoc", "--device_capture_file=frames.rdc"];
    let said = place.capture("", &["--for=kernel-time", "--print-device-statistics"], &external);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(place.runs("outcome"), ["passed", "passed", "captured"]);
    assert!(said.out.contains("its output: set/run-1.stdout.txt"), "{}", said.out);
    let printed = std::fs::read_to_string(place.path("set/run-1.stdout.txt")).unwrap();
    assert!(
        printed.contains("IREE HAL device statistics:") && !printed.contains("profiling"),
        "{printed}"
    );
    let manifest = place.manifest();
    let artefact = &manifest["runs"][1]["process"]["external"][0];
    assert_eq!(artefact["provider"], "renderdoc");
    assert_eq!((&artefact["path"], &artefact["bytes"]), (&"frames.rdc".into(), &6.into()));
    let profiled = manifest["runs"][2]["process"]["ran"].to_string();
    assert!(!profiled.contains("capture_tool") && !profiled.contains("statistics"), "{profiled}");
}

fn repeated() {
    let place = Place::new();
    let said = place.capture("gpu", &["--for=kernel-time", "--repeat=3"], &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(place.runs("name"), ["run-1", "run-2", "run-3"]);
    assert_eq!(
        place.sql("SELECT count(*) AS n, count(DISTINCT bundle) AS b FROM dispatches"),
        "n,b\n6,3\n"
    );
    // Another capture into the same folder overwrites nothing.
    assert_eq!(place.capture("gpu", &["--for=kernel-time"], &[]).code, Some(0));
    assert_eq!(place.runs("name").last().map(String::as_str), Some("run-4"));
    // The label of a named set prefixes the labels of its runs.
    let said = place.said_by(&[
        "sql",
        "--format=csv",
        "-c",
        "SELECT bundle, run FROM runs ORDER BY 1 LIMIT 1",
        "before=set",
    ]);
    assert_eq!(said.out, "bundle,run\nbefore/run-1,run-1\n");
}

fn replay() {
    let place = Place::new();
    let said = place.capture(
        "gpu",
        &["--for=kernel-time", "--replay"],
        &["--device=hip://0", "--function=main"],
    );
    assert_eq!(said.code, Some(0), "{said:?}");
    assert_eq!(place.runs("outcome"), ["passed", "captured"]);
    let process = &place.manifest()["runs"][1]["process"];
    assert_eq!(process["tool"]["name"], "iree-benchmark-replay");
    let arguments = process["arguments"].as_array().unwrap();
    assert_eq!(arguments[0], "--device=hip://0");
    assert!(arguments[1].as_str().unwrap().ends_with("set/run-1.ireereplay"));
    assert_eq!(arguments.len(), 2, "{arguments:?}");
    assert_eq!(process["inputs"][0]["bytes"], 6);
}

fn filling() {
    let place = Place::new();
    assert_eq!(place.capture("gpu", &["--mode=queue-events"], &["--input=a b"]).code, Some(0));
    let fill = || said(&place.command("gpu", &["fill", "set"]).output().unwrap());
    let said = fill();
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.out.contains("1.100 µs in 2 dispatches of 2 functions, on the device's clock"),
        "{said:?}"
    );
    assert_eq!(
        place.manifest()["runs"][1]["process"]["arguments"].to_string(),
        r#"["--module=m.vmfb","--input=a b"]"#
    );
    let rest = "without --for, fill answers kernel-time; the rest: ireescope fill set --for=";
    assert!(said.err.contains(rest), "{said:?}");
    // An answered question is not captured again.
    let said = fill();
    assert!(
        said.err.contains("there is nothing to capture") && said.out.contains("1.100 µs"),
        "{said:?}"
    );
    assert_eq!(place.runs("name").len(), 2);
}

fn no_tool() {
    let place = Place::new();
    let capture = |fake: &str, tool: &str| {
        let mut command = place.command(fake, &["capture", "-o", "set", "--", tool]);
        said(&command.env("PATH", "/nowhere").env_remove("VIRTUAL_ENV").output().unwrap())
    };
    let said = capture("", "iree-run-module");
    assert_eq!(said.code, Some(4));
    assert!(said.err.contains("there is no iree-run-module on the PATH"), "{}", said.err);
    let said = capture("other", place.path("bin it's/iree-run-module").to_str().unwrap());
    assert_eq!(said.code, Some(4));
    assert!(said.err.contains("its --help does not list --device_profiling_mode"), "{}", said.err);
    assert!(!place.path("set").exists());
    // A tool without help output is assumed to support all modes.
    assert_eq!(place.capture("mute", &["--for=kernel-time"], &[]).code, Some(0));
}

fn other_folder() {
    let place = Place::new();
    std::fs::create_dir(place.path("set")).unwrap();
    std::fs::write(place.path("set/diary.txt"), "mine").unwrap();
    let said = place.capture("", &[], &[]);
    assert_eq!(said.code, Some(2), "{said:?}");
    assert!(said.err.contains("is neither empty nor a capture set"), "{}", said.err);
    assert_eq!(std::fs::read_dir(place.path("set")).unwrap().count(), 1);
}

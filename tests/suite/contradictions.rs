//! Tests that contradictions between families are found: an honest capture is changed in one way, and what is wrong with it
//! is said by `doctor` with rows that show it, by the first line of reports, and instead of a verdict. Honest captures are
//! silent.

use std::collections::HashMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use ireescope::engine::Engine;
use libtest_mimic::Trial;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::differential::TOOLS;
use super::profile::ours;
use crate::support::ask::{captures, cell, engine, engine_of, engine_over, open, root, rows};
use crate::support::changes::{each, get, keep, repeat, set};
use crate::support::models;
use crate::support::parts::Parts;
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("each_change_of_an_honest_capture_is_found_with_its_rows", found),
    ("changes_within_the_resolution_of_clocks_are_none", within_resolution),
    ("the_first_line_of_reports_names_it", first_lines),
    ("json_lines_do_not", lines),
    ("there_is_no_verdict_on_it", no_verdict),
    ("what_a_filter_leaves_out_is_not_missing", filtered),
    ("honest_captures_are_silent", silent),
    ("what_lost_its_end_is_no_leak", lost_ends),
    ("dispatches_are_held_against_the_benchmark", benchmarks),
    ("one_worker_of_several_is_told", one_worker),
];

/// The tests that need the reference tools.
pub fn trials() -> Vec<Trial> {
    vec![trial("contradictions::fresh_captures_are_silent".into(), fresh)]
}

/// The findings of these rules.
const KINDS: [&str; 12] = [
    "outlasting_dispatches",
    "unordered_dispatches",
    "missing_dispatches",
    "repeated_ids",
    "uncovered_events",
    "early_submissions",
    "shifted_clock",
    "excessive_tiles",
    "excessive_time",
    "one_worker",
    "idle_calls",
    "uneven_clock",
];

/// A capture, what is changed, and what `doctor` finds: rule, count and number of rows of the evidence.
struct Case {
    name: &'static str,
    capture: &'static str,
    change: fn(&mut Parts),
    found: &'static [(&'static str, u64, usize)],
}

const SECOND: u64 = 1_000_000_000;

const CASES: &[Case] = &[
    Case {
        name: "a dispatch ends 6.9 s late",
        capture: "mlp-vulkan",
        change: |parts| {
            let mut nth = 0;
            each(parts, "dispatch-events", |record| {
                if nth == 5 {
                    later(record, "dispatch_event", "end_tick", 69 * SECOND / 10);
                }
                nth += 1;
            });
        },
        found: &[
            ("outlasting_dispatches", 1, 1),
            ("uncovered_events", 1, 1),
            ("unordered_dispatches", 1, 1),
        ],
    },
    Case {
        name: "the dispatches of 18 of 20 submissions are gone",
        capture: "mlp-vulkan",
        change: |parts| keep(parts, "dispatch-events", |nth| nth < 2),
        found: &[("missing_dispatches", 72, 4)],
    },
    Case {
        name: "every first dispatch of a command buffer ends after the second",
        capture: "mlp-vulkan",
        change: |parts| {
            let mut ends = Vec::new();
            each(parts, "dispatch-events", |record| {
                ends.push(get(record, "dispatch_event", "end_tick"));
            });
            let mut nth = 0;
            each(parts, "dispatch-events", |record| {
                if nth % 4 == 0 {
                    set(record, "dispatch_event", "end_tick", ends[nth + 1] + 1000);
                }
                nth += 1;
            });
        },
        found: &[("unordered_dispatches", 20, 20)],
    },
    Case {
        name: "the host times of all clock correlations are 30 ms ahead",
        capture: "mlp-vulkan",
        change: |parts| shift(parts, 30_000_000),
        found: &[("shifted_clock", 20, 20)],
    },
    Case {
        name: "they are 0.2 ms ahead",
        capture: "mlp-vulkan",
        change: |parts| shift(parts, 200_000),
        found: &[("shifted_clock", 19, 19)],
    },
    Case {
        name: "they are 30 ms behind",
        capture: "mlp-vulkan",
        change: |parts| shift(parts, -30_000_000),
        found: &[("early_submissions", 20, 20)],
    },
    Case {
        name: "they are 0.2 ms behind",
        capture: "mlp-vulkan",
        change: |parts| shift(parts, -200_000),
        found: &[("early_submissions", 19, 19)],
    },
    Case {
        name: "the ticks of a submission are 3,000 s before the first correlation",
        capture: "mlp-vulkan",
        change: |parts| {
            for (family, of) in [
                ("dispatch-events", "dispatch_event"),
                ("queue-device-events", "queue_device_event"),
            ] {
                each(parts, family, |record| {
                    if get(record, of, "submission_id") == 19 {
                        for field in ["start_tick", "end_tick"] {
                            let tick = get(record, of, field);
                            set(record, of, field, tick - 3000 * SECOND);
                        }
                    }
                });
            }
        },
        found: &[("early_submissions", 1, 1), ("uncovered_events", 5, 5)],
    },
    Case {
        name: "a chunk of dispatches stands twice",
        capture: "mlp-vulkan",
        change: |parts| repeat(parts, "dispatch-events", 3),
        found: &[("repeated_ids", 4, 4)],
    },
    Case {
        name: "a host span ends a second late",
        capture: "mlp-local-task",
        change: |parts| {
            each(parts, "host-execution-events", |record| {
                if get(record, SPAN, "event_id") == 11 {
                    assert_eq!(get(record, SPAN, "type"), 2, "a dispatch");
                    later(record, SPAN, "end_host_time_ns", SECOND);
                }
            });
        },
        found: &[("outlasting_dispatches", 1, 1), ("unordered_dispatches", 1, 1)],
    },
    Case {
        name: "dispatch spans of some submissions are gone",
        capture: "mlp-local-task",
        change: |parts| {
            let spans = parts.chunks.iter_mut().filter(|it| it.family() == "host-execution-events");
            for chunk in spans {
                chunk.records.retain(|record| {
                    get(record, SPAN, "type") != 2 || get(record, SPAN, "submission_id") < 20
                });
            }
        },
        found: &[("missing_dispatches", 60, 4)],
    },
    Case {
        name: "work begins before the host submitted it",
        capture: "mlp-local-task",
        change: |parts| {
            each(parts, "queue-events", |record| {
                if get(record, "queue_event", "type") == 3 {
                    later(record, "queue_event", "host_time_ns", SECOND);
                }
            });
        },
        found: &[("early_submissions", 20, 20)],
    },
    Case {
        name: "tiles take longer than both workers have",
        capture: "mlp-local-task",
        change: |parts| {
            each(parts, "host-execution-events", |record| {
                if get(record, SPAN, "event_id") == 11 {
                    let start = get(record, SPAN, "start_host_time_ns");
                    let time = get(record, SPAN, "end_host_time_ns") - start;
                    let tiles = get(record, SPAN, "tile_count");
                    set(record, SPAN, "tile_duration_sum_ns", 2 * time + tiles + 1);
                }
            });
        },
        found: &[("excessive_tiles", 1, 1)],
    },
    Case {
        name: "chunks of memory events and queue events stand twice",
        capture: "mlp-local-task",
        change: |parts| {
            repeat(parts, "memory-events", 2);
            repeat(parts, "queue-events", 2);
        },
        found: &[("repeated_ids", 4, 4), ("repeated_ids", 8, 8)],
    },
];

const SPAN: &str = "host_execution_event";

fn later(record: &mut [u8], of: &str, field: &str, by: u64) {
    let value = get(record, of, field);
    set(record, of, field, value + by);
}

/// Moves the host times of all clock correlations.
fn shift(parts: &mut Parts, by: i64) {
    const OF: &str = "clock_correlation_record";
    each(parts, "clock-correlations", |record| {
        for field in [
            "host_cpu_timestamp_ns",
            "host_system_timestamp",
            "host_time_begin_ns",
            "host_time_end_ns",
        ] {
            let time = get(record, OF, field);
            set(record, OF, field, time.wrapping_add_signed(by));
        }
    });
}

fn path(capture: &str) -> std::path::PathBuf {
    root().join(format!("tests/data/{capture}.ireeprof"))
}

fn changed(capture: &str, change: impl Fn(&mut Parts)) -> Vec<u8> {
    let mut parts = Parts::of(&fs::read(path(capture)).unwrap());
    change(&mut parts);
    parts.bytes()
}

/// The findings of these rules in the order of their names: rule, count and number of rows of the evidence.
fn findings(engine: &Engine) -> Vec<(String, u64, usize)> {
    let asked =
        "SELECT finding, count, replace(evidence, ',', ';') FROM doctor ORDER BY finding, count";
    let found = rows(engine, asked).into_iter().filter(|row| KINDS.contains(&row[0].as_str()));
    let found = found.map(|row| {
        let evidence = row[2..].join(",").trim_matches('"').replace("\"\"", "\"").replace(';', ",");
        (row[0].clone(), row[1].parse().unwrap(), rows(engine, &evidence).len())
    });
    found.collect()
}

fn found() {
    for case in CASES {
        let found = findings(&engine_of(&changed(case.capture, case.change)));
        let found: Vec<(&str, u64, usize)> =
            found.iter().map(|(kind, count, shown)| (kind.as_str(), *count, *shown)).collect();
        assert_eq!(found, case.found, "{}", case.name);
    }
}

fn within_resolution() {
    let late = changed("mlp-vulkan", |parts| {
        let mut ends: HashMap<u64, u64> = HashMap::new();
        each(parts, "dispatch-events", |record| {
            let last = ends.entry(get(record, "dispatch_event", "submission_id")).or_default();
            *last = get(record, "dispatch_event", "end_tick").max(*last);
        });
        // The last dispatch of each submission ends a tick later than the submission.
        each(parts, "queue-device-events", |record| {
            let last = ends[&get(record, "queue_device_event", "submission_id")];
            set(record, "queue_device_event", "end_tick", last - 1);
        });
    });
    assert!(findings(&engine_of(&late)).is_empty());
    let uncertain = changed("mlp-vulkan", |parts| shift(parts, -20_000));
    assert!(findings(&engine_of(&uncertain)).is_empty(), "submissions take longer to start");
}

fn run(folder: &Path, words: &[&str]) -> Output {
    Command::new(ours()).current_dir(folder).args(words).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// Writes a case as `b.ireeprof`, and the capture that it was made of as `a.ireeprof`.
fn folder_of(case: &Case) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("b.ireeprof"), changed(case.capture, case.change)).unwrap();
    fs::copy(path(case.capture), folder.path().join("a.ireeprof")).unwrap();
    folder
}

fn first_lines() {
    let folder = folder_of(&CASES[0]);
    let what = "! 1 dispatch outlasts its submission: 6.900 s of 6.916 s (doctor has 2 more)";
    for command in ["top", "explain", "dispatch", "queue"] {
        let text = said(&run(folder.path(), &[command, "b.ireeprof"]));
        let first = text.lines().next().unwrap();
        assert!(first.ends_with(what), "{command}: {first}");
        let honest = said(&run(folder.path(), &[command, "a.ireeprof"]));
        assert!(!honest.contains('!'), "{command}: {honest}");
    }
    let many = said(&run(
        folder.path(),
        &["top", "a.ireeprof", "b.ireeprof", "c=a.ireeprof", "d=a.ireeprof", "e=a.ireeprof"],
    ));
    assert!(many.starts_with("5 bundles: 4 without problems\nb: "), "{many}");
    let doctor = run(folder.path(), &["doctor", "b.ireeprof"]);
    assert_eq!(doctor.status.code(), Some(1), "{}", said(&doctor));
    assert!(said(&doctor).starts_with("b: 3 errors\n"), "{}", said(&doctor));
}

/// JSON lines are those of `iree-profile`, whatever the records say.
fn lines() {
    let folder = folder_of(&CASES[0]);
    for command in ["explain", "dispatch"] {
        let text = said(&run(folder.path(), &[command, "b.ireeprof", "--format=jsonl"]));
        assert!(!text.contains("outlast") && text.contains("dispatch_1_"), "{text}");
    }
}

fn no_verdict() {
    for case in CASES {
        let folder = folder_of(case);
        let words = ["compare", "a.ireeprof", "b.ireeprof", "--fail-on=slower", "--ambiguous=fail"];
        let compared = run(folder.path(), &words);
        let text = said(&compared);
        assert!(text.starts_with("! b: "), "{}: {text}", case.name);
        assert!(text.contains("\nb.ireeprof is not comparable with a.ireeprof"), "{text}");
        assert!(text.contains("Not comparable: b contradicts itself: "), "{text}");
        assert_eq!(compared.status.code(), Some(5), "{text}");
    }
    let folder = folder_of(&CASES[0]);
    for (bundle, time) in [("a.ireeprof", "2026-01-01"), ("b.ireeprof", "2026-01-02")] {
        let time = format!("--time={time}");
        let added = run(folder.path(), &["history", "add", "h", bundle, &time]);
        assert!(added.status.success(), "{added:?}");
    }
    let checked = said(&run(folder.path(), &["history", "check", "h"]));
    assert!(checked.starts_with("! ") && checked.contains("/b: 1 dispatch outlasts"), "{checked}");
    assert!(checked.contains(" is not comparable with the last 1 entry of "), "{checked}");
}

/// A filter keeps all dispatches of a kind, or none.
fn filtered() {
    type IsKept = fn(&[u8]) -> bool;
    // What the filter keeps, and how many functions it leaves out.
    let cases: [(&str, u64, IsKept); 2] = [
        ("a function", 3, |record| get(record, "dispatch_event", "executable_id") == 2),
        ("an index", 3, |record| get(record, "dispatch_event", "command_index") == 0),
    ];
    for (what, left_out, is_kept) in cases {
        let bytes = changed("mlp-vulkan", |parts| {
            let chunks = parts.chunks.iter_mut().filter(|it| it.family() == "dispatch-events");
            chunks.for_each(|chunk| chunk.records.retain(|record| is_kept(record)));
        });
        let engine = engine_of(&bytes);
        assert_eq!(cell(&engine, "SELECT count(*) FROM dispatch_events"), "20", "{what}");
        assert!(findings(&engine).is_empty(), "{what}");
        let told = "SELECT severity, count, what FROM doctor WHERE finding = 'filtered_functions'";
        let found = cell(&engine, told);
        assert!(found.starts_with(&format!("info,{left_out},")), "{what}: {found}");
        assert!(found.contains(&format!("left them out: {left_out} of 4")), "{what}: {found}");
    }
    // A replay executes a command buffer of its own in each call, of which a filter keeps one.
    let bytes = changed("mlp-replay", |parts| {
        let chunks = parts.chunks.iter_mut().filter(|it| it.family() == "host-execution-events");
        let mut first = None;
        for chunk in chunks {
            chunk.records.retain(|record| {
                let id = get(record, SPAN, "command_buffer_id");
                get(record, SPAN, "type") != 2 || *first.get_or_insert(id) == id
            });
        }
    });
    assert!(findings(&engine_of(&bytes)).is_empty());
}

fn silent() {
    for path in captures() {
        let found = findings(&engine(&path));
        assert!(found.is_empty(), "{}: {found:?}", path.display());
        // What was exported and read back is the same capture.
        let exported = run(Path::new("."), &["export", "-o", "-", path.to_str().unwrap()]);
        let folder = tempfile::tempdir().unwrap();
        let lines = folder.path().join("b.jsonl");
        fs::write(&lines, &exported.stdout).unwrap();
        let found = findings(&engine(&lines));
        assert!(found.is_empty(), "{} read back: {found:?}", path.display());
    }
}

/// A producer that drops memory events loses the ends of allocations that were released.
fn lost_ends() {
    let open = "SELECT count(*) FILTER (WHERE end_ns IS NULL), count(*) FILTER (WHERE is_end_lost) FROM memory_lifetimes";
    let lossy = |dropped: u64| {
        engine_of(&changed("mlp-vulkan", |parts| {
            keep(parts, "memory-events", |nth| nth < 5);
            let mut chunks = parts.chunks.iter_mut();
            let last = chunks.rfind(|part| part.family() == "memory-events").unwrap();
            last.header[80] = u8::from(dropped > 0);
            last.header[88..96].copy_from_slice(&dropped.to_le_bytes());
        }))
    };
    // The pool shows the ends of all results but that of the last call.
    assert_eq!(cell(&lossy(0), open), "2,0");
    let engine = lossy(7);
    assert_eq!(cell(&engine, open), "2,2");
    let said = cell(&engine, "SELECT severity, what FROM doctor WHERE finding = 'early_end'");
    assert_eq!(said, "warning,memory_events are complete up to call 5 of 20 (submission 20)");
}

/// Writes a capture set of one run with the result of a benchmark.
fn set_of(capture: &str, flag: &str, iterations: u64, wall_ns: u64) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::copy(path(capture), folder.path().join("run-1.ireeprof")).unwrap();
    let host = json!({"os": "linux", "arch": "x86_64", "cores": 2});
    let process = json!({
        "tool": {"name": "iree-benchmark-module", "path": "/bin/iree-benchmark-module"},
        "arguments": [flag], "ran": ["/bin/iree-benchmark-module", flag], "directory": "/",
        "inputs": [], "host": host, "environment": {}, "started": "2026-01-01T00:00:00Z",
        "duration_ns": 1, "exit_code": 0, "stdout": "", "stderr": "", "external": [],
        "benchmark": {"iterations": iterations, "wall_ns": wall_ns, "cpu_ns": wall_ns},
    });
    let run = json!({
        "name": "run-1", "outcome": "captured", "bundle": "run-1.ireeprof", "questions": [], "asked": [], "got": [],
        "refused": [], "counters": [], "process": process,
    });
    let manifest = json!({
        "format": "ireescope-capture-set", "schema_version": 1, "ireescope_version": "0.1.0", "runs": [run],
    });
    fs::write(folder.path().join("manifest.json"), manifest.to_string()).unwrap();
    folder
}

/// The dispatches of the capture take 16.4 ms.
fn benchmarks() {
    let said = |flag: &str, iterations, wall_ns| {
        let folder = set_of("mlp-vulkan", flag, iterations, wall_ns);
        let text = said(&run(folder.path(), &["doctor", "--format=jsonl", "."]));
        let rows = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let found = rows.filter(|row| KINDS.contains(&row["finding"].as_str().unwrap()));
        found.map(|row| row["what"].as_str().unwrap().to_owned()).collect::<Vec<_>>().join("; ")
    };
    let fixed = "--benchmark_min_time=20x";
    assert_eq!(said(fixed, 20, 1_000_000), "");
    assert_eq!(
        said(fixed, 20, 500_000),
        "dispatches take 16.41 ms, but the benchmark took 10.00 ms"
    );
    assert_eq!(said("--benchmark_min_time=1s", 20, 500_000), "", "estimates are recorded as well");
    assert_eq!(
        said(fixed, 20, 2_000_000),
        "less than half of the calls is dispatches: 16.41 ms of 40 ms, as the benchmark measured them"
    );
}

fn one_worker() {
    let alone = |tiles: u64| {
        changed("mlp-local-task", |parts| {
            each(parts, "host-execution-events", |record| {
                let start = get(record, SPAN, "start_host_time_ns");
                let time = get(record, SPAN, "end_host_time_ns") - start;
                set(record, SPAN, "tile_duration_sum_ns", time);
                if get(record, SPAN, "tile_count") > 0 {
                    set(record, SPAN, "tile_count", tiles);
                }
            });
        })
    };
    let what = |bytes: &[u8]| {
        cell(&engine_of(bytes), "SELECT severity, what FROM doctor WHERE finding = 'one_worker'")
    };
    assert_eq!(
        what(&alone(2)),
        "warning,one of 2 workers did all the work at any time: tiles never ran side by side (dispatches with several: 80)"
    );
    assert_eq!(
        what(&alone(1)),
        "info,one of 2 workers did all the work at any time: dispatches of a single tile: 80"
    );
}

/// A model, the target and the device that run it, and flags of the benchmark.
const SHAPES: [(&str, &str, &str, &[&str]); 8] = [
    ("mlp", "llvm-cpu", "local-task", &["--benchmark_min_time=20x"]),
    ("mlp", "llvm-cpu", "local-sync", &["--benchmark_min_time=20x"]),
    ("mlp", "vmvx", "local-task", &["--benchmark_min_time=3x"]),
    ("mlp", "vulkan-spirv", "vulkan", &["--benchmark_min_time=20x"]),
    ("mlp", "vulkan-spirv", "vulkan", &["--benchmark_min_time=8x", "--batch_size=4"]),
    (
        "two",
        "vulkan-spirv",
        "vulkan",
        &[
            "--benchmark_min_time=5x",
            "--benchmark_repetitions=3",
            "--benchmark_enable_random_interleaving=true",
        ],
    ),
    ("two", "llvm-cpu", "local-task", &["--benchmark_min_time=0.02s"]),
    (
        "mlp",
        "llvm-cpu",
        "local-task",
        &["--benchmark_min_time=200x", "--device_profiling_flush_interval_ms=1"],
    ),
];

/// Captures quick shapes with the real tools.
fn fresh() {
    let folder = tempfile::tempdir().unwrap();
    let mlp = ["32x128xf32=1", "128x256xf32=0.01", "256xf32=0.5", "256x64xf32=0.01", "64xf32=0.25"];
    let mut bundles = Vec::new();
    for (nth, (model, target, device, flags)) in SHAPES.iter().enumerate() {
        let module = folder.path().join(format!("{model}-{target}.vmfb"));
        models::compile(model, models::flags(target), &module);
        let modes = match *device {
            "vulkan" => {
                "queue-events,device-queue-events,dispatch-events,memory-events,executable-metadata"
            }
            "local-sync" => "queue-events,host-execution,memory-events,executable-metadata",
            _ => {
                "queue-events,host-execution,memory-events,executable-metadata,command-region-events"
            }
        };
        let bundle = folder.path().join(format!("{nth}.ireeprof"));
        let mut benchmark = Command::new(TOOLS.join("iree-benchmark-module"));
        benchmark.arg(format!("--device={device}")).arg(format!("--module={}", module.display()));
        if *model == "mlp" {
            benchmark.arg("--function=main").args(mlp.map(|input| format!("--input={input}")));
        }
        benchmark.arg(format!("--device_profiling_mode={modes}"));
        benchmark.arg(format!("--device_profiling_output={}", bundle.display()));
        benchmark.args(*flags);
        // The tools of 3.13 write a damaged file now and then, which their own reader refuses, too.
        let is_read = (0..3).any(|_| {
            let ran = benchmark.output().unwrap();
            assert!(ran.status.success(), "{ran:?}");
            let read =
                Command::new(TOOLS.join("iree-profile")).arg("summary").arg(&bundle).output();
            read.unwrap().status.success()
        });
        assert!(is_read, "iree-profile refuses {model} on {device} three times");
        bundles.push(open(&bundle, &format!("{model} on {device}: {}", flags.join(" "))).unwrap());
    }
    for bundle in bundles {
        let label = bundle.label.clone();
        let mut found = findings(&engine_over(vec![bundle], None));
        // Whether a second worker takes part is up to the machine.
        found.retain(|(kind, ..)| kind != "one_worker");
        assert!(found.is_empty(), "{label}: {found:?}");
    }
}

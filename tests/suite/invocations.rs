//! Tests the invocations: their number in captures whose number of calls is known, and what is left out as warm-up.

use ireescope::engine::Engine;
use ireescope::fold::{BestClocks, Clocks, Invocations};

use crate::Test;
use crate::support::ask::{cell, csv, engine, engine_of, open, root, rows};
use crate::support::builder::{Bundle, Chunk, record};
use crate::support::built;

pub const TESTS: &[Test] = &[
    ("there_are_as_many_as_the_benchmark_ran", counts),
    ("entry_points_are_different_kinds", entry_points),
    ("the_first_slow_ones_are_warm_up", warm_up),
    ("larger_work_is_no_warm_up", larger_work),
    ("dispatches_are_in_the_invocation_of_their_submission", dispatches),
    ("invocations_add_up", sums),
    ("a_bundle_without_dispatches_has_none", none),
    ("dispatches_that_overlap_may_be_recorded_in_any_order", any_order),
    ("the_view_of_functions_says_what_top_prints", same_functions),
];

/// Captures, the number of calls that tests/data/capture.sh asks for, and the dispatches of each.
const CAPTURES: &[(&str, u64, u64)] = &[
    ("matmul-local-task", 8, 1),
    ("matmul-vulkan", 8, 1),
    ("mlp-local-sync", 8, 4),
    ("mlp-local-task", 20, 4),
    ("mlp-vulkan", 20, 4),
    ("mlp-replay", 5, 4),
    // Three turns of a loop, each a submission.
    ("loop-local-task", 6, 3),
    ("loop-vulkan", 6, 3),
];

/// Captures of a module with two functions, which the benchmark calls ten times each: the first has one dispatch, the second
/// two.
const ENTRY_POINTS: &[&str] = &["two-local-task", "two-vulkan"];

/// Returns the names of all captures.
fn names() -> impl Iterator<Item = &'static str> {
    CAPTURES.iter().map(|(name, ..)| *name).chain(ENTRY_POINTS.iter().copied())
}

fn capture(name: &str) -> Engine {
    engine(&root().join(format!("tests/data/{name}.ireeprof")))
}

fn counts() {
    for (name, calls, dispatches) in CAPTURES {
        let found = csv(
            &capture(name),
            "SELECT count(*), max(invocation), count(DISTINCT kind), min(dispatch_count), max(dispatch_count)
             FROM invocations",
        )
        .unwrap();
        let found = found.lines().last().unwrap();
        assert_eq!(found, format!("{calls},{calls},1,{dispatches},{dispatches}"), "{name}");
        // Turns of a loop may be calls of an asynchronous function as well.
        let is_certain = cell(&capture(name), "SELECT min(confidence) > 0.95 FROM invocations");
        assert_eq!(
            is_certain,
            if *name == "loop-local-task" || *name == "loop-vulkan" { "false" } else { "true" },
            "{name}"
        );
    }
}

fn entry_points() {
    for name in ENTRY_POINTS {
        let kinds = "SELECT count(*), min(invocation), max(invocation), min(dispatch_count), max(dispatch_count)
             FROM invocations GROUP BY kind ORDER BY 2";
        let expected = [["10", "1", "10", "1", "1"], ["10", "11", "20", "2", "2"]];
        assert_eq!(rows(&capture(name), kinds), expected, "{name}");
    }
}

fn warm_up() {
    // The first call creates the pipeline: it takes a multiple of the others.
    let slow = "SELECT invocation FROM invocations WHERE is_warmup ORDER BY 1";
    assert_eq!(rows(&capture("mlp-vulkan"), slow), [["1"]]);
    let shares = "SELECT (SELECT sum(total_ns) FROM report.top_function), sum(duration_ns) FILTER (WHERE NOT is_warmup),
                         sum(duration_ns) FROM dispatches WHERE is_valid";
    let engine = capture("mlp-vulkan");
    let shares = rows(&engine, shares);
    let [steady, expected, all] = shares[0].as_slice() else { panic!("{shares:?}") };
    assert_eq!(steady, expected);
    assert!(steady.parse::<f64>().unwrap() < 0.8 * all.parse::<f64>().unwrap());
}

/// Calls of one function, by the number of workgroups and the duration.
fn calls_of(calls: impl IntoIterator<Item = [i128; 2]>) -> Vec<u8> {
    let event = |(nth, [workgroups, duration_ns]): (i128, [i128; 2])| {
        let start = 1_000_000 * nth;
        let fields = [
            ("type", 2),
            ("event_id", nth),
            ("submission_id", nth),
            ("executable_id", 1),
            ("stream_id", 1),
            ("workgroup_count[0]", workgroups),
            ("workgroup_count[1]", 1),
            ("workgroup_count[2]", 1),
            ("start_host_time_ns", start),
            ("end_host_time_ns", start + duration_ns),
        ];
        record("host_execution_event", &fields, &[])
    };
    let events: Vec<Vec<u8>> = (1..).zip(calls).map(event).collect();
    let executable = [("executable_id", 1), ("function_count", 1)];
    let chunk = Chunk { device: 0, queue: 0, stream: 1, ..Chunk::PLAIN };
    Bundle::new()
        .begin(1, "test")
        .chunk("executables", Chunk::PLAIN, &[record("executable_record", &executable, &[])])
        .chunk("host-execution-events", chunk, &events)
        .end(1, 0)
        .finish()
}

fn larger_work() {
    let slow = "SELECT string_agg(invocation, ' ' ORDER BY invocation) FILTER (WHERE is_warmup), count(*) FROM invocations";
    let of = |calls: Vec<[i128; 2]>| rows(&engine_of(&calls_of(calls)), slow).remove(0);
    // Eight calls on much data, and twelve on little: of each size, the first call is slow.
    let large = [vec![[64, 40_000]], vec![[64, 8_000]; 7]].concat();
    let small = [vec![[8, 4_000]], vec![[8, 1_000]; 11]].concat();
    assert_eq!(of([large.clone(), small.clone()].concat()), ["1 9", "20"]);
    assert_eq!(of(large.into_iter().zip(small).flat_map(<[_; 2]>::from).collect()), ["1 2", "16"]);
    // One call on all tokens of a prompt, and then one for each token.
    assert_eq!(of([vec![[64, 8_000]], vec![[1, 500]; 15]].concat()), ["", "16"]);
    // Each step has one row more; the first one is slow.
    let steps = (1..16).map(|rows| [rows, if rows == 1 { 9_000 } else { 1_000 + 10 * rows }]);
    assert_eq!(of(steps.collect()), ["1", "15"]);
}

fn dispatches() {
    for name in names() {
        let engine = capture(name);
        let apart = "SELECT count(*) FROM (
            SELECT bundle, invocation, count(*) AS n FROM dispatches WHERE is_best_clock GROUP BY ALL) AS d
            FULL JOIN invocations AS i ON d.bundle = i.bundle AND d.invocation = i.invocation
            WHERE d.n IS DISTINCT FROM i.dispatch_count";
        assert_eq!(cell(&engine, apart), "0", "{name}");
    }
}

fn sums() {
    for name in names() {
        let engine = capture(name);
        let wrong = "SELECT count(*) FROM invocations
            WHERE busy_ns + idle_ns <> wall_ns OR busy_ns <= 0 OR idle_ns < 0 OR end_ns <= start_ns";
        assert_eq!(cell(&engine, wrong), "0", "{name}");
        let unordered = "SELECT count(*) FROM (
            SELECT start_ns, lag(end_ns) OVER (ORDER BY invocation) AS before FROM invocations) WHERE start_ns < before";
        assert_eq!(cell(&engine, unordered), "0", "{name}");
    }
}

fn none() {
    for bytes in [built::named("empty"), built::named("silent")] {
        assert_eq!(cell(&engine_of(&bytes), "SELECT count(*) FROM invocations"), "0");
    }
    let bundle = open(&root().join("tests/data/queue-only.ireeprof"), "b").unwrap();
    let (clocks, best) = (Clocks::default(), BestClocks::default());
    let found = Invocations::read(&bundle.into(), &clocks, &best, None).unwrap();
    assert!(found.all.is_empty() && found.readings.is_empty());
}

/// The report takes a parameter, and the view works on folders of Parquet files, so both have the same query.
fn same_functions() {
    for name in names() {
        let engine = capture(name);
        let columns = "timing_source, key, share, dispatch_count, total_ns, mean_ns, median_ns, p90_ns, p99_ns, min_ns, max_ns, total_ticks";
        let of = |relation: &str| {
            let found = rows(
                &engine,
                &format!(
                    "SELECT {columns} FROM {relation} ORDER BY timing_source, share DESC, key"
                ),
            );
            assert!(!found.is_empty(), "{name} has functions");
            found
        };
        assert_eq!(of("top_functions"), of("report.top_function"), "{name}");
    }
}

/// Five calls of two submissions. In the last call, the records of two dispatches are exchanged.
fn any_order() {
    let mut events = Vec::new();
    for call in 0..5 {
        for (submission, functions) in [(0, [0, 1, 2].as_slice()), (1, &[3])] {
            for function in functions {
                let start = 1000 * (10 * call + 4 * submission + function) + 1;
                let fields = [
                    ("type", 2),
                    ("event_id", events.len() as i128 + 1),
                    ("submission_id", 2 * call + submission + 1),
                    ("executable_id", 1),
                    ("stream_id", 1),
                    ("function_ordinal", *function),
                    ("start_host_time_ns", start),
                    ("end_host_time_ns", start + 500),
                ];
                events.push(record("host_execution_event", &fields, &[]));
            }
        }
    }
    let last = events.len() - 3;
    events.swap(last, last + 1);
    let executable = [("executable_id", 1), ("function_count", 4)];
    let chunk = Chunk { device: 0, queue: 0, stream: 1, ..Chunk::PLAIN };
    let bundle = Bundle::new()
        .begin(1, "test")
        .chunk("executables", Chunk::PLAIN, &[record("executable_record", &executable, &[])])
        .chunk("host-execution-events", chunk, &events)
        .end(1, 0)
        .finish();
    let found =
        "SELECT count(*), min(dispatch_count), max(dispatch_count), min(method) FROM invocations";
    assert_eq!(cell(&engine_of(&bundle), found), "5,4,4,period");
}

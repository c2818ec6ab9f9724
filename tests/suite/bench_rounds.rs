//! Tests that `bench` measures in rounds of processes, and the tables that follow: ranks, ties, the comparison with the
//! compiler's default, and the best configurations.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::time::{Duration, Instant};

use libtest_mimic::Trial;

use crate::bench::{Place, SMALL};
use crate::capture::said;
use crate::{Test, trial};

pub const TESTS: &[Test] = &[
    ("tables_come_first_and_show_ties", tables),
    ("few_processes_have_no_intervals", few),
    ("rounds_run_every_configuration_in_random_order", rounds),
    ("a_process_that_fails_ends_its_dispatch", failing),
    ("what_ctrl_c_cuts_is_kept_and_measured_again", interrupted),
    ("json_lines_have_ranks", json_lines),
    ("shapes_alone_run_what_they_describe", shapes),
];

/// The tests that need the real tools.
pub fn trials() -> Vec<Trial> {
    vec![trial("bench_rounds::local_task_is_measured_in_rounds".into(), real)]
}

const DEFAULT: &[&str] = &["--default-config"];

fn tables() {
    let place = Place::new();
    let said = place.bench("slow=default,wrong=32x32", "run", DEFAULT);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert_eq!(said.out, TABLES, "{}", said.out);
    let verbose =
        place.bench("slow=default,wrong=32x32", "run", &["--default-config", "--verbose"]);
    let blocks = verbose.out.strip_prefix(TABLES).unwrap_or_else(|| panic!("{}", verbose.out));
    assert!(blocks.starts_with("---------------"), "{blocks}");
    assert_eq!(blocks.matches("Dispatch      : ").count(), 5, "{blocks}");
    let ranks = place.sql(
        "SELECT rank, vs_default, count(*) FROM dispatch_runs WHERE outcome = 'passed' GROUP BY ALL ORDER BY rank",
    );
    assert_eq!(ranks, "rank,vs_default,count(*)\n1,0.5,3\n4,1.0,1\n");
}

/// Each process has a shift of its own, so the interval lies between the shifted medians.
const TABLES: &str = "\
matmul_64x64x64_f32t_f32t_f32t, llvm-cpu-host on local-task, 7 processes
  rank  runtime                 95 % interval  vs best  vs default  wall  GFLOP/s   GB/s  verified  configuration
    =1  1.006 µs (host)  982.8 ns to 1.028 µs    1.00x       0.50x  4 µs   521.42  48.88  SUCCESS   tile_config_64x64_8x1_cpu_vector8x16
    =1  1.006 µs (host)  982.8 ns to 1.028 µs    1.00x       0.50x  4 µs   521.42  48.88  SUCCESS   tile_config_64x64_4x1_cpu_vector8x32
    =1  1.006 µs (host)  982.8 ns to 1.028 µs    1.00x       0.50x  4 µs   521.42  48.88  SUCCESS   tile_config_32x64_4x1_cpu_vector8x32
     4  2.011 µs (host)  1.966 µs to 2.056 µs    2.00x       1.00x  4 µs   260.71  24.44  SUCCESS   tile_config_default
  tile_config_32x32_4x1_cpu_vector4x16: verify failed: [FAILED] result[0]: element at index 5 (3) does not match the expected (4)

best configuration by operation
  operation                       configuration                          runtime         95 % interval  vs default  ties
  matmul_64x64x64_f32t_f32t_f32t  tile_config_64x64_8x1_cpu_vector8x16  1.006 µs  982.8 ns to 1.028 µs       0.50x     2
";

fn few() {
    let place = Place::new();
    let said = place.bench("", "profile", &["--processes=5"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let title = "matmul_64x64x64_f32t_f32t_f32t, llvm-cpu-host on local-task, 5 processes (intervals and ties need --processes=6 or more)\n";
    assert!(said.out.starts_with(title), "{}", said.out);
    let row = place.sql("SELECT DISTINCT process_count, median_low_ns, median_high_ns, vs_default FROM dispatch_runs");
    assert_eq!(row.lines().nth(1), Some("5,,,"), "{row}");
}

/// Returns the dispatches that ran, in order.
fn profiled(said: &str) -> Vec<&str> {
    let lines = said.lines().filter(|line| line.starts_with("[Profiling] "));
    lines.map(|line| line.split("--function=").nth(1).unwrap().split(' ').next().unwrap()).collect()
}

fn rounds() {
    let place = Place::new();
    let said = place.bench("", "profile", &["--verbose", "--default-config", "--processes=6"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let order = profiled(&said.err);
    let count = order.iter().collect::<BTreeSet<_>>().len();
    assert_eq!(order.len(), 6 * count, "{order:?}");
    for round in order.chunks(count) {
        assert_eq!(round.iter().collect::<BTreeSet<_>>().len(), count, "{round:?}");
    }
    let orders: BTreeSet<&[&str]> = order.chunks(count).collect();
    assert!(orders.len() > 3, "{orders:?}");
    // The same command has the same order.
    let again = Place::new();
    let said = again.bench("", "profile", &["--verbose", "--default-config", "--processes=6"]);
    assert_eq!(profiled(&said.err), order);
}

fn failing() {
    let place = Place::new();
    let said = place.bench("crash=vector8x32", "profile", &["--verbose"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let mut runs: BTreeMap<&str, u32> = BTreeMap::new();
    for dispatch in profiled(&said.err) {
        *runs.entry(dispatch).or_default() += 1;
    }
    assert!(runs.len() > 2, "{runs:?}");
    for (dispatch, count) in runs {
        assert_eq!(count, if dispatch.contains("vector8x32") { 1 } else { 7 }, "{dispatch}");
    }
}

fn interrupted() {
    let place = Place::new();
    let bin = format!("--iree-bin-dir={}", place.path("bin it's").display());
    let words: Vec<&str> = ["bench", "profile", &bin].iter().chain(SMALL).copied().collect();
    let mut command = place.command("stall=32x32", &words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let pattern =
        format!("{}/*/*32x32*/run-3.stdout.txt", place.path("generated/captures").display());
    let started = Instant::now();
    while glob::glob(&pattern).unwrap().count() == 0 {
        assert!(started.elapsed() < Duration::from_mins(2), "the third process begins");
        std::thread::sleep(Duration::from_millis(20));
    }
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let said = said(&child.wait_with_output().unwrap());
    assert_eq!(said.code, Some(130), "{said:?}");
    let cut = place.value(
        "SELECT bool_and(outcome = 'interrupted' AND median_ns > 0 AND rank IS NULL), min(process_count), max(process_count) <= 3 FROM dispatch_runs",
    );
    assert_eq!(cut, "true,2,true");
    let said = place.bench("", "profile", &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(!said.err.contains("measured before"), "{said:?}");
    let passed =
        place.sql("SELECT DISTINCT process_count FROM dispatch_runs WHERE outcome = 'passed'");
    assert_eq!(passed.lines().nth(1), Some("7"), "{passed}");
}

fn json_lines() {
    let place = Place::new();
    let flags = ["--default-config", "--output=rows.jsonl"];
    assert_eq!(place.bench("slow=default", "profile", &flags).code, Some(0));
    let text = std::fs::read_to_string(place.path("rows.jsonl")).unwrap();
    let rows: Vec<serde_json::Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 5, "{text}");
    for row in rows {
        let is_default = row["configuration"] == "tile_config_default";
        assert_eq!(row["rank"], if is_default { 5 } else { 1 }, "{row}");
        assert_eq!(row["vs_default"], if is_default { 1.0 } else { 0.5 }, "{row}");
        assert_eq!(row["process_count"], 7, "{row}");
    }
}

fn shapes() {
    let place = Place::new();
    let generated = |flags: &[&str]| {
        let said = place.played("", "run", &[&["--dry-run", "--types=f32"], flags].concat());
        let lines = said.out.lines().filter_map(|line| line.strip_prefix("[Generating]: "));
        let names = lines.map(|path| path.rsplit('/').next().unwrap().replace(".mlir", ""));
        names.collect::<Vec<_>>()
    };
    let product = ["--problem-m=64", "--problem-n=64", "--problem-k=64"];
    assert_eq!(generated(&product), ["matmul_64x64x64_f32t_f32t_f32t"]);
    let batched = [&product[..], &["--batch-count=2"]].concat();
    assert_eq!(generated(&batched), ["batch_matmul_2x64x64x64_f32t_f32t_f32t"]);
    let fused = [&product[..], &["--epilogue=bias_relu"]].concat();
    assert_eq!(generated(&fused), ["matmul_bias_relu_64x64x64_f32t_f32t_f32t"]);
    let all = [&product[..], &["--operation-kind=all", "--split-k-slices=2"]].concat();
    let kinds: BTreeSet<String> =
        generated(&all).iter().map(|name| name.split("_6").next().unwrap().to_owned()).collect();
    assert_eq!(kinds.len(), 5, "two predefined convolutions, and three products: {kinds:?}");
    // Commands without shapes use what was generated, and add no other kind.
    assert_eq!(place.played("", "generate", &product).code, Some(0));
    let names = generated(&[]);
    assert_eq!(names, ["matmul_64x64x64_f32t_f32t_f32t"]);
}

/// Measures the configurations of a product with the real tools, and checks the figures against the profiles.
fn real() {
    let place = Place::new();
    let flags = [SMALL, &["--default-config", "--batch-size=20"]].concat();
    let flags: Vec<&str> = flags.into_iter().filter(|flag| *flag != "--batch-size=4").collect();
    let said = place.real("run", &flags);
    assert_eq!(said.code, Some(0), "{said:?}");
    let title = "matmul_64x64x64_f32t_f32t_f32t, llvm-cpu-host on local-task, 7 processes\n";
    assert!(said.out.starts_with(title), "{}", said.out);
    assert!(said.out.contains("\nbest configuration by operation\n"), "{}", said.out);
    let count = place.value("SELECT count(*) FROM dispatch_runs");
    let good = place.value(
        "SELECT count(*) FROM dispatch_runs WHERE process_count = 7 AND sample_count = 7 * 60 \
         AND median_low_ns <= median_ns AND median_ns <= median_high_ns AND min_ns <= median_low_ns \
         AND wall_median_ns > 0 AND rank >= 1 AND vs_default > 0",
    );
    assert_eq!(good, count);
    let best = place.value(
        "SELECT min(rank) = 1 AND min(vs_default) FILTER (WHERE configuration = 'tile_config_default') = 1 FROM dispatch_runs",
    );
    assert_eq!(best, "true");
    // Each capture set has the profiles of seven processes, whose medians are those of the row.
    let medians = place.value(
        "SELECT count(*) FROM (SELECT r.dispatch, r.process_medians_ns, string_agg(CAST(p.median AS VARCHAR), ',' ORDER BY p.bundle) AS medians \
         FROM dispatch_runs AS r JOIN (SELECT bundle, quantiles(duration_ns, 0.5)[1] AS median FROM \
         (SELECT bundle, duration_ns, row_number() OVER (PARTITION BY bundle ORDER BY start_ns) AS nth FROM dispatches) WHERE nth > 20 GROUP BY bundle) AS p \
         ON split_part(p.bundle, '/', 1) = split_part(r.bundle, '/', 1) GROUP BY r.dispatch, r.process_medians_ns) WHERE medians = process_medians_ns",
    );
    assert_eq!(medians, count);
}

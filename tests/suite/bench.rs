//! Tests `bench` with fake tools (`tests/support/fake_bench.rs`) and with the real ones.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;
use tempfile::TempDir;

use super::capture::{Said, said};
use super::differential::BIN;
use super::real_captures::no_vulkan;
use crate::{Test, skipped_if, trial};

pub const TESTS: &[Test] = &[
    ("sources_are_generated_as_they_always_were", generated),
    ("statistics_are_of_what_follows_the_warm_up", statistics),
    ("what_is_measured_is_not_measured_again", again),
    ("what_changed_is_compiled_again", compiled_again),
    ("a_rejected_configuration_is_a_row", rejected),
    ("configurations_that_compile_only_alone_say_so", crowded),
    ("a_hanging_compiler_is_stopped", hanging),
    ("a_wrong_result_fails_and_exits_with_1", wrong),
    ("a_device_that_refuses_is_a_row", refusing),
    ("a_crash_is_a_row", crashing),
    ("a_missing_tool_is_a_row_and_exits_with_4", missing),
    ("csv_has_the_former_columns", csv),
    ("rows_stand_beside_profiles", joined),
    ("several_folders_open_under_names", named),
    ("ctrl_c_keeps_what_was_measured", interrupted),
    ("commands_are_saved", saved),
];

/// The tests that need the real tools.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("bench::local_devices_run_matmuls".into(), || {
            matmuls("local-task", "host");
            matmuls("local-sync", "host");
        }),
        skipped_if(
            no_vulkan(),
            trial("bench::vulkan_runs_matmuls".into(), || matmuls("vulkan", "device")),
        ),
        trial("bench::local_task_runs_every_kind".into(), every_kind),
        trial("bench::gpus_compile_every_kind".into(), gpus),
        trial("bench::a_doctored_reference_fails".into(), doctored),
        trial("bench::a_device_that_is_not_there_is_a_row".into(), no_device),
        trial("bench::lines_break_as_textwrap_does".into(), textwrap),
    ]
}

/// A temporary working folder with fake tools.
pub struct Place {
    folder: TempDir,
}

/// The flags of a small operation that is measured quickly.
pub const SMALL: &[&str] = &[
    "--operation-kind=matmul",
    "--types=f32",
    "--epilogue=none",
    "--problem-m=64",
    "--problem-n=64",
    "--problem-k=64",
    "--batch-size=4",
    "--benchmark-repetitions=3",
];

impl Place {
    pub fn new() -> Self {
        Self::with(&["iree-compile", "iree-run-module", "iree-benchmark-module"])
    }

    fn with(tools: &[&str]) -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(place.path("bin it's")).unwrap();
        let own = std::env::current_exe().unwrap();
        for name in tools {
            std::os::unix::fs::symlink(&own, place.path("bin it's").join(name)).unwrap();
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, fake: &str, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command.current_dir(self.folder.path()).env("IREESCOPE_FAKE_BENCH", fake).args(words);
        command
    }

    /// Runs a `bench` command with fake tools, on the small operation.
    pub fn bench(&self, fake: &str, command: &str, flags: &[&str]) -> Said {
        self.played(fake, command, &[SMALL, flags].concat())
    }

    /// Runs a `bench` command with fake tools.
    pub fn played(&self, fake: &str, command: &str, flags: &[&str]) -> Said {
        let bin = format!("--iree-bin-dir={}", self.path("bin it's").display());
        let words = [&["bench", command, &bin], flags].concat();
        said(&self.command(fake, &words).output().unwrap())
    }

    /// Runs a `bench` command with the real tools.
    pub fn real(&self, command: &str, flags: &[&str]) -> Said {
        let bin = format!("--iree-bin-dir={}", BIN.display());
        let words: Vec<&str> = ["bench", command, &bin].iter().chain(flags).copied().collect();
        said(&self.command("", &words).output().unwrap())
    }

    pub fn sql(&self, query: &str) -> String {
        self.sql_of(query, &["."])
    }

    fn sql_of(&self, query: &str, folders: &[&str]) -> String {
        let words: Vec<&str> =
            ["sql", "--format=csv", "-c", query].iter().chain(folders).copied().collect();
        let said = said(&self.command("", &words).output().unwrap());
        assert_eq!(said.code, Some(0), "{said:?}");
        said.out
    }

    /// Runs a query, and returns its only row.
    pub fn value(&self, query: &str) -> String {
        let answer = self.sql(query);
        let lines: Vec<&str> = answer.lines().skip(1).collect();
        assert_eq!(lines.len(), 1, "{answer}");
        lines[0].to_owned()
    }
}

/// Returns the configurations that `bench generate` prints.
fn configurations(said: &Said) -> Vec<String> {
    let head = "    Emitting tuning configuration : ";
    said.out.lines().filter_map(|line| line.strip_prefix(head)).map(str::to_owned).collect()
}

fn generated() {
    let place = Place::new();
    let said = place.bench("", "generate", &[]);
    assert_eq!(said.code, Some(0), "{said:?}");
    let operation = "matmul_64x64x64_f32t_f32t_f32t";
    let path = format!("./generated/linalg/matmul/{operation}/{operation}.mlir");
    assert_eq!(said.out.lines().next(), Some(format!("[Generating]: {path}").as_str()));
    let names = configurations(&said);
    assert!(names.len() > 1, "{said:?}");
    let source = std::fs::read_to_string(place.path(&path)).unwrap();
    for name in &names {
        assert!(source.contains(&format!("func.func @{operation}_{name}(")), "{name}");
    }
    // Without shapes, the command applies to the generated operations.
    let bin = format!("--iree-bin-dir={}", place.path("bin it's").display());
    let output = place.command("", &["bench", "compile", &bin]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{:?}", super::bench::said(&output));
    let count = format!("{}", names.len());
    assert_eq!(place.value("SELECT count(*) FROM dispatch_runs WHERE outcome = 'passed'"), count);
}

fn statistics() {
    let place = Place::new();
    let flags = ["--default-config", "--dispatches=config_default", "--verbose"];
    let said = place.bench("", "run", &flags);
    assert_eq!(said.code, Some(0), "{said:?}");
    // Seven processes, each with twelve runs of 1000 to 1011 ns, shifted by -30 to 30 ns, after four warm-up runs of 50 µs.
    let row = place.value(
        "SELECT process_count, sample_count, warmup_count, dispatch_count, timing_source, min_ns, mean_ns, median_ns, p90_ns, runtime_ms, wall_min_ns, wall_median_ns FROM dispatch_runs",
    );
    assert_eq!(row, "7,84,4,1,host,970.0,1005.5,1005.5,1032.7,0.0010055,3000.0,4000.0");
    // Between the outermost medians and the next, with a weight of 11/15 (see the tests of the statistics).
    let interval = place.value(
        "SELECT round(median_low_ns, 3), round(median_high_ns, 3), process_medians_ns FROM dispatch_runs",
    );
    assert_eq!(interval, "982.833,1028.167,\"1005.5,1015.5,995.5,1025.5,985.5,1035.5,975.5\"");
    let bundle = place.value("SELECT bundle LIKE '%/run-1' FROM dispatch_runs");
    assert_eq!(bundle, "true", "its median is the middle one");
    let rates = place.value("SELECT round(gflops, 2), round(gbps, 3) FROM dispatch_runs");
    assert_eq!(rates, "521.42,48.883", "2*64^3 operations and 3*64*64*4 bytes in 1005.5 ns");
    assert!(
        said.out.contains("Runtime(ms)   : 0.0010055\nGFLOPs        : 521.42\n"),
        "{}",
        said.out
    );
}

fn again() {
    let place = Place::new();
    let first = place.bench("", "run", &[]);
    assert_eq!(first.code, Some(0), "{first:?}");
    let count = place.value("SELECT count(*) FROM dispatch_runs");
    let second = place.bench("", "run", &[]);
    assert!(
        second.err.contains(&format!("{count} of {count} dispatches were measured before")),
        "{second:?}"
    );
    assert_eq!(second.out, first.out, "the report is the same");
    assert_eq!(place.value("SELECT count(*) FROM dispatch_runs"), count);
    // Another setting or `--force` repeats the measurement.
    for flag in ["--benchmark-repetitions=4", "--force"] {
        let before: usize = place.value("SELECT count(*) FROM dispatch_runs").parse().unwrap();
        let words: Vec<&str> = SMALL
            .iter()
            .copied()
            .filter(|word| !flag.starts_with(word.split('=').next().unwrap()))
            .collect();
        let bin = format!("--iree-bin-dir={}", place.path("bin it's").display());
        let words: Vec<&str> = ["bench", "run", &bin, flag].into_iter().chain(words).collect();
        assert!(place.command("", &words).status().unwrap().success());
        let after: usize = place.value("SELECT count(*) FROM dispatch_runs").parse().unwrap();
        assert_eq!(after - before, count.parse::<usize>().unwrap(), "{flag}");
    }
}

fn compiled_again() {
    let place = Place::new();
    let compile = |flags: &[&str]| {
        let said = place.bench("", "compile", &[&["--verbose"], flags].concat());
        assert_eq!(said.code, Some(0), "{said:?}");
        said.err.lines().filter(|line| line.starts_with("[Compiling")).count()
    };
    assert_eq!(compile(&[]), 2, "for verification and for profiling");
    assert_eq!(compile(&[]), 0);
    assert_eq!(compile(&["--force-compile"]), 2);
    assert_eq!(compile(&["--target-cpu=generic"]), 2, "another target has modules of its own");
    assert_eq!(compile(&["--compiler-flag=--iree-opt-level=O2"]), 2);
    assert_eq!(compile(&[]), 2, "the flags changed back");
}

/// Returns the last stage and the outcome of each configuration.
fn outcomes(place: &Place) -> BTreeMap<String, String> {
    let rows = place.sql("SELECT configuration, concat(stage, ' ', outcome) FROM dispatch_runs");
    let pairs = rows.lines().skip(1).filter_map(|line| line.split_once(','));
    pairs.map(|(key, value)| (key.to_owned(), value.to_owned())).collect()
}

/// Generates the sources, and returns one of the configurations and their number.
fn one_of(place: &Place) -> (String, usize) {
    let names = configurations(&place.bench("", "generate", &[]));
    (names[1].clone(), names.len())
}

fn rejected() {
    let place = Place::new();
    let (bad, count) = one_of(&place);
    let said = place.bench(&format!("reject={bad}"), "run", &["--verbose"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let outcomes = outcomes(&place);
    assert_eq!(outcomes.len(), count);
    for (name, outcome) in &outcomes {
        let wanted = if *name == bad { "compile failed" } else { "profile passed" };
        assert_eq!(outcome, wanted, "{name}");
    }
    let message = place.value("SELECT message FROM dispatch_runs WHERE outcome = 'failed'");
    assert!(message.ends_with("error: the tile does not divide the vector"), "{message}");
    assert!(said.err.contains(&format!("1 of {count} dispatches failed")), "{said:?}");
    // The rejection is cached with the modules.
    let said = place.bench(&format!("reject={bad}"), "run", &["--verbose"]);
    assert!(!said.err.contains("[Compiling"), "{said:?}");
}

fn crowded() {
    let place = Place::new();
    let (_, count) = one_of(&place);
    let said = place.bench("crowd=matmul", "compile", &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let reason =
        "compile: each configuration compiles alone, but not all of them in one module; error: ";
    assert_eq!(said.err.matches(reason).count(), count, "{said:?}");
    let rows = place.value(
        "SELECT count(*) FROM dispatch_runs WHERE stage = 'compile' AND outcome = 'failed' \
         AND module_sha256 IS NULL AND message LIKE '%: error: two functions have one symbol'",
    );
    assert_eq!(rows, count.to_string());
}

fn hanging() {
    let place = Place::new();
    let (bad, count) = one_of(&place);
    let started = Instant::now();
    let said = place.bench(&format!("hang={bad}"), "compile", &["--compile-timeout=700ms"]);
    assert!(started.elapsed() < Duration::from_mins(1), "it was stopped");
    assert_eq!(said.code, Some(1), "{said:?}");
    let outcomes = outcomes(&place);
    assert_eq!(outcomes.len(), count);
    assert_eq!(outcomes[&bad], "compile time_limit");
    let passed = outcomes.values().filter(|outcome| *outcome == "compile passed").count();
    assert_eq!(passed, count - 1);
    let message = place.value("SELECT message FROM dispatch_runs WHERE outcome = 'time_limit'");
    assert_eq!(message, "iree-compile timed out after 0.7 s; increase --compile-timeout");
}

fn wrong() {
    let place = Place::new();
    let (bad, count) = one_of(&place);
    let said = place.bench(&format!("wrong={bad}"), "verify", &["--verbose"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(
        said.err.contains(&format!("1 of {count} dispatches returned wrong results")),
        "{said:?}"
    );
    let row = place.value(
        "SELECT configuration, stage, message FROM dispatch_runs WHERE verification = 'FAILED'",
    );
    assert_eq!(
        row,
        format!(
            "{bad},verify,[FAILED] result[0]: element at index 5 (3) does not match the expected (4)"
        )
    );
    assert!(
        said.out.contains("Verification  : FAILED\n")
            && said.out.contains("Verification  : SUCCESS\n")
    );
}

fn refusing() {
    let place = Place::new();
    let (bad, count) = one_of(&place);
    let said = place.bench(&format!("refuse={bad}"), "run", &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let outcomes = outcomes(&place);
    assert_eq!(outcomes.len(), count);
    assert_eq!(outcomes[&bad], "verify failed");
    let row = place.value(
        "SELECT verification, message, median_ns FROM dispatch_runs WHERE outcome <> 'passed'",
    );
    assert_eq!(row, "Not verified,driver.c:66: UNAVAILABLE; no such device is there,");
}

fn crashing() {
    let place = Place::new();
    let (bad, _) = one_of(&place);
    let said = place.bench(&format!("crash={bad}"), "profile", &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let row = place.value("SELECT configuration, stage, message LIKE '%terminated by signal 6%' FROM dispatch_runs WHERE outcome <> 'passed'");
    assert_eq!(row, format!("{bad},profile,true"));
}

fn missing() {
    for (tools, stage) in [
        (["iree-run-module", "iree-benchmark-module"], "compile"),
        (["iree-compile", "iree-benchmark-module"], "verify"),
        (["iree-compile", "iree-run-module"], "profile"),
    ] {
        let place = Place::with(&tools);
        let said = place.bench("", "run", &[]);
        assert_eq!(said.code, Some(4), "{said:?}");
        assert!(
            said.err.contains("there is no iree-") && said.err.contains("--iree-bin-dir"),
            "{said:?}"
        );
        let outcomes = outcomes(&place);
        assert!(outcomes.len() > 1);
        assert!(
            outcomes.values().all(|outcome| *outcome == format!("{stage} no_tool")),
            "{outcomes:?}"
        );
    }
}

fn csv() {
    let place = Place::new();
    let flags = ["--output=data.csv", "--tags=cpu:xeon,run:1"];
    assert_eq!(place.bench("", "run", &flags).code, Some(0));
    let appended = ["--output=data.csv", "--append", "--tags=cpu:xeon,run:2"];
    assert_eq!(place.bench("", "run", &appended).code, Some(0));
    let text = std::fs::read_to_string(place.path("data.csv")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "cpu,run,Provider,op_kind,Operation,bytes,flops,batch_count,m,n,k,lhs,rhs,result,split_k_mode,split_k_slices,Tile config,Core class,Instruction class,Verification,Runtime(ms),GFLOPs,epilogue,Processes,Low(ms),High(ms),Rank,vs default"
    );
    let rows = place.sql("SELECT tile_config, core_class, instruction_class, verification, runtime_ms, round(gflops, 2), 'none', process_count, median_low_ns / 1e6, median_high_ns / 1e6, rank, vs_default FROM dispatch_runs ORDER BY started");
    let rows: Vec<&str> = rows.lines().skip(1).collect();
    assert_eq!(lines.len(), 1 + 2 * rows.len(), "{text}");
    let head = |run: usize| {
        format!(
            "xeon,{run},IREE Codegen,matmul,matmul_64x64x64_f32t_f32t_f32t,49152,524288,1,64,64,64,f32t,f32t,f32t,N/A,N/A,"
        )
    };
    for (at, row) in rows.iter().enumerate() {
        assert_eq!(lines[1 + at], format!("{}{row}", head(1)));
        assert_eq!(lines[1 + rows.len() + at], format!("{}{row}", head(2)));
    }
    // Rows with a column that the file lacks cannot be appended.
    let other = place.bench("", "run", &["--output=data.csv", "--append", "--tags=gpu:x"]);
    assert_eq!(other.code, Some(2), "{other:?}");
    assert!(other.err.contains("data.csv has no column gpu"), "{other:?}");
    assert_eq!(std::fs::read_to_string(place.path("data.csv")).unwrap(), text);
}

fn joined() {
    let place = Place::new();
    assert_eq!(place.bench("", "run", &[]).code, Some(0));
    let count = place.value("SELECT count(*) FROM dispatch_runs");
    let joined = place.value(
        "SELECT count(*) FROM dispatch_run_functions WHERE dispatch_count = 16 AND key = concat(dispatch, '_dispatch_0') AND verification = 'SUCCESS'",
    );
    assert_eq!(joined, count);
    // The run of each capture is in `runs`, and `capture` is the path of its bundle.
    let paths = place.value(
        "SELECT count(*) FROM dispatch_runs AS r JOIN bundles AS b ON b.bundle = r.bundle JOIN runs AS t ON t.bundle = r.bundle WHERE b.path LIKE concat('%', r.capture)",
    );
    assert_eq!(paths, count);
    let top = said(&place.command("", &["top", "."]).output().unwrap());
    assert_eq!(top.code, Some(0), "{top:?}");
}

fn named() {
    let place = Place::new();
    for folder in ["a", "b"] {
        let flag = format!("--generated-dir={folder}");
        assert_eq!(place.bench("", "profile", &[&flag]).code, Some(0));
    }
    let query =
        "SELECT count(*), count(DISTINCT bundle) FROM dispatch_runs JOIN bundles USING (bundle)";
    let one = place.sql_of(query, &["a"]);
    let count: usize = one.lines().nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    let both = place.sql_of(query, &["old=a", "new=b/generated"]);
    assert_eq!(both.lines().nth(1).unwrap(), format!("{0},{0}", 2 * count));
}

fn interrupted() {
    let place = Place::new();
    let (bad, _) = one_of(&place);
    let bin = format!("--iree-bin-dir={}", place.path("bin it's").display());
    let names = ["old.csv", "old.jsonl"];
    for name in names {
        std::fs::write(place.path(name), "old").unwrap();
    }
    let outputs = names.map(|name| format!("--output={}", place.path(name).display()));
    let words = ["bench", "run", &bin, &outputs[0]];
    let words: Vec<&str> = words.iter().chain(SMALL).copied().collect();
    let child = place
        .command(&format!("hang={bad}"), &words)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let pid = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGINT).unwrap();
    let started = Instant::now();
    let said = said(&child.wait_with_output().unwrap());
    assert!(started.elapsed() < Duration::from_secs(30), "it ended");
    assert_eq!(said.code, Some(130), "{said:?}");
    assert!(said.err.contains("interrupted; the measurements so far are kept"), "{said:?}");
    // The file is the old one, and the whole one once the same command comes to its end.
    let text = |name: &str| std::fs::read_to_string(place.path(name)).unwrap();
    assert_eq!(text("old.csv"), "old");
    for (name, output) in names.iter().zip(&outputs) {
        assert_eq!(place.bench("", "run", &[output]).code, Some(0));
        assert!(text(name).lines().count() > 1 && !text(name).starts_with("old"), "{name}");
    }
    let left = std::fs::read_dir(place.folder.path()).unwrap().flatten();
    let left = left.filter(|it| it.file_name().to_string_lossy().starts_with(".ireescope-"));
    assert_eq!(left.count(), 0);
}

fn saved() {
    let place = Place::new();
    assert_eq!(place.bench("", "run", &["--save-cmds"]).code, Some(0));
    let pattern = format!("{}/generated/linalg/matmul/*/*/*.txt", place.folder.path().display());
    let texts: Vec<String> = glob::glob(&pattern)
        .unwrap()
        .map(|path| std::fs::read_to_string(path.unwrap()).unwrap())
        .collect();
    let count: usize = place.value("SELECT count(*) FROM dispatch_runs").parse().unwrap();
    assert_eq!(texts.len(), 2 + count, "two compilers, and each dispatch's verification");
    assert!(texts.iter().all(|text| text.starts_with("[Command] $ ")), "{texts:?}");
    assert!(texts.iter().any(|text| text.contains("[SUCCESS]")), "{texts:?}");
}

/// Parses the printed blocks: verification, runtime and rate by dispatch.
fn printed(said: &Said) -> BTreeMap<String, [String; 3]> {
    let mut blocks = BTreeMap::new();
    for block in
        said.out.split("---------------------------------------------------------------- \n")
    {
        let value = |key: &str| {
            let line = block.lines().find(|line| line.starts_with(key))?;
            Some(line.split_once(": ")?.1.to_owned())
        };
        if let Some(dispatch) = value("Dispatch") {
            let [a, b, c] =
                ["Verification", "Runtime(ms)", "GFLOPs"].map(|key| value(key).unwrap());
            blocks.insert(dispatch, [a, b, c]);
        }
    }
    blocks
}

/// Sweeps matmuls, and checks that SQL, the CSV file and the printed blocks agree.
fn matmuls(device: &str, clock: &str) {
    let place = Place::new();
    let flags = [
        &format!("--device={device}"),
        // The default Vulkan target lacks f16.
        "--vulkan-target=valhall4",
        "--operation-kind=matmul",
        "--types=f32,f16-f32",
        "--epilogue=none",
        "--problem-m=64,128",
        "--problem-n=128",
        "--problem-k=64",
        "--default-config",
        "--dispatches=vector,config_default",
        "--batch-size=10",
        "--benchmark-repetitions=3",
        "--processes=3",
        "--verbose",
        "--output=data.csv",
    ];
    let said = place.real("run", &flags);
    assert_eq!(said.code, Some(0), "{said:?}");
    let blocks = printed(&said);
    let query = "SELECT dispatch, verification, runtime_ms, round(gflops, 2), timing_source, sample_count FROM dispatch_runs ORDER BY started";
    let rows = place.sql(query);
    let rows: Vec<Vec<&str>> = rows.lines().skip(1).map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), blocks.len());
    let csv = std::fs::read_to_string(place.path("data.csv")).unwrap();
    let types: Vec<&str> = rows.iter().filter_map(|row| row[0].split('_').nth(2)).collect();
    assert!(types.contains(&"f32t") && types.contains(&"f16t"), "{types:?}");
    for (row, line) in rows.iter().zip(csv.lines().skip(1)) {
        assert_eq!(row[1], "SUCCESS", "{row:?}");
        assert_eq!((row[4], row[5]), (clock, "90"), "{row:?}");
        assert_eq!(blocks[row[0]].each_ref().map(String::as_str), [row[1], row[2], row[3]]);
        assert!(
            line.contains(&format!(",{},{},{},none,3,,,", row[1], row[2], row[3])),
            "{line} {row:?}"
        );
    }
    // The medians equal those of the dispatches in the middle profile after the warm-up.
    let median = place.sql(
        "SELECT count(*) FROM (SELECT r.dispatch, r.median_ns, quantiles(d.duration_ns, 0.5)[1] AS median FROM dispatch_runs AS r JOIN (SELECT bundle, duration_ns, row_number() OVER (PARTITION BY bundle ORDER BY start_ns) AS nth FROM dispatches) AS d ON d.bundle = r.bundle WHERE d.nth > r.warmup_count GROUP BY r.dispatch, r.median_ns) WHERE median = median_ns",
    );
    assert_eq!(median.lines().nth(1), Some(rows.len().to_string().as_str()));
    let wall = place.value("SELECT count(*) FROM dispatch_runs WHERE wall_median_ns > 0 AND module_sha256 IS NOT NULL AND compiler_version IS NOT NULL AND runtime_version IS NOT NULL");
    assert_eq!(wall, rows.len().to_string());
}

/// Runs small operations of every other kind on the CPU.
fn every_kind() {
    let place = Place::new();
    for (kind, shape) in [
        ("batch_matmul", ["--batch-count=2", "--problem-m=64", "--problem-n=64", "--problem-k=64"]),
        (
            "matmul_splitk",
            ["--split-k-slices=2", "--problem-m=64", "--problem-n=64", "--problem-k=128"],
        ),
        ("conv2d", ["--conv-h=18", "--conv-w=18", "--conv-c=16", "--conv-f=32"]),
    ] {
        let kind = format!("--operation-kind={kind}");
        let flags = [
            &kind,
            "--types=f32",
            "--epilogue=none",
            "--default-config",
            "--batch-size=5",
            "--benchmark-repetitions=2",
            "--processes=2",
        ];
        let said = place.real("run", &[&flags[..], &shape].concat());
        assert_eq!(said.code, Some(0), "{said:?}");
    }
    let rows = place.sql("SELECT operation_kind, count(*) > 0, bool_and(verification = 'SUCCESS' AND median_ns > 0) FROM dispatch_runs GROUP BY 1 ORDER BY 1");
    assert_eq!(
        rows.lines().skip(1).collect::<Vec<_>>(),
        ["batch_matmul,true,true", "conv2d,true,true", "matmul_splitk,true,true"]
    );
    let runs = place.value("SELECT count(*) FROM dispatch_runs");
    let work = "SELECT count(DISTINCT r.dispatch) FROM dispatch_runs AS r JOIN functions AS f ON f.bundle = r.bundle AND f.key LIKE concat(r.dispatch, '_dispatch_%') WHERE f.flops = r.flops AND f.bytes = r.bytes";
    assert_eq!(place.value(work), runs, "each dispatch has a function with its work");
}

/// Compiles for GPUs that the machine need not have.
fn gpus() {
    for flags in [["--device=cuda", "--cuda-arch=sm_80"], ["--device=rocm", "--rocm-target=gfx942"]]
    {
        let place = Place::new();
        let said = place.real(
            "compile",
            &[
                &flags[..],
                &[
                    "--operation-kind=all",
                    "--types=f16-f32",
                    "--problem-m=256",
                    "--problem-n=256",
                    "--problem-k=256",
                    "--default-config",
                ],
            ]
            .concat(),
        );
        assert_eq!(said.code, Some(0), "{said:?}");
        let rows = place.sql("SELECT operation_kind, count(*) FILTER (WHERE tile_config <> 'Default') > 0, bool_and(outcome = 'passed') FROM dispatch_runs GROUP BY 1 ORDER BY 1");
        let kinds: Vec<&str> = rows.lines().skip(1).collect();
        assert_eq!(
            kinds,
            [
                "batch_matmul,true,true",
                "conv2d,true,true",
                "matmul,true,true",
                "matmul_splitk,true,true"
            ]
        );
    }
}

const TINY: &[&str] = &[
    "--operation-kind=matmul",
    "--types=f32",
    "--epilogue=none",
    "--problem-m=64",
    "--problem-n=64",
    "--problem-k=64",
    "--default-config",
    "--dispatches=config_default",
    "--batch-size=2",
    "--processes=1",
];

/// Modifies the cached expected result, so that a correct result must be reported as wrong.
fn doctored() {
    let place = Place::new();
    assert_eq!(place.real("verify", TINY).code, Some(0));
    let pattern = format!("{}/generated/reference_cache/*/*.npy", place.folder.path().display());
    let results: Vec<PathBuf> = glob::glob(&pattern).unwrap().map(Result::unwrap).collect();
    let expected = results.iter().find(|path| is_expected(path)).expect("a result is kept");
    let mut bytes = std::fs::read(expected).unwrap();
    let last = bytes.len() - 2;
    bytes[last] ^= 0x40;
    std::fs::write(expected, bytes).unwrap();
    let said = place.real("run", &[TINY, &["--force", "--verbose"]].concat());
    assert_eq!(said.code, Some(1), "{said:?}");
    assert!(said.out.contains("Verification  : FAILED"), "{said:?}");
    let row = place.value("SELECT message FROM dispatch_runs WHERE verification = 'FAILED'");
    assert!(row.contains("element at index 4095"), "{row}");
}

fn is_expected(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    name.contains("expected") || name.contains("result") || name.contains("output")
}

fn no_device() {
    let place = Place::new();
    let said = place.real("run", &[TINY, &["--device=cuda"]].concat());
    assert_eq!(said.code, Some(1), "{said:?}");
    let row = place.value("SELECT stage, outcome, message LIKE '%UNAVAILABLE%' FROM dispatch_runs");
    assert_eq!(row, "verify,failed,true");
}

/// Compares the line breaks of the printed arguments with those of Python's `textwrap`.
fn textwrap() {
    let place = Place::new();
    let flags = [
        "--operation-kind=conv2d,matmul",
        "--epilogue=none",
        "--types=f16-f32",
        "--conv-h=18",
        "--conv-w=18",
        "--conv-c=16",
        "--conv-f=32",
        "--problem-m=64",
        "--problem-n=64",
        "--problem-k=64",
        "--default-config",
        "--dispatches=config_default",
        "--batch-size=1",
        "--benchmark-repetitions=1",
        "--processes=1",
        "--verification-enabled=false",
        "--verbose",
    ];
    let said = place.real("run", &flags);
    assert_eq!(said.code, Some(0), "{said:?}");
    let arguments = place.sql("SELECT arguments FROM dispatch_runs");
    let program = "import sys, textwrap\nfor line in sys.stdin: print('Arguments     : ' + textwrap.fill(line.strip(), width=80, subsequent_indent=' ' * 16))";
    for line in arguments.lines().skip(1) {
        let mut child = Command::new(BIN.join("python"))
            .args(["-c", program])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        std::io::Write::write_all(&mut child.stdin.take().unwrap(), line.as_bytes()).unwrap();
        let wrapped = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        assert!(said.out.contains(&wrapped), "{wrapped}\nis not in\n{}", said.out);
    }
}

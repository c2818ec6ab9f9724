//! Runs all integration tests, in one binary because linking `DataFusion` is slow.
//!
//! A test is a function in a module of this folder, or a file in tests/sql or tests/cli. `BLESS=1` rewrites the
//! expected output in the files. `IREESCOPE_OFFLINE=1` skips the tests that need the reference tools, and lists them.
//! `tiers.rs` says which tests run when; a name in the arguments runs the tests that have it in their names.
//! `IREESCOPE_BUILT=FOLDER` writes the built bundles to FOLDER. If the binary is run under the name of an IREE tool, it
//! acts as that tool (`tests/support/fake_tool.rs`).
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::too_many_lines,
    reason = "tests panic on unexpected results"
)]

#[path = "../support/mod.rs"]
mod support;

mod att;
mod att_decode;
mod att_disassembly;
mod att_processes;
mod att_render;
mod att_text;
mod bench;
mod bench_again;
mod bench_matrix;
mod bench_rounds;
mod calls;
mod capture;
mod capture_sets;
mod captures_in_trouble;
mod captures_said;
mod changing;
mod circles;
mod cli_files;
#[cfg(feature = "cluster")]
mod cluster;
mod compare;
mod compare_builds;
mod compare_gate;
mod contradictions;
mod corruption;
mod dataset;
mod dataset_batches;
mod definitions;
mod dependencies;
mod differential;
mod doctor;
mod engine;
mod explain;
mod export;
mod failing_files;
mod false_alarms;
mod fields;
#[cfg(feature = "servers")]
mod flight;
mod fuzz;
mod gaps_of_sets;
mod growth;
mod hints;
mod history;
mod interrupted;
mod invocations;
mod limits;
#[cfg(feature = "servers")]
mod mcp;
mod memcheck;
mod memory_limit;
mod missing_parts;
mod mixed_sets;
mod objects;
mod operations;
mod other_engines;
mod planning;
mod profile;
mod queries;
mod race;
mod reader;
mod reading_back;
mod real_captures;
mod remote_histories;
mod remote_outputs;
mod render;
mod render_gpu;
mod render_several;
mod report;
#[cfg(feature = "servers")]
mod servers;
mod spec;
mod sql_files;
mod sql_ways;
mod statistics;
mod tidy;
mod tiers;
mod tune;
mod tune_again;
mod tune_folder;
mod tune_said;
mod tuning;
mod uneven_clocks;
mod unlike;

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use libtest_mimic::{Arguments, Conclusion, Trial};

use self::support::day;

/// The name and the function of a test.
pub type Test = (&'static str, fn());

/// How many tests that wait run side by side.
const WAITING_THREADS: usize = 6;

/// How long the tests took that passed.
static TIMES: Mutex<Vec<(String, Duration)>> = Mutex::new(Vec::new());

/// The tests that are skipped, and why.
static SKIPPED: Mutex<BTreeMap<String, String>> = Mutex::new(BTreeMap::new());

fn main() {
    if support::fake_tool::is_called() {
        support::fake_tool::main();
    }
    if growth::is_command() {
        return;
    }
    let arguments = Arguments::from_args();
    if let Some(folder) = std::env::var_os("IREESCOPE_BUILT").map(std::path::PathBuf::from) {
        for name in support::built::ALL {
            let path = folder.join(name).with_extension("ireeprof");
            std::fs::write(path, support::built::named(name)).expect("the folder is there");
        }
    }
    let mut trials = Vec::new();
    for (module, tests) in [
        ("att", att::TESTS),
        ("att_decode", att_decode::TESTS),
        ("att_processes", att_processes::TESTS),
        ("att_render", att_render::TESTS),
        ("att_text", att_text::TESTS),
        ("bench", bench::TESTS),
        ("bench_again", bench_again::TESTS),
        ("bench_matrix", bench_matrix::TESTS),
        ("bench_rounds", bench_rounds::TESTS),
        ("calls", calls::TESTS),
        ("capture", capture::TESTS),
        ("capture_sets", capture_sets::TESTS),
        ("captures_in_trouble", captures_in_trouble::TESTS),
        ("captures_said", captures_said::TESTS),
        ("changing", changing::TESTS),
        ("circles", circles::TESTS),
        #[cfg(feature = "cluster")]
        ("cluster", cluster::TESTS),
        ("compare", compare::TESTS),
        ("compare_gate", compare_gate::TESTS),
        ("uneven_clocks", uneven_clocks::TESTS),
        ("unlike", unlike::TESTS),
        ("contradictions", contradictions::TESTS),
        ("corruption", corruption::TESTS),
        ("dataset", dataset::TESTS),
        ("dataset_batches", dataset_batches::TESTS),
        ("definitions", definitions::TESTS),
        ("dependencies", dependencies::TESTS),
        ("doctor", doctor::TESTS),
        ("engine", engine::TESTS),
        ("export", export::TESTS),
        ("failing_files", failing_files::TESTS),
        ("false_alarms", false_alarms::TESTS),
        ("fields", fields::TESTS),
        ("gaps_of_sets", gaps_of_sets::TESTS),
        ("explain", explain::TESTS),
        ("hints", hints::TESTS),
        ("history", history::TESTS),
        ("interrupted", interrupted::TESTS),
        ("invocations", invocations::TESTS),
        ("limits", limits::TESTS),
        ("memory_limit", memory_limit::TESTS),
        ("missing_parts", missing_parts::TESTS),
        ("mixed_sets", mixed_sets::TESTS),
        ("operations", operations::TESTS),
        ("planning", planning::TESTS),
        ("queries", queries::TESTS),
        ("race", race::TESTS),
        ("reader", reader::TESTS),
        ("reading_back", reading_back::TESTS),
        ("render", render::TESTS),
        ("render_gpu", render_gpu::TESTS),
        ("render_several", render_several::TESTS),
        ("report", report::TESTS),
        ("spec", spec::TESTS),
        ("sql_ways", sql_ways::TESTS),
        ("tidy", tidy::TESTS),
        ("tune_folder", tune_folder::TESTS),
    ] {
        trials.extend(tests.iter().map(|(name, test)| trial(format!("{module}::{name}"), *test)));
    }
    trials.extend(sql_files::trials());
    trials.extend(cli_files::trials());
    trials.extend(profile::goldens());
    trials.extend(growth::trials());
    trials.extend(fuzz::trials());
    trials.extend(memcheck::trials());
    let mut against_tools = differential::trials();
    against_tools.extend(att_disassembly::trials());
    against_tools.extend(bench::trials());
    against_tools.extend(calls::trials());
    #[cfg(feature = "cluster")]
    against_tools.extend(cluster::trials());
    against_tools.extend(compare::trials());
    against_tools.extend(compare_builds::trials());
    #[cfg(feature = "servers")]
    against_tools.extend(mcp::trials());
    against_tools.extend(unlike::trials());
    against_tools.extend(contradictions::trials());
    against_tools.extend(bench_matrix::trials());
    against_tools.extend(bench_rounds::trials());
    against_tools.extend(missing_parts::trials());
    against_tools.extend(real_captures::trials());
    against_tools.extend(objects::trials());
    against_tools.extend(remote_histories::trials());
    against_tools.extend(remote_outputs::trials());
    against_tools.extend(operations::trials());
    against_tools.extend(other_engines::trials());
    against_tools.extend(profile::trials());
    against_tools.extend(dataset::trials());
    against_tools.extend(dataset_batches::trials());
    against_tools.extend(doctor::trials());
    against_tools.extend(export::trials());
    against_tools.extend(history::trials());
    #[cfg(feature = "servers")]
    against_tools.extend(flight::trials());
    against_tools.extend(fuzz::against_tools());
    against_tools.extend(growth::against_tools());
    against_tools.extend(render::trials());
    against_tools.extend(render_gpu::trials());
    #[cfg(feature = "servers")]
    against_tools.extend(servers::trials());
    against_tools.extend(spec::trials());
    against_tools.extend(sql_ways::trials());
    against_tools.extend(statistics::trials());
    against_tools.extend(tune::trials());
    against_tools.extend(tune_again::trials());
    against_tools.extend(tune_said::trials());
    against_tools.extend(tuning::trials());
    if std::env::var_os("IREESCOPE_OFFLINE").is_some() {
        let offline = Some("IREESCOPE_OFFLINE is set");
        against_tools = against_tools.into_iter().map(|it| skipped_if(offline, it)).collect();
    }
    trials.extend(against_tools);
    run(arguments, trials).exit();
}

/// Runs the tests that wait, side by side, then those that compute.
fn run(mut arguments: Arguments, mut trials: Vec<Trial>) -> Conclusion {
    // With names or as lists, everything is there.
    if let Some(name) = &arguments.filter {
        let is_one = trials.iter().any(|trial| trial.name().contains(name));
        assert!(is_one, "no test has {name} in its name");
    } else if !arguments.list {
        trials.retain(|trial| tiers::is_run(trial.name()));
        for (name, reason) in SKIPPED.lock().unwrap().iter() {
            if trials.iter().any(|trial| trial.name() == name) {
                println!("skipped: {name}: {reason}");
            }
        }
    }
    println!("cases are chosen by the seed {} (IREESCOPE_SEED)", day::seed());
    let (waiting, computing) =
        trials.into_iter().partition(|trial| tiers::is_waiting(trial.name()));
    let threads = arguments.test_threads;
    arguments.test_threads = threads.or(Some(WAITING_THREADS));
    let mut conclusion = libtest_mimic::run(&arguments, waiting);
    arguments.test_threads = threads;
    let computed = libtest_mimic::run(&arguments, computing);
    conclusion.num_failed += computed.num_failed;
    print_times();
    conclusion
}

/// The module of a test.
fn module(name: &str) -> &str {
    name.split("::").next().unwrap_or(name)
}

fn timed(name: String, took: Duration) {
    TIMES.lock().unwrap().push((name, took));
}

/// Prints how long the tests of each module took, and their number, and the tests that took longest. tests/run repeats these
/// lines.
fn print_times() {
    let times = TIMES.lock().unwrap();
    let mut modules: BTreeMap<&str, (f64, usize)> = BTreeMap::new();
    for (name, took) in times.iter() {
        let (sum, count) = modules.entry(module(name)).or_default();
        *sum += took.as_secs_f64();
        *count += 1;
    }
    for (module, (seconds, count)) in modules {
        println!("suite: {seconds:7.1} s {count:4} of {module}");
    }
    let mut slowest: Vec<(f64, &str)> =
        times.iter().map(|(name, took)| (took.as_secs_f64(), name.as_str())).collect();
    slowest.sort_by(|one, other| other.0.total_cmp(&one.0));
    for (seconds, name) in slowest.iter().take(15).take_while(|(seconds, _)| *seconds >= 1.0) {
        println!("slowest: {seconds:6.1} s  {name}");
    }
}

/// Creates a trial, which fails if `test` panics.
pub fn trial(name: String, test: impl FnOnce() + Send + 'static) -> Trial {
    Trial::test(name.clone(), move || {
        let begun = Instant::now();
        test();
        timed(name, begun.elapsed());
        Ok(())
    })
}

/// Skips a test if there is a reason to, which is printed. tests/run counts these lines.
pub fn skipped_if(reason: Option<&str>, test: Trial) -> Trial {
    if let (Some(reason), Ok(mut skipped)) = (reason, SKIPPED.lock()) {
        skipped.insert(test.name().to_owned(), reason.to_owned());
    }
    test.with_ignored_flag(reason.is_some())
}

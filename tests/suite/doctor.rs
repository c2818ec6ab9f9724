//! Tests `doctor` and `gaps`: every finding has evidence, damage is a finding instead of a failure, results for several
//! bundles equal those for each alone, and IREE's drivers record the declared modes.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Output};

use ireescope::bundle::Bundle;
use ireescope::engine::Engine;
use ireescope::record::set_damage_aside;
use libtest_mimic::Trial;

use super::differential::TOOLS;
use crate::Test;
use crate::support::ask::{captures, cell, csv, engine_over, file, open, root, rows};
use crate::support::built;
use crate::support::models;
use crate::support::random::Random;
use crate::trial;

pub const TESTS: &[Test] = &[
    ("every_kind_of_finding_is_shown_with_evidence", evidence),
    ("a_bundle_of_nothing_but_its_header_is_an_error", header_alone),
    ("damaged_chunks_are_left_out_and_said", left_out),
    ("damage_is_a_finding_and_never_a_failure", shaken),
    ("many_bundles_are_answered_as_each_by_itself", many),
    ("commands_survive_any_path", paths),
];

/// The tests that need the reference tools.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("doctor::drivers_record_what_is_declared".into(), drivers),
        trial("doctor::the_command_of_a_gap_closes_it".into(), closed),
    ]
}

/// Opens a bundle as `doctor` and `gaps` do: with damaged chunks set aside.
fn salvaged(path: &Path, label: &str) -> Bundle {
    let mut bundle = open(path, label).expect("it opens");
    set_damage_aside(&mut bundle, 2);
    bundle
}

/// Opens all captures and built bundles.
fn every_bundle() -> Vec<Bundle> {
    let name = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let mut bundles: Vec<Bundle> =
        captures().iter().map(|path| salvaged(path, &name(path))).collect();
    bundles.extend(built::ALL.iter().map(|name| salvaged(file(&built::named(name)).path(), name)));
    bundles
}

fn ask(engine: &Engine, query: &str) -> Vec<String> {
    let answer = csv(engine, query).unwrap_or_else(|error| panic!("{query}: {error}"));
    answer.lines().skip(1).map(str::to_owned).collect()
}

const KINDS: &[&str] = &[
    "answers",
    "cut_record",
    "damaged_chunk",
    "early_end",
    "early_submissions",
    "excessive_tiles",
    "failed_session",
    "invalid_events",
    "lost_records",
    "missing_dispatches",
    "missing_metadata",
    "no_clock",
    "no_dispatches",
    "no_events",
    "no_work",
    "not_recorded",
    "open_session",
    "outlasting_dispatches",
    "recorded",
    "repeated_ids",
    "shifted_clock",
    "unaligned_clock",
    "uncovered_events",
    "uneven_clock",
    "unfinished",
    "unfitted_clock",
    "unknown_chunk",
    "unknown_record",
    "unordered_dispatches",
    "unrecorded_releases",
];

/// Findings whose evidence query returns no rows.
const ABSENCE: &[&str] = &["no_clock", "no_events"];

fn evidence() {
    let mut kinds = BTreeSet::new();
    for bundle in every_bundle() {
        let label = bundle.label.clone();
        let engine = engine_over(vec![bundle], None);
        for kind in ask(&engine, "SELECT DISTINCT finding FROM doctor") {
            kinds.insert(kind);
        }
        for row in ask(
            &engine,
            "SELECT concat(finding, '|', evidence) FROM doctor WHERE evidence IS NOT NULL",
        ) {
            let row = row.trim_matches('"').replace("\"\"", "\"");
            let (finding, query) = row.split_once('|').unwrap();
            let shown = rows(&engine, query).len();
            assert!(shown > 0 || ABSENCE.contains(&finding), "{label}: {query} shows {finding}");
        }
    }
    let known: BTreeSet<String> = KINDS.iter().map(|kind| (*kind).to_owned()).collect();
    assert_eq!(kinds, known, "the bundles of the tests show every finding");
}

fn ours(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    command.args(arguments).current_dir(root()).output().unwrap()
}

/// Checks a bundle with only a file header, which a tool leaves if the driver refuses the modes.
fn header_alone() {
    let bytes = crate::support::builder::Bundle::new().unfinished();
    assert_eq!(bytes.len(), 24);
    let file = file(&bytes);
    let path = file.path().to_str().unwrap();
    let output = ours(&["doctor", "--format=jsonl", path]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("\"severity\":\"error\",\"finding\":\"empty_bundle\""), "{said}");
    assert!(!said.contains("unfinished"), "one error is enough: {said}");
    let output = ours(&["gaps", "--check", "--for=kernel-time", path]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("there are no sessions"), "{said}");
}

fn left_out() {
    let mut bytes = built::named("lossy");
    let sound = engine_over(vec![salvaged(file(&bytes).path(), "b")], None);
    let at: usize = cell(&sound, "SELECT byte_offset FROM dispatch_events").parse().unwrap();
    bytes[at] ^= 0xff;
    let file = file(&bytes);
    let engine = engine_over(vec![open(file.path(), "b").unwrap()], None);
    assert!(csv(&engine, "SELECT * FROM doctor").is_err(), "damage fails whoever reads it");
    let engine = engine_over(vec![salvaged(file.path(), "b")], None);
    assert_eq!(cell(&engine, "SELECT count(*) FROM dispatch_events"), "0");
    assert_eq!(cell(&engine, "SELECT count(*) FROM executable_functions"), "1");
    let found = cell(&engine, "SELECT severity, what FROM doctor WHERE finding = 'damaged_chunk'");
    assert!(found.starts_with("error,"), "{found}");
    assert!(found.contains(&format!("at byte {at} (0x{at:x})")), "{found}");
    let said = cell(&engine, "SELECT answerable FROM gaps WHERE question = 'kernel-time'");
    assert_eq!(said, "no", "what was left out answers nothing");
}

fn shaken() {
    let rounds: u64 =
        std::env::var("IREESCOPE_SHAKE").ok().and_then(|text| text.parse().ok()).unwrap_or(80);
    for seed in 0..rounds {
        let mut random = Random(seed);
        let name = built::ALL[random.below(built::ALL.len())];
        let mut bytes = built::named(name);
        for _ in 0..=random.below(4) {
            let at = random.below(bytes.len());
            bytes[at] = random.next() as u8;
        }
        let file = file(&bytes);
        let Ok(mut bundle) = open(file.path(), "b") else { continue };
        set_damage_aside(&mut bundle, 2);
        let engine = engine_over(vec![bundle], None);
        for report in ["doctor", "gap"] {
            let answer = csv(&engine, &format!("SELECT * FROM report.{report}"));
            assert!(answer.is_ok(), "{name} shaken with seed {seed}: {report}: {answer:?}");
        }
    }
}

fn many() {
    for relation in ["doctor", "gaps", "recorded_modes", "missing_metadata"] {
        let query = format!("SELECT * FROM {relation}");
        let together = engine_over(every_bundle(), Some(4));
        let mut together = ask(&together, &query);
        let mut apart: Vec<String> = every_bundle()
            .into_iter()
            .flat_map(|bundle| ask(&engine_over(vec![bundle], None), &query))
            .collect();
        // The paths of temporary files differ.
        let plain = |row: &mut String| {
            if relation == "gaps" {
                *row = row.split("ireescope ").next().unwrap().to_owned();
            }
        };
        together.iter_mut().for_each(plain);
        apart.iter_mut().for_each(plain);
        together.sort();
        apart.sort();
        assert!(!together.is_empty());
        assert_eq!(together, apart, "{relation}");
    }
}

/// Checks that printed commands are quoted for a shell.
fn paths() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("it's a $HOME `file`.ireeprof");
    std::fs::copy(root().join("tests/data/queue-only.ireeprof"), &path).unwrap();
    let engine = engine_over(vec![salvaged(&path, "b")], None);
    let fill = cell(&engine, "SELECT fill FROM gaps WHERE question = 'kernel-time'");
    // Undoes the quoting of CSV.
    let fill = fill.trim_matches('"').replace("\"\"", "\"");
    let words = fill.strip_suffix(" -- TOOL ARGS…").unwrap();
    let echoed =
        Command::new("bash").args(["-c", &format!("printf '%s\\n' {words}")]).output().unwrap();
    let echoed = String::from_utf8(echoed.stdout).unwrap();
    let words: Vec<&str> = echoed.lines().collect();
    assert_eq!(words, ["ireescope", "fill", path.to_str().unwrap(), "--for", "kernel-time"]);
}

/// Compiles a module for CPUs into `folder`, and returns its path.
fn module(folder: &Path) -> String {
    let module = folder.join("matmul.vmfb");
    models::compile("matmul", models::flags("local-task"), &module);
    module.to_str().unwrap().to_owned()
}

/// Runs the module with profiling flags. Returns true if the tool succeeds.
fn run_tool(module: &str, device: &str, flags: &[&str]) -> bool {
    let output = Command::new(TOOLS.join("iree-benchmark-module"))
        .args([&format!("--device={device}"), &format!("--module={module}")])
        .args(["--function=main", "--input=256x512xf32=1", "--input=512x128xf32=2"])
        .arg("--benchmark_min_time=1x")
        .args(flags)
        .output()
        .unwrap();
    output.status.success()
}

fn drivers() {
    let folder = tempfile::tempdir().unwrap();
    let module = module(folder.path());
    let bundle = folder.path().join("b.ireeprof");
    // Software Vulkan is not available on every machine; its declaration is from the captures of tests/data/capture.sh.
    for driver in schemas::drivers::DRIVERS.iter().filter(|known| known.name.starts_with("local")) {
        for mode in schemas::questions::MODES {
            let mut flags = vec![
                format!("--device_profiling_mode={}", mode.name),
                format!("--device_profiling_output={}", bundle.display()),
            ];
            let more = schemas::drivers::flags_of_mode(mode.name);
            flags.extend(Some(more.to_owned()).filter(|more| !more.is_empty()));
            let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
            let content = run_tool(&module, driver.name, &flags);
            let engine = engine_over(vec![salvaged(&bundle, "b")], None);
            let rows = cell(
                &engine,
                &format!("SELECT row_count FROM recorded_modes WHERE mode = '{}'", mode.name),
            );
            assert_eq!(
                rows != "0",
                !driver.never_records.contains(&mode.name),
                "{} records {rows} of {}",
                driver.name,
                mode.name
            );
            if !content {
                let finding =
                    ask(&engine, "SELECT finding FROM doctor WHERE severity = 'error'").join(",");
                assert_eq!(finding, "empty_bundle", "{} refuses {}", driver.name, mode.name);
            }
        }
    }
}

/// Runs the commands that `gaps` prints for a capture with queue events only, and checks that they close each gap.
fn closed() {
    let folder = tempfile::tempdir().unwrap();
    let module = module(folder.path());
    let engine = engine_over(vec![salvaged(&captures_named("queue-only"), "b")], None);
    let gaps = rows(
        &engine,
        "SELECT question, replace(capture, ',', ';') FROM gaps WHERE fill IS NOT NULL",
    );
    assert!(gaps.len() >= 6, "{gaps:?}");
    for gap in gaps {
        let [question, capture] = gap.as_slice() else { panic!("{gap:?}") };
        let flags = capture.replace(';', ",");
        let flags: Vec<&str> = flags.strip_prefix("TOOL ARGS… ").unwrap().split(' ').collect();
        let output = folder.path().join(format!("{question}.ireeprof"));
        let [mode, _] = flags.as_slice() else { panic!("{flags:?}") };
        let target = format!("--device_profiling_output={}", output.display());
        assert!(run_tool(&module, "local-task", &[mode, &target]), "{flags:?}");
        let engine = engine_over(vec![salvaged(&output, "b")], None);
        let query = format!("SELECT answerable, clock FROM gaps WHERE question = '{question}'");
        let answer = cell(&engine, &query);
        let clock = if question == "kernel-code" { "none" } else { "host" };
        // The host frees results without an event.
        let answerable = if question == "memory" { "partly" } else { "yes" };
        assert_eq!(answer, format!("{answerable},{clock}"), "{question}");
    }
}

fn captures_named(name: &str) -> std::path::PathBuf {
    root().join(format!("tests/data/{name}.ireeprof"))
}

//! Tests that `tune` goes on: with what only compiled, with what took too long, and with the options that a folder keeps.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use libtest_mimic::Trial;

use super::capture::{Said, is_alive, said};
use super::tune::{Place, RUN};
use crate::trial;

/// All of them need the real tools.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("tune::what_was_only_compiled_is_measured_later".into(), later),
        trial("tune::options_are_kept".into(), kept),
        trial("tune::other_inputs_are_another_run".into(), inputs),
        trial("tune::the_budget_is_the_time_of_the_whole_command".into(), budget),
        trial("tune::a_compiler_that_hangs_refuses_a_candidate".into(), hanging),
        trial("tune::a_kill_ends_the_tool_too".into(), killed),
    ]
}

/// Goes on with the folder of the model.
fn resumed(place: &Place, words: &[&str]) -> Said {
    let mut resume = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    resume.current_dir(place.folder.path()).args(["tune", "--resume", "model.tune"]);
    said(&resume.arg("--iree-bin-dir=bin").args(words).output().unwrap())
}

fn later() {
    let place = Place::new();
    let ran = place.tune(&["--compile-only", "--candidates=5"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(!place.path("model.tune/captures").exists());
    let compiled = place.rows(
        "SELECT DISTINCT configuration FROM tune_trials WHERE outcome = 'compiled' ORDER BY 1",
    );
    assert!(!compiled.is_empty());
    // Where the device is, those are measured first, and are not compiled again.
    let ran = resumed(&place, &["--device=local-sync"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    let command = place.rows("SELECT command FROM tune_runs WHERE run = 1");
    assert!(command[0].ends_with("--device=local-sync"), "{command:?}");
    let measured = place.rows(
        "SELECT DISTINCT configuration FROM tune_trials WHERE run = 1 AND round = 1 AND stage = 'search' AND dispatch IS NOT NULL AND candidate > 0 ORDER BY 1",
    );
    assert_eq!(measured, compiled);
    let taken = place.count(
        "tune_candidates a JOIN tune_candidates b ON a.spec_sha256 = b.spec_sha256 AND a.compile_ns = b.compile_ns WHERE a.run = 0 AND b.run = 1",
    );
    assert_eq!(taken, compiled.len());
}

fn kept() {
    let place = Place::new();
    let values = r#"{"*conv*": {"vector_common_parallel": ["[1, 4, 4, 0, 0]"]}}"#;
    std::fs::write(place.path("space.json"), values).unwrap();
    let ran = place.tune(&["--space=space.json", "--candidates=2"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    let (captures, trials) = (place.captures(), place.count("tune_trials"));
    // The same options measure nothing.
    let same = resumed(&place, &[]);
    assert_eq!((same.code, &same.out), (ran.code, &ran.out), "{same:?}");
    assert!(same.err.contains(", 2 configurations"), "{}", same.err);
    assert_eq!((place.captures(), place.count("tune_trials")), (captures, trials));
    let kept = place.rows("SELECT options FROM tune_runs");
    assert!(kept[0].contains("candidates\"\":2,"), "{kept:?}");
    // What no dispatch matches is refused, and is not kept.
    let none = resumed(&place, &["--candidates=4", "--dispatch=*softmax*"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.err.contains("No dispatch matches --dispatch=*softmax*"), "{}", none.err);
    assert_eq!(place.rows("SELECT options FROM tune_runs"), kept);
    // Those that are given replace theirs, and the others stay.
    let more = resumed(&place, &["--candidates=4", "--dispatch=*conv*"]);
    assert!(matches!(more.code, Some(0 | 1)), "{more:?}");
    let kept = place.rows("SELECT options FROM tune_runs");
    assert!(kept[0].contains("candidates\"\":4,") && kept[0].contains("space.json"), "{kept:?}");
    assert!(kept[0].contains("*conv*"), "{kept:?}");
}

fn inputs() {
    let place = Place::new();
    let run = RUN.iter().map(|it| match *it {
        "--input=64x64x5xf32" => "--input=64x64x5xf32=@filter.bin",
        other => other,
    });
    let run: Vec<&str> = run.collect();
    let plan = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command.current_dir(place.folder.path()).args(["tune", "model.mlir", "--dry-run"]);
        said(&command.arg("--iree-bin-dir=bin").args(&run).output().unwrap())
    };
    let missing = plan();
    assert_eq!(missing.code, Some(3), "{missing:?}");
    assert!(missing.err.contains("cannot read filter.bin"), "{}", missing.err);
    let mut counts = Vec::new();
    for byte in [0, 0, 1] {
        std::fs::write(place.path("filter.bin"), vec![byte; 64 * 64 * 5 * 4]).unwrap();
        let planned = plan();
        assert_eq!(planned.code, Some(0), "{planned:?}");
        counts.push((place.count("tune_runs"), place.captures()));
    }
    assert_eq!(counts, [(1, 2), (1, 2), (2, 4)]);
}

fn budget() {
    let place = Place::new();
    let short = place.tune(&["--budget=1s"]);
    assert_eq!(short.code, Some(2), "{short:?}");
    let refused =
        "--budget=1 s is too short to try and prove anything, as a run of the model takes ";
    assert!(short.err.contains(refused), "{}", short.err);
    assert!(!place.path("model.tune").exists(), "{}", short.err);
    let begun = Instant::now();
    let ran = place.tune(&["--budget=1m"]);
    let took = begun.elapsed();
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    assert!(ran.err.contains("of the 1 min 0 s of --budget, the search has "), "{}", ran.err);
    // A run and a compilation are not interrupted.
    assert!(took < Duration::from_secs(75), "{took:?}: {}", ran.err);
    assert!(place.count("tune_trials") > 0);
}

fn hanging() {
    let place = Place::new();
    // The compiler hangs on the third module with a spec.
    let script = "case \"$SPEC$TO\" in *candidate*vmfb) echo >> calls; if [ -n \"$SPEC\" ] && [ $(wc -l < calls) -ge 3 ] && mkdir hung 2>/dev/null; then exec sleep 600; fi ;; esac\nexec $REAL \"$@\"";
    place.play("iree-compile", script);
    let ran = place.tune(&["--compile-timeout=15s"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    let refused = place.rows("SELECT reason FROM tune_candidates WHERE NOT is_compiled");
    assert!(
        refused.iter().any(|it| it.contains("iree-compile timed out after 15 s")),
        "{refused:?}"
    );
    assert!(place.count("tune_trials WHERE outcome = 'not_compiled'") > 0);
    // It is not tried again, unless it may take longer.
    let captures = place.captures();
    let again = place.tune(&["--compile-timeout=15s"]);
    assert_eq!((again.code, place.captures()), (ran.code, captures), "{again:?}");
    let more = place.tune(&["--compile-timeout=60s"]);
    assert!(matches!(more.code, Some(0 | 1)), "{more:?}");
    let compiled = "tune_candidates a JOIN tune_candidates b ON a.spec_sha256 = b.spec_sha256 WHERE a.is_timed_out AND b.is_compiled";
    assert_eq!(place.count(compiled), 1, "{more:?}");
}

fn killed() {
    let place = Place::new();
    place.play("iree-benchmark-module", "echo $$ > begun; mv begun tool.pid; exec sleep 600");
    let mut child = place.command(&[]).stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
    let limit = Instant::now() + Duration::from_mins(1);
    let wait = |is_done: &dyn Fn() -> bool| {
        while !is_done() {
            assert!(Instant::now() < limit);
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    wait(&|| place.path("tool.pid").exists());
    child.kill().unwrap();
    child.wait().unwrap();
    let tool = std::fs::read_to_string(place.path("tool.pid")).unwrap();
    // Until the tool has ended, the folder is locked. Then the same command goes on.
    let folder = std::fs::File::open(place.path("model.tune")).unwrap();
    wait(&|| folder.try_lock().is_ok());
    assert!(!is_alive(tool.trim()), "process {tool} is left");
    folder.unlock().unwrap();
    let ran = place.tune(&["--compile-only", "--candidates=2"]);
    assert_eq!(ran.code, Some(0), "{ran:?}");
}

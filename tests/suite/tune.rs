//! Tests `tune` with the real tools, and with scripts around them that play trouble.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use libtest_mimic::Trial;
use tempfile::TempDir;

use super::capture::{Said, said};
use super::differential::BIN;
use super::failing_files::LIBRARY;
use crate::support::ask::root;
use crate::trial;

/// All of them need the real tools.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("tune::a_slow_convolution_is_tuned_and_proven".into(), tuned),
        trial("tune::other_targets_are_tuned_or_left_alone".into(), vulkan),
        trial("tune::the_time_of_a_profile_chooses".into(), profiled),
        trial("tune::values_that_are_given_are_tried".into(), given),
        trial("tune::candidates_for_other_machines_are_compiled".into(), compiled),
        trial("tune::wrong_results_never_win".into(), wrong),
        trial("tune::results_that_change_from_run_to_run_never_win".into(), racy),
        trial("tune::results_that_cannot_be_compared_are_an_error".into(), incomparable),
        trial("tune::a_spec_that_is_never_applied_is_named".into(), never),
        trial("tune::a_lost_device_ends_the_run_which_goes_on_later".into(), lost),
        trial("tune::a_full_disk_is_named_and_nothing_is_lost".into(), full),
        trial("tune::two_tuners_in_one_folder_are_one_too_many".into(), locked),
        trial("tune::wrong_words_are_told".into(), words),
    ]
}

/// A convolution of rows of 124 elements with batches of any size, for which the compiler chooses badly.
const CONVOLUTION: &str = "\
func.func @main(%image: tensor<?x64x128xf32>, %filter: tensor<64x64x5xf32>) -> tensor<?x64x124xf32> {
  %first = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %batch = tensor.dim %image, %first : tensor<?x64x128xf32>
  %empty = tensor.empty(%batch) : tensor<?x64x124xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<?x64x124xf32>) -> tensor<?x64x124xf32>
  %result = linalg.conv_1d_ncw_fcw ins(%image, %filter : tensor<?x64x128xf32>, tensor<64x64x5xf32>) outs(%fill : tensor<?x64x124xf32>) -> tensor<?x64x124xf32>
  return %result : tensor<?x64x124xf32>
}
";

pub const RUN: &[&str] = &[
    "--",
    "iree-benchmark-module",
    "--device=local-task",
    "--function=main",
    "--input=4x64x128xf32",
    "--input=64x64x5xf32",
    "--benchmark_min_time=5x",
];

/// A temporary folder with a model, and tools that can be played.
pub struct Place {
    pub folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::write(place.path("model.mlir"), CONVOLUTION).unwrap();
        std::fs::create_dir(place.path("bin")).unwrap();
        for tool in ["iree-compile", "iree-run-module", "iree-benchmark-module"] {
            place.play(tool, "exec $REAL \"$@\"");
        }
        place
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Lets a script play a tool. `$REAL` is the tool, `$SPEC`, `$MODULE` and `$TO` are the values of its flags.
    pub fn play(&self, tool: &str, script: &str) {
        let real = BIN.join(tool);
        let text = format!(
            "#!/bin/sh\nREAL='{}'\nfor word; do case \"$word\" in\n  --iree-codegen-tuning-spec-path=*) SPEC=${{word#*=}} ;;\n  --module=*) MODULE=${{word#*=}} ;;\n  -o=*) TO=${{word#*=}} ;;\nesac; done\n{script}\n",
            real.display()
        );
        let path = self.path("bin").join(tool);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Marks modules that are compiled with a spec: `MODULE.spec` is there.
    fn mark_modules(&self) {
        let script = "$REAL \"$@\" || exit\nif [ -n \"$SPEC\" ]; then touch \"$TO.spec\"; fi";
        self.play("iree-compile", script);
    }

    /// Writes a space of values that are many times as fast.
    fn give_fast_values(&self) {
        let values = r#"{"*": {"distribution": ["[1, 16, 4, 0, 0]"], "vector_common_parallel": ["[1, 16, 4, 0, 0]", "[1, 8, 4, 0, 0]"], "vector_reduction": ["[0, 0, 0, 4, 1]"]}}"#;
        std::fs::write(self.path("space.json"), values).unwrap();
    }

    pub fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command.current_dir(self.folder.path()).arg("tune").arg("model.mlir");
        command.arg("--iree-bin-dir=bin").args(words);
        if !words.iter().any(|word| word.starts_with("--candidates")) {
            command.arg("--candidates=11");
        }
        command.args(RUN);
        command
    }

    pub fn tune(&self, words: &[&str]) -> Said {
        said(&self.command(words).output().unwrap())
    }

    /// Returns the lines of a query over a table, without the header.
    pub fn rows(&self, query: &str) -> Vec<String> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command.current_dir(self.folder.path()).args(["sql", "--format=csv", "-c", query]);
        let ran = said(&command.arg("model.tune").output().unwrap());
        assert_eq!(ran.code, Some(0), "{ran:?}");
        ran.out.lines().skip(1).map(str::to_owned).collect()
    }

    pub fn count(&self, query: &str) -> usize {
        self.rows(&format!("SELECT count(*) FROM {query}"))[0].parse().unwrap()
    }

    /// Returns the number of captured runs.
    pub fn captures(&self) -> usize {
        let files = std::fs::read_dir(self.path("model.tune/captures")).unwrap();
        let names = files.map(|file| file.unwrap().file_name().into_string().unwrap());
        names.filter(|name| name.ends_with(".ireeprof")).count()
    }
}

fn tuned() {
    let place = Place::new();
    let words = ["--candidates=33"];
    let ran = place.tune(&words);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.starts_with("The tuned model takes "), "{}", ran.out);
    let ratio: f64 =
        place.rows("SELECT time_ratio FROM tune_runs WHERE state = 'faster'")[0].parse().unwrap();
    assert!(ratio < 1.0 / 1.5, "{ran:?}");
    let report = std::fs::read_to_string(place.path("model.tune/report.md")).unwrap();
    assert!(report.contains(ran.out.trim()), "{report}");
    // The spec is one that `spec verify` and the compiler take.
    let mut verify = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    verify.current_dir(place.folder.path());
    let verified = said(
        &verify
            .args(["spec", "verify", "model.tune/tuned.mlir", "model.mlir", "--iree-bin-dir"])
            .arg(&*BIN)
            .output()
            .unwrap(),
    );
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let spec = std::fs::read(place.path("model.tune/tuned.mlir")).unwrap();
    // Trials join with the profiles of their captures.
    let measured = place.count("tune_trials WHERE dispatch IS NOT NULL AND time_ns IS NOT NULL");
    let joined = "tune_trials t JOIN dispatches d ON d.bundle = t.bundle AND d.key = t.dispatch";
    let joined = place.rows(&format!("SELECT count(DISTINCT trial) FROM {joined}"));
    assert_eq!(joined, [measured.to_string()]);
    // The best is measured again before it is believed.
    let again = "SELECT count(*) AS n FROM tune_trials WHERE stage = 'search' AND outcome = 'measured' AND candidate > 0 AND dispatch IS NULL GROUP BY candidate";
    let most = place.rows(&format!("SELECT max(n) FROM ({again})"));
    assert!(most[0].parse::<u32>().unwrap() > 1, "{most:?}");
    // A second run measures nothing, and gives the same.
    let captures = place.captures();
    let trials = place.count("tune_trials");
    std::fs::remove_file(place.path("model.tune/tuned.mlir")).unwrap();
    let again = place.tune(&words);
    assert_eq!((again.code, &again.out), (Some(0), &ran.out), "{again:?}");
    assert_eq!((place.captures(), place.count("tune_trials")), (captures, trials));
    assert_eq!(std::fs::read(place.path("model.tune/tuned.mlir")).unwrap(), spec);
    // Another seed begins from what is known.
    let other = place.tune(&["--seed=2", "--candidates=11"]);
    assert!(matches!(other.code, Some(0 | 1)), "{other:?}");
    assert!(other.err.contains("round 1, ") && !other.err.contains("round 3, "), "{}", other.err);
    assert_eq!(place.count("tune_runs"), 2);
    // Another model with the same operation begins with what is known.
    let model = CONVOLUTION.replace("@main", "@other");
    std::fs::write(place.path("other.mlir"), model).unwrap();
    let run: Vec<&str> = RUN
        .iter()
        .map(|it| if *it == "--function=main" { "--function=other" } else { it })
        .collect();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    command.current_dir(place.folder.path()).args(["tune", "other.mlir", "-o", "model.tune"]);
    let ran =
        said(&command.args(["--iree-bin-dir=bin", "--candidates=0"]).args(run).output().unwrap());
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    let known = "tune_trials WHERE run = 2 AND stage = 'final' AND dispatch LIKE 'other%' AND configuration IN (SELECT configuration FROM tune_trials WHERE run < 2)";
    assert!(place.count(known) > 2, "{ran:?}");
    assert_eq!(place.count("tune_trials WHERE run = 2 AND stage = 'search'"), 0);
}

/// A small matmul of f32.
fn square() -> String {
    let sizes = ["512", "1024", "768"];
    sizes.iter().fold(MATMUL.replace("f16", "f32"), |text, size| text.replace(size, "64"))
}

const SQUARE_RUN: [&str; 7] = [
    "--",
    "iree-benchmark-module",
    "--device=local-task",
    "--function=main",
    "--input=64x64xf32",
    "--input=64x64xf32",
    "--benchmark_min_time=3x",
];

fn vulkan() {
    let place = Place::new();
    std::fs::write(place.path("model.mlir"), square()).unwrap();
    let words = [
        "tune",
        "model.mlir",
        "--iree-bin-dir=bin",
        "-C=--iree-hal-target-device=vulkan",
        "--candidates=4",
    ];
    let run = SQUARE_RUN.map(|it| if it.starts_with("--device") { "--device=vulkan" } else { it });
    let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    let ran =
        said(&command.current_dir(place.folder.path()).args(words).args(run).output().unwrap());
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    let said =
        if ran.code == Some(0) { "times as fast" } else { "Nothing that was tried is faster" };
    assert!(ran.out.contains(said), "{ran:?}");
    assert_eq!(place.path("model.tune/tuned.mlir").exists(), ran.code == Some(0), "{ran:?}");
    assert!(place.count("tune_trials WHERE outcome = 'measured'") > 4);
}

fn profiled() {
    let place = Place::new();
    let planned = place.tune(&["--dry-run"]);
    assert_eq!(planned.code, Some(0), "{planned:?}");
    assert!(planned.err.contains("tuning main_dispatch_0_conv_"), "{}", planned.err);
    assert_eq!(place.captures(), 2);
    // The plan from the bundle is the same, and runs nothing.
    let bundle = "--profile=model.tune/captures/run-2.ireeprof";
    let again = place.tune(&["--dry-run", bundle]);
    assert_eq!((again.code, &again.err), (Some(0), &planned.err), "{again:?}");
    assert_eq!(place.captures(), 2);
    // With peaks that were measured, it says how near they are.
    std::fs::write(place.path("square.mlir"), square()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    command.current_dir(place.folder.path()).args(["tune", "square.mlir", "--iree-bin-dir=bin"]);
    command.env("XDG_CACHE_HOME", root().join("tests/data/cache")).arg("--peaks=AMD EPYC");
    let near = said(&command.arg("--dry-run").args(SQUARE_RUN).output().unwrap());
    assert_eq!(near.code, Some(0), "{near:?}");
    assert!(
        near.err.contains(" % of the time, ") && near.err.contains(" % of the roofline, "),
        "{near:?}"
    );
    let none = place.tune(&["--dry-run", "--dispatch=*softmax*"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.err.contains("No dispatch matches --dispatch=*softmax*"), "{}", none.err);
}

fn given() {
    let place = Place::new();
    let values =
        r#"{"*conv*": {"vector_common_parallel": ["[1, 4, 4, 0, 0]", "[1, 2, 4, 0, 0]"]}}"#;
    std::fs::write(place.path("space.json"), values).unwrap();
    let ran = place.tune(&["--space=space.json"]);
    assert!(matches!(ran.code, Some(0 | 1)), "{ran:?}");
    assert!(ran.err.contains(", 3 configurations"), "{}", ran.err);
    let tried = place.rows(
        "SELECT DISTINCT regexp_replace(configuration, '.*parallel = (\\[[^]]*\\]).*', '\\1') FROM tune_trials WHERE configuration IS NOT NULL ORDER BY 1",
    );
    assert!(tried.contains(&"\"[1, 4, 4, 0, 0]\"".to_owned()), "{tried:?}");
    assert_eq!(tried.len(), 3, "{tried:?}");
    std::fs::write(place.path("space.json"), r#"{"*softmax*": {"distribution": [1]}}"#).unwrap();
    let none = place.tune(&["--space=space.json", "--dry-run"]);
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.err.contains("No dispatch matches --space=*softmax*"), "{}", none.err);
    std::fs::write(place.path("space.json"), r#"{"*conv*": {"distribution[9]": [1]}}"#).unwrap();
    let wrong = place.tune(&["--space=space.json", "--dry-run"]);
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.err.contains("--space: ") && wrong.err.contains("distribution[9]"), "{wrong:?}");
}

/// Models of one matmul, of which the compiler states the space for devices with instructions for matrices.
const MATMUL: &str = "\
func.func @main(%a: tensor<512x1024xf16>, %b: tensor<1024x768xf16>) -> tensor<512x768xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<512x768xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<512x768xf32>) -> tensor<512x768xf32>
  %product = linalg.matmul ins(%a, %b : tensor<512x1024xf16>, tensor<1024x768xf16>) outs(%fill : tensor<512x768xf32>) -> tensor<512x768xf32>
  return %product : tensor<512x768xf32>
}
";

fn compiled() {
    for (nth, flags) in [
        ["-C=--iree-hal-target-backends=rocm", "-C=--iree-rocm-target=gfx942"],
        ["-C=--iree-hal-target-backends=cuda", "-C=--iree-cuda-target=sm_80"],
    ]
    .into_iter()
    .enumerate()
    {
        let place = Place::new();
        std::fs::write(place.path("model.mlir"), MATMUL).unwrap();
        let words = [&flags[..], &["--compile-only", "--candidates=6"]].concat();
        let ran = place.tune(&words);
        assert_eq!(ran.code, Some(0), "{ran:?}");
        assert!(ran.out.starts_with("6 candidates: "), "{}", ran.out);
        assert!(ran.out.contains("0 compiled but not applied"), "{}", ran.out);
        let count = place.rows("SELECT configuration_count FROM tune_dispatches");
        assert!(count[0].parse::<u32>().unwrap() > 1000, "{nth}: {count:?}");
        assert_eq!(place.count("tune_candidates"), 6);
        assert!(place.count("tune_trials WHERE outcome = 'compiled'") >= 3);
        // What was compiled is not compiled again.
        let again = place.tune(&words);
        assert_eq!(again.out, ran.out);
        assert_eq!((place.count("tune_candidates"), place.count("tune_trials")), (6, 6));
    }
}

/// Lets the results of tuned modules be wrong, in every run or only in some.
fn wrong_in(place: &Place, condition: &str) -> Said {
    place.mark_modules();
    let script = format!(
        "$REAL \"$@\" || exit\nif [ -e \"$MODULE.spec\" ] && {condition}; then for word; do case \"$word\" in\n  --output=@*) printf 'wrong' | dd of=\"${{word#--output=@}}\" conv=notrunc 2>/dev/null ;;\nesac; done; fi"
    );
    place.play("iree-run-module", &script);
    place.give_fast_values();
    place.tune(&["--space=space.json"])
}

fn wrong() {
    let place = Place::new();
    let ran = wrong_in(&place, "true");
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(
        ran.err.contains("wrong results of main_dispatch_0_conv_")
            && ran.err.contains("result 0 on random inputs: element 0 is "),
        "{}",
        ran.err
    );
    assert!(!place.path("model.tune/tuned.mlir").exists());
    assert!(place.count("tune_trials WHERE stage = 'verify' AND outcome = 'wrong'") > 0);
    assert_eq!(place.count("tune_trials WHERE stage = 'proof'"), 0);
}

fn racy() {
    let place = Place::new();
    // Every third run is wrong.
    let ran = wrong_in(
        &place,
        "{ echo >> \"$MODULE.runs\"; [ $(($(wc -l < \"$MODULE.runs\") % 3)) = 0 ]; }",
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("on random inputs: element 0 is "), "{}", ran.err);
}

fn incomparable() {
    let place = Place::new();
    place.play("iree-run-module", "echo 'run.c:3: UNIMPLEMENTED; not today' >&2; exit 1");
    place.give_fast_values();
    let ran = place.tune(&["--space=space.json"]);
    assert_eq!(ran.code, Some(5), "{ran:?}");
    assert!(
        ran.err.contains("results cannot be compared, as iree-run-module does not run the untuned model: UNIMPLEMENTED; not today"),
        "{}",
        ran.err
    );
    assert_eq!(place.count("tune_trials WHERE stage = 'verify'"), 0);
}

fn never() {
    let place = Place::new();
    place.play(
        "iree-compile",
        "for word; do shift; case \"$word\" in --iree-codegen-t*=*) ;; *) set -- \"$@\" \"$word\" ;; esac; done\nexec $REAL \"$@\"",
    );
    let ran = place.tune(&[]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    assert!(ran.err.contains("the compiler does not apply a spec to it"), "{}", ran.err);
    assert!(ran.err.contains("there is nothing to tune"), "{}", ran.err);
}

fn lost() {
    let place = Place::new();
    let script = "case \"$*\" in *--module*) echo >> runs ;; esac\nif [ -e runs ] && [ $(wc -l < runs) -gt 9 ]; then echo 'device.c:7: DATA_LOSS; the device is lost' >&2; exit 1; fi\nexec $REAL \"$@\"";
    place.play("iree-benchmark-module", script);
    let ran = place.tune(&[]);
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.err.contains("the untuned model does not run: "), "{}", ran.err);
    assert!(ran.err.contains("the device is lost"), "{}", ran.err);
    let known = place.count("tune_trials WHERE outcome = 'measured' AND dispatch IS NULL");
    assert_eq!(known, 7, "nine runs, of which two were for the plan");
    // The device is back.
    place.play("iree-benchmark-module", "exec $REAL \"$@\"");
    let again = place.tune(&[]);
    assert!(matches!(again.code, Some(0 | 1)), "{again:?}");
    assert!(!again.err.contains("does not run"), "{}", again.err);
    assert!(place.count("tune_trials WHERE outcome = 'measured' AND dispatch IS NULL") > known);
}

fn full() {
    let place = Place::new();
    let mut command = place.command(&[]);
    command.env("LD_PRELOAD", &*LIBRARY).env("FAIL_UNDER", place.path("model.tune"));
    // While candidates are measured: a search that finds nothing faster ends after some 240 calls.
    command.env("FAIL_AT", "150").env("FAIL_ON", "1").env("FAIL_WITH", "28");
    let ran = said(&command.output().unwrap());
    assert_eq!(ran.code, Some(4), "{ran:?}");
    assert!(ran.err.contains("No space left on device"), "{}", ran.err);
    assert!(ran.err.contains("model.tune"), "{}", ran.err);
    let known = place.count("tune_trials");
    assert!(known > 0, "{ran:?}");
    let again = place.tune(&[]);
    assert!(matches!(again.code, Some(0 | 1)), "{again:?}");
    let then = place.count("tune_trials");
    assert!(then > known, "{then} trials, {known} before: {again:?}");
}

fn locked() {
    let place = Place::new();
    // The first tuner waits in its first run until the second one has ended.
    place.play(
        "iree-benchmark-module",
        "case \"$*\" in *--module*) touch runs; while [ ! -e go ]; do sleep 0.05; done ;; esac\nexec $REAL \"$@\"",
    );
    let mut first = place.command(&["--dry-run"]).spawn().unwrap();
    while !place.path("runs").exists() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let second = place.tune(&["--dry-run"]);
    assert_eq!(second.code, Some(4), "{second:?}");
    assert!(second.err.contains("model.tune"), "{}", second.err);
    std::fs::write(place.path("go"), "").unwrap();
    assert!(first.wait().unwrap().success());
}

fn words() {
    let place = Place::new();
    let run = |model: &Path, tool: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command.current_dir(place.folder.path()).arg("tune").arg(model);
        said(&command.args(["--iree-bin-dir=bin", "--"]).args(tool).output().unwrap())
    };
    let with_module = run(Path::new("model.mlir"), &["iree-run-module", "--module=m.vmfb"]);
    assert_eq!(with_module.code, Some(2), "{with_module:?}");
    assert!(with_module.err.contains("leave out the module"), "{with_module:?}");
    let mut none = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    none.current_dir(place.folder.path()).args(["tune", "model.mlir", "--iree-bin-dir=bin"]);
    let none = said(&none.output().unwrap());
    assert_eq!(none.code, Some(2), "{none:?}");
    assert!(none.err.contains("write the command that runs the model behind --"), "{none:?}");
    let mut resumed = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    resumed.current_dir(place.folder.path()).args(["tune", "--resume=bin"]);
    let resumed = said(&resumed.output().unwrap());
    assert_eq!(resumed.code, Some(2), "{resumed:?}");
    assert!(resumed.err.contains("bin has no run of tune to go on with"), "{resumed:?}");
    let missing = run(Path::new("no.mlir"), &["iree-run-module"]);
    assert_eq!(missing.code, Some(3), "{missing:?}");
    assert!(missing.err.contains("cannot read no.mlir"), "{missing:?}");
    std::fs::write(place.path("bad.mlir"), "func.func @main() { return 1 }").unwrap();
    let refused = run(Path::new("bad.mlir"), &["iree-run-module"]);
    assert_eq!(refused.code, Some(3), "{refused:?}");
    assert!(refused.err.contains("iree-compile refuses bad.mlir"), "{refused:?}");
}

//! Tests what `tune` says of shares, and of configurations that cannot be measured.

use std::process::Command;

use libtest_mimic::Trial;

use super::capture::{Said, said};
use super::tune::Place;
use crate::support::ask::root;
use crate::trial;

/// All of them need the real tools.
pub fn trials() -> Vec<Trial> {
    vec![
        trial("tune::every_shape_of_a_function_counts".into(), shapes),
        trial("tune::shares_are_those_of_each_function".into(), shares),
        trial("tune::the_roofline_is_that_of_all_dispatches".into(), roofline),
        trial("tune::both_halves_of_a_norm_are_measured".into(), norm),
        trial("tune::where_nothing_compiles_it_says_how_much_and_why".into(), none),
        trial("tune::where_some_compile_it_says_how_many".into(), some),
        trial("tune::where_nothing_runs_it_says_so".into(), lost),
        trial("tune::where_only_compilation_fails_it_says_why".into(), compiled),
    ]
}

/// Tunes `model.mlir` with another command than that of the other tests.
fn tune(place: &Place, words: &[&str], run: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    command.current_dir(place.folder.path()).args(["tune", "model.mlir", "--iree-bin-dir=bin"]);
    let tool = ["--", "iree-benchmark-module", "--device=local-task", "--benchmark_min_time=5x"];
    said(&command.args(words).args(tool).args(run).output().unwrap())
}

/// Returns the line that names a dispatch which is tuned.
fn line<'a>(said: &'a Said, dispatch: &str) -> &'a str {
    let start = format!("ireescope: tuning {dispatch}: ");
    said.err
        .lines()
        .find_map(|line| line.strip_prefix(&start))
        .unwrap_or_else(|| panic!("{said:?}"))
}

fn shapes() {
    let place = Place::new();
    let model = root().join("tests/data/models/dynamic.mlir");
    std::fs::copy(model, place.path("model.mlir")).unwrap();
    // The model has one function, which takes all of the time: first with many rows, then with few.
    let run =
        ["--function=main", "--input=512x128xf32", "--input=32x128xf32", "--input=128x64xf32"];
    let ran = tune(&place, &["--dry-run"], &run);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let said = line(&ran, "main_dispatch_0_matmul_Dx64x128_f32");
    assert!(said.starts_with("100.0 % of the time, "), "{ran:?}");
    assert_eq!(place.rows("SELECT round(share, 9) FROM tune_dispatches"), ["1.0"]);
    let shapes =
        "SELECT count(DISTINCT workgroup_count_x) > 1 FROM dispatches WHERE bundle = 'run-2'";
    assert_eq!(place.rows(shapes), ["true"]);
    // The time of an iteration is that of both of its dispatches.
    let whole = "SELECT abs(time_ns - (SELECT quantiles(ns, 0.5)[1] FROM (SELECT sum(duration_ns) AS ns FROM dispatches WHERE bundle = 'run-2' AND NOT is_warmup GROUP BY invocation))) < 1 FROM tune_dispatches";
    assert_eq!(place.rows(whole), ["true"]);
}

/// Two products of equal operations, of which the first is fused with another operation.
const TWICE: &str = r#"#same = affine_map<(d0, d1) -> (d0, d1)>
func.func @main(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<64x64xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty : tensor<64x64xf32>) -> tensor<64x64xf32>
  %first = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%fill : tensor<64x64xf32>) -> tensor<64x64xf32>
  %exponential = linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel", "parallel"]} ins(%first : tensor<64x64xf32>) outs(%empty : tensor<64x64xf32>) {
  ^bb0(%in: f32, %out: f32):
    %0 = math.exp %in : f32
    linalg.yield %0 : f32
  } -> tensor<64x64xf32>
  %second = linalg.matmul ins(%exponential, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%fill : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %second : tensor<64x64xf32>
}
"#;

fn shares() {
    let place = Place::new();
    std::fs::write(place.path("model.mlir"), TWICE).unwrap();
    let run = ["--function=main", "--input=64x64xf32=0.01", "--input=64x64xf32=0.01"];
    let ran = tune(&place, &["--dry-run"], &run);
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let [first, second] =
        ["main_dispatch_0_matmul_64x64x64_f32", "main_dispatch_1_matmul_64x64x64_f32"];
    let share = |dispatch: &str| {
        let query = format!("SELECT share FROM tune_dispatches WHERE dispatch = '{dispatch}'");
        place.rows(&query)[0].parse::<f64>().unwrap()
    };
    for dispatch in [first, second] {
        let own = format!("{:.1} % of the time, ", share(dispatch) * 100.0);
        assert!(line(&ran, dispatch).starts_with(&own), "{own}: {ran:?}");
    }
    // They are tuned as one, and each has a part of the time.
    let equal = format!("as {first}, whose operation is equal");
    assert!(line(&ran, second).ends_with(&equal), "{ran:?}");
    assert!(share(first).max(share(second)) < 0.95, "{ran:?}");
    assert!((0.9..1.1).contains(&(share(first) + share(second))), "{ran:?}");
}

fn roofline() {
    let place = Place::new();
    std::fs::write(place.path("model.mlir"), TWICE).unwrap();
    let run = ["--function=main", "--input=64x64xf32=0.01", "--input=64x64xf32=0.01"];
    assert_eq!(tune(&place, &["--dry-run"], &run).code, Some(0));
    // In two runs, a function has two rows in the report.
    let bundles = ["run-1", "run-2"].map(|name| format!("model.tune/captures/{name}.ireeprof"));
    let peaks = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ireescope"));
        command.current_dir(place.folder.path()).args(words).arg("--peaks=AMD EPYC");
        command.env("XDG_CACHE_HOME", root().join("tests/data/cache"));
        command
    };
    let mut command = peaks(&["tune", "model.mlir", "-o", "both.tune", "--dry-run"]);
    command.arg("--iree-bin-dir=bin").args(bundles.iter().map(|it| format!("--profile={it}")));
    let ran = said(&command.args(["--", "iree-benchmark-module"]).args(run).output().unwrap());
    assert_eq!(ran.code, Some(0), "{ran:?}");
    let asked = |query: &str, words: &[&str]| {
        let mut command = peaks(&["sql", "--format=csv", "--sources=model.tune/work/sources"]);
        let said = said(&command.args(["-c", query]).args(words).output().unwrap());
        assert_eq!(said.code, Some(0), "{said:?}");
        said.out.lines().skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    let chosen = asked(
        "SELECT dispatch, round(roof_fraction, 9) FROM tune_dispatches ORDER BY 1",
        &["both.tune"],
    );
    let whole = "SELECT key, round(sum(fraction * total_ns) / sum(total_ns), 9), count(*) FROM report.roofline GROUP BY key ORDER BY 1";
    let whole = asked(whole, &bundles.each_ref().map(String::as_str));
    assert_eq!(whole, chosen.iter().map(|row| format!("{row},2")).collect::<Vec<_>>());
    assert_eq!(chosen.len(), 2, "{ran:?}");
}

fn norm() {
    let place = Place::new();
    std::fs::copy(root().join("tests/data/models/norm.mlir"), place.path("model.mlir")).unwrap();
    let run = ["--function=norm", "--input=64x256xf32", "--input=256xf32", "--input=256xf32"];
    let values = r#"{"*": {"distribution": ["[16, 0]", "[32, 0]"]}}"#;
    std::fs::write(place.path("space.json"), values).unwrap();
    // Nothing is so fast that it is proven.
    let ran = tune(
        &place,
        &["--space=space.json", "--candidates=2", "--noise-floor=9900%", "--cover=100%"],
        &run,
    );
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let counts =
        "SELECT dispatch, tried_count, measured_count, refusal FROM tune_dispatches ORDER BY ALL";
    let each = [0, 1].map(|nth| format!("norm_dispatch_{nth}_reduction_64x256_f32,2,2,"));
    assert_eq!(place.rows(counts), each, "{ran:?}");
    assert_eq!(place.rows("SELECT state FROM tune_runs"), ["not_faster"]);
    let nothing = "Nothing that was tried is faster than the compiler's own choice in new runs.\n";
    assert_eq!(ran.out, nothing, "{ran:?}");
}

/// Lets the compiler refuse the modules of candidates on a condition. Its words have numbers that differ.
fn refuse(place: &Place, condition: &str) {
    let script = format!(
        "case \"$TO\" in *candidate*) if [ -n \"$SPEC\" ] && {condition}; then echo \"m.mlir:$$:7: error: no room for $$ tiles\" >&2; exit 1; fi ;; esac\nexec $REAL \"$@\""
    );
    place.play("iree-compile", &script);
    let values =
        r#"{"*conv*": {"vector_common_parallel": ["[1, 4, 4, 0, 0]", "[1, 2, 4, 0, 0]"]}}"#;
    std::fs::write(place.path("space.json"), values).unwrap();
}

const COUNTS: &str = "SELECT state, tried_count, measured_count, refusal LIKE 'no room for % tiles', best_configuration FROM tune_dispatches JOIN tune_runs USING (run) ORDER BY run";

fn none() {
    let place = Place::new();
    refuse(&place, "true");
    let words = ["--space=space.json"];
    let ran = place.tune(&words);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let head = "Nothing that was tried could be measured, so it is not known whether anything is faster than the compiler's own choice.\n\n- main_dispatch_0_conv_";
    assert!(ran.out.starts_with(head), "{ran:?}");
    let why = ": 0 of 2 configurations compiled (most common reason, 2 times: no room for ";
    assert!(
        ran.out.contains(why) && !ran.out.contains("is faster than the compiler's own choice in"),
        "{ran:?}"
    );
    // The search says so as well.
    let round = ran.err.lines().find(|line| line.contains("round 1, 2 candidates, "));
    assert!(
        round.is_some_and(|line| line.contains(" 0 of 2 configurations compiled (")),
        "{ran:?}"
    );
    let report = std::fs::read_to_string(place.path("model.tune/report.md")).unwrap();
    assert!(report.contains(ran.out.trim()), "{report}");
    assert_eq!(place.rows(COUNTS), ["not_measured,2,0,true,"]);
    // The same command, and one that goes on, say the same and try nothing.
    let (captures, trials) = (place.captures(), place.count("tune_trials"));
    let again = place.tune(&words);
    assert_eq!((again.code, &again.out), (Some(1), &ran.out), "{again:?}");
    let mut resume = Command::new(env!("CARGO_BIN_EXE_ireescope"));
    resume.current_dir(place.folder.path()).args(["tune", "--resume", "model.tune"]);
    let resumed = said(&resume.arg("--iree-bin-dir=bin").output().unwrap());
    assert_eq!((resumed.code, &resumed.out), (Some(1), &ran.out), "{resumed:?}");
    assert_eq!((place.captures(), place.count("tune_trials")), (captures, trials));
    // With another seed, what is known is not tried again, and counts.
    let other = place.tune(&["--space=space.json", "--seed=2"]);
    assert_eq!(other.code, Some(1), "{other:?}");
    assert!(other.out.starts_with(head) && other.out.contains(why), "{other:?}");
    assert_eq!(place.count("tune_trials"), trials);
    assert_eq!(place.rows(COUNTS), ["not_measured,2,0,true,", "not_measured,2,0,true,"]);
    // A search of nothing says that.
    let nothing = Place::new();
    let ran = nothing.tune(&["--candidates=0"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let head =
        "Nothing was tried, so nothing is known to be faster than the compiler's own choice.\n";
    assert_eq!(ran.out, head, "{ran:?}");
}

fn compiled() {
    let compiled = Place::new();
    refuse(&compiled, "true");
    let ran = compiled.tune(&["--space=space.json", "--compile-only"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let told = "2 candidates: 0 compiled and applied, 0 compiled but not applied, 2 refused by the compiler (most common reason, 2 times: no room for ";
    assert!(ran.out.starts_with(told) && !ran.out.contains("--resume"), "{ran:?}");
    let again = compiled.tune(&["--space=space.json", "--compile-only"]);
    assert_eq!((again.code, &again.out), (Some(1), &ran.out), "{again:?}");
}

fn some() {
    let place = Place::new();
    refuse(&place, "grep -q '1, 2, 4, 0, 0' \"$SPEC\"");
    let ran = place.tune(&["--space=space.json", "--candidates=2", "--noise-floor=9900%"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let head = "Nothing that was tried is faster than the compiler's own choice in new runs.\n\n- main_dispatch_0_conv_";
    let why = ": 1 of 2 configurations compiled (most common reason, 1 time: no room for ";
    assert!(ran.out.starts_with(head) && ran.out.contains(why), "{ran:?}");
    assert_eq!(place.rows(COUNTS), ["not_faster,2,1,true,"]);
}

fn lost() {
    let lost = Place::new();
    refuse(&lost, "false");
    lost.play(
        "iree-compile",
        "$REAL \"$@\" || exit\nif [ -n \"$SPEC\" ]; then touch \"$TO.spec\"; fi",
    );
    let script = "if [ -e \"$MODULE.spec\" ]; then echo 'device.c:7: DATA_LOSS; too many tiles' >&2; exit 1; fi\nexec $REAL \"$@\"";
    lost.play("iree-benchmark-module", script);
    let ran = lost.tune(&["--space=space.json"]);
    assert_eq!(ran.code, Some(1), "{ran:?}");
    let why = ": 0 of 2 configurations ran (most common reason, 2 times: ";
    assert!(ran.out.contains(why) && ran.out.contains("too many tiles"), "{ran:?}");
    assert_eq!(lost.rows("SELECT state FROM tune_runs"), ["not_measured"]);
}

//! Tests repeated runs of `bench`: finished steps are not repeated, and the files of a folder are neither lost nor used
//! without a check.

use crate::Test;
use crate::bench::{Place, SMALL};

pub const TESTS: &[Test] = &[
    ("steps_one_by_one_are_not_done_again", steps),
    ("times_of_other_settings_are_not_told", settings),
    ("filters_keep_what_was_generated", filters),
    ("shapes_that_nothing_fits_are_named", unfitting),
    ("tags_are_no_columns_and_files_of_two_sweeps_agree", columns),
    ("a_wrong_result_has_no_rank", ranks),
    ("sweeps_wait_for_each_other", locked),
];

/// Returns the flags of the small operation, with `flags` in place of those of the same name.
fn small_but<'a>(flags: &[&'a str]) -> Vec<&'a str> {
    let name = |flag: &&str| flag.split('=').next().unwrap_or_default().to_owned();
    let is_kept = |small: &&&str| flags.iter().all(|flag| name(flag) != name(small));
    SMALL.iter().filter(is_kept).chain(flags).copied().collect()
}

fn rows(place: &Place) -> String {
    place.value("SELECT count(*) FROM dispatch_runs")
}

fn steps() {
    let place = Place::new();
    for command in ["generate", "compile", "verify", "profile"] {
        assert_eq!(place.bench("", command, &[]).code, Some(0), "{command}");
    }
    let before = rows(&place);
    let said = place.bench("", "run", &["--verbose"]);
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(said.err.contains(" were measured before"), "{}", said.err);
    assert!(said.out.contains("Verification  : SUCCESS\nRuntime(ms)   : 0.0"), "{}", said.out);
    assert_eq!(rows(&place), before, "nothing was done");
}

fn settings() {
    let place = Place::new();
    assert_eq!(place.bench("", "run", &[]).code, Some(0));
    let said = place.bench("", "verify", &["--force-compile", "--verbose"]);
    assert!(said.out.contains("Verification  : SUCCESS\nRuntime(ms)   : Not profiled"), "{said:?}");
    for other in ["--warmup-repetitions=2", "--processes=6"] {
        let said = place.bench("", "run", &[other]);
        assert!(!said.err.contains("measured before"), "other settings: {}", said.err);
    }
}

fn filters() {
    let place = Place::new();
    assert_eq!(place.bench("", "generate", &[]).code, Some(0));
    let flags = ["--dry-run", "--operation-kind=matmul", "--default-config"];
    let said = place.played("", "run", &flags);
    let generated = said.out.lines().filter(|line| line.starts_with("[Generating]")).count();
    assert_eq!(generated, 1, "{}", said.out);
    let line = "[Dry run] : matmul_64x64x64_f32t_f32t_f32t_tile_config_default\n";
    assert!(said.out.contains(line), "{}", said.out);
    let flags = ["--dry-run", "--operation-kind=conv2d", "--types=f32"];
    let said = place.played("", "compile", &flags);
    assert!(said.err.contains("using the predefined list"), "none was generated: {said:?}");
}

fn unfitting() {
    let place = Place::new();
    let said = place.played("", "run", &small_but(&["--problem-m=63,64"]));
    assert_eq!(said.code, Some(0), "{said:?}");
    assert!(
        said.err
            .contains("matmul_63x64x64_f32t_f32t_f32t is skipped: no configuration is suitable"),
        "{}",
        said.err
    );
    assert!(
        said.err.contains("skipped as unsuitable (--verbose prints the reasons)"),
        "{}",
        said.err
    );
    assert!(!place.path("generated/linalg/matmul/matmul_63x64x64_f32t_f32t_f32t").exists());
}

fn columns() {
    let place = Place::new();
    for tag in ["--tags=m:9", "--tags=a:1,a:2", "--tags=Provider:me"] {
        let said = place.bench("", "run", &["--output=d.csv", tag]);
        assert_eq!(said.code, Some(2), "{tag}: {said:?}");
        assert!(said.err.contains("has the same name as another column"), "{}", said.err);
    }
    assert_eq!(place.bench("", "run", &["--output=d.csv"]).code, Some(0));
    // The last line break may be missing, for example after an edit.
    let text = std::fs::read_to_string(place.path("d.csv")).unwrap();
    std::fs::write(place.path("d.csv"), text.trim_end()).unwrap();
    let fused = small_but(&["--epilogue=bias_relu", "--output=d.csv", "--append"]);
    assert_eq!(place.played("", "run", &fused).code, Some(0));
    let text = std::fs::read_to_string(place.path("d.csv")).unwrap();
    let widths: Vec<usize> = text.lines().map(|line| line.split(',').count()).collect();
    assert!(widths.iter().all(|width| *width == widths[0]), "{text}");
    let last = "GFLOPs,epilogue,Processes,Low(ms),High(ms),Rank,vs default";
    assert!(text.lines().next().unwrap().ends_with(last), "{text}");
    assert!(text.contains(",none,7,") && text.contains(",bias_relu,7,"), "{text}");
}

fn ranks() {
    let place = Place::new();
    let said = place.bench("wrong=vector8x32", "run", &[]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let (_, table) = said.out.split_once("\n  rank  runtime").expect("a table");
    let ranked = table.lines().filter(|line| line.contains(" (host)"));
    assert!(ranked.clone().count() > 0, "{table}");
    assert!(ranked.clone().all(|line| !line.contains("vector8x32")), "{table}");
    assert!(table.contains("vector8x32: verify failed: "), "{table}");
    assert_eq!(place.value("SELECT count(rank) FROM dispatch_runs WHERE outcome <> 'passed'"), "0");
}

fn locked() {
    let place = Place::new();
    let folder = std::fs::File::open(place.path("")).unwrap();
    folder.lock().unwrap();
    let said = place.bench("", "run", &[]);
    assert_eq!(said.code, Some(4), "{said:?}");
    assert!(said.err.contains("another sweep is running in "), "{}", said.err);
    drop(folder);
    assert_eq!(place.bench("", "run", &[]).code, Some(0));
}

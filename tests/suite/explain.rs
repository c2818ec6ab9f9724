//! Tests what `explain` concludes: its evidence gives the figures of the finding, and warm-up is left out of the text but
//! not of the lines that equal those of `iree-profile`.

use ireescope::engine::{Engine, Parameters};
use ireescope::report;
use ireescope::workspace::{Workspace, WorkspaceOptions};

use crate::Test;
use crate::support::ask::{captures, cell, csv, engine, engine_of, root, rows};
use crate::support::built;

pub const TESTS: &[Test] = &[
    ("evidence_gives_the_figures_of_the_finding", evidence),
    ("evidence_of_a_selection_gives_its_figures", selected),
    ("warm_up_is_left_out", warm_up),
];

/// All captures and built bundles, with their names.
fn bundles() -> impl Iterator<Item = (String, Engine)> {
    let captures = captures().into_iter().map(|path| (path.display().to_string(), engine(&path)));
    captures
        .chain(built::ALL.iter().map(|name| ((*name).to_owned(), engine_of(&built::named(name)))))
}

/// Runs the evidence of every bottleneck. Returns the number of figures that were compared.
fn check(name: &str, engine: &Engine, parameters: &Parameters) -> usize {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    // Some built bundles are refused, as `iree-profile` refuses them.
    let Ok(answer) = runtime.block_on(engine.report("explain_bottleneck", parameters)) else {
        return 0;
    };
    let mut figures = 0;
    for row in report::rows(&answer.batches) {
        let (finding, evidence) = (row.text("finding"), row.text("evidence"));
        if let Err(error) = csv(engine, &evidence) {
            // Of bundles that are built for it, the sum of all times has more than 64 bits.
            assert!(error.to_string().contains("overflows 64 bits"), "{name}: {evidence}: {error}");
            continue;
        }
        let (names, query) = (columns(engine, &evidence), rows(engine, &evidence));
        assert_eq!(query.len(), 1, "{name}: {evidence}");
        for (column, value) in names.iter().zip(&query[0]) {
            let number: f64 =
                value.parse().unwrap_or_else(|_| panic!("{name}: {evidence}: {value}"));
            let written = match column.as_str() {
                "share" | "idle" => format!("{:?} %", (number * 1e3).round() / 10.0),
                name if name.ends_with("_ns") => format!("{:?} ms", (number / 1e3).round() / 1e3),
                _ => value.clone(),
            };
            assert!(
                finding.contains(&written),
                "{name}: {written} of {evidence} is not in {finding}"
            );
            figures += 1;
        }
    }
    figures
}

fn columns(engine: &Engine, query: &str) -> Vec<String> {
    let answer = csv(engine, query).unwrap();
    answer.lines().next().unwrap().split(',').map(str::to_owned).collect()
}

fn evidence() {
    let figures: usize =
        bundles().map(|(name, engine)| check(&name, &engine, &Parameters::default())).sum();
    assert!(figures > 60, "{figures} figures were compared");
    // The figures are those of one bundle, also if others are open.
    let captures = captures().iter().map(|path| path.display().to_string()).collect::<Vec<_>>();
    let all = Workspace::open(&captures, &WorkspaceOptions::default()).unwrap();
    let together = check("all captures", &all.engine, &Parameters::default());
    assert!(together > 30, "{together} figures were compared");
}

fn selected() {
    let selections = [
        Parameters { filter: "*matmul*".to_owned(), ..Parameters::default() },
        Parameters { warmup: 0, ..Parameters::default() },
        Parameters { warmup: 2, ..Parameters::default() },
        Parameters { id: Some(1), warmup: 0, ..Parameters::default() },
    ];
    for parameters in selections {
        let figures: usize = captures()
            .iter()
            .map(|path| check(&path.display().to_string(), &engine(path), &parameters))
            .sum();
        assert!(figures > 5, "{figures} figures were compared for {parameters:?}");
    }
}

fn warm_up() {
    let engine = engine(&root().join("tests/data/mlp-vulkan.ireeprof"));
    // As printed by default, and as in the lines of `iree-profile`.
    let steady = cell(&engine, "SELECT sum(dispatches) FROM report.explain_top_function");
    assert_eq!(steady, "76");
    let all = cell(&engine, "SELECT sum(dispatches) FROM explain_functions('*', NULL, 0)");
    assert_eq!(all, "80");
    let two = cell(&engine, "SELECT sum(dispatches) FROM explain_functions('*', NULL, 2)");
    assert_eq!(two, "72");
    let longest = "SELECT max(duration_ns) FROM report.explain_top_dispatch";
    let expected = "SELECT max(duration_ns) FROM dispatches WHERE NOT is_warmup";
    assert_eq!(cell(&engine, longest), cell(&engine, expected));
}

//! Fuzzing: seeded cases of changed bundles, whose results must be those of `iree-profile`, and of changed inputs of
//! other kinds, which must not make the program panic or hang.
//!
//! `tests/fuzz` runs more cases, or one again.

mod bundles;
mod grammar;
mod inputs;
mod json;
mod lines;
mod process;
mod queries;
mod rules;
mod runs;

use libtest_mimic::Trial;

use crate::trial;
use runs::{Case, run};

/// The tests that need no tool, and how many cases each has in `tests/run`.
pub fn trials() -> Vec<Trial> {
    let kinds: [(&str, u64, Case); 7] = [
        ("streams", 120, inputs::stream),
        ("gzip", 80, inputs::gzip),
        ("parquet", 40, inputs::parquet),
        ("manifests", 80, inputs::manifest),
        ("replays", 40, inputs::replay),
        ("queries", 400, queries::one),
        ("lines", 300, lines::one),
    ];
    let of = |(kind, cases, one)| trial(format!("fuzz::{kind}"), move || run(kind, cases, one));
    let documented = trial("fuzz::differences_are_documented".into(), rules::documented);
    kinds.into_iter().map(of).chain([documented]).collect()
}

/// The comparison with `iree-profile`.
pub fn against_tools() -> Vec<Trial> {
    vec![trial("fuzz::bundles".into(), || run("bundles", 500, bundles::one))]
}

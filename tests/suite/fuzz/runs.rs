//! Runs the cases of a kind on all processors, and stores those that fail.

use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::support::ask::root;

/// Runs the case of a seed, and reports what is wrong.
pub type Case = fn(u64) -> Result<(), String>;

fn variable(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// Runs the cases of a kind: `cases` from seed 0. `IREESCOPE_FUZZ_SEED` sets the first seed, `IREESCOPE_FUZZ_CASES` the
/// number, and `IREESCOPE_FUZZ_TIMES` multiplies it. Panics if a case fails.
pub fn run(kind: &str, cases: u64, one: Case) {
    let first = variable("IREESCOPE_FUZZ_SEED").unwrap_or_default();
    let times = variable("IREESCOPE_FUZZ_TIMES").unwrap_or(1);
    let cases = variable("IREESCOPE_FUZZ_CASES").unwrap_or(cases * times);
    let next = AtomicU64::new(0);
    let failed = Mutex::new(Vec::new());
    let work = || loop {
        let nth = next.fetch_add(1, Ordering::Relaxed);
        if nth >= cases {
            return;
        }
        if nth > 0 && nth.is_multiple_of(1000) {
            eprintln!("fuzz: {nth} of {cases} {kind}, {} failed", failed.lock().unwrap().len());
        }
        let seed = first + nth;
        if let Err(report) = one(seed) {
            let again = format!("tests/fuzz --seed {seed} --cases 1 {kind}");
            let report = format!("{report}\n  again: {again}");
            let folder = folder(kind, seed);
            std::fs::write(folder.join("report.txt"), &report).unwrap();
            eprintln!("{kind} {seed}, kept in {}: {report}", folder.display());
            failed.lock().unwrap().push(seed);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} of {cases} {kind} failed, the seeds {failed:?}", failed.len());
}

/// Creates the folder that keeps a failed case.
pub fn folder(kind: &str, seed: u64) -> PathBuf {
    let folder = root().join(format!("target/fuzz/{kind}-{seed}"));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

//! Writes a generated bundle to a file: `cargo run --release --example generate -- 2000000 both out.ireeprof [SEED] [--per-submission]`.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a program of the benchmarks, whose layouts are known"
)]

#[path = "../tests/support/builder.rs"]
#[expect(dead_code, reason = "the tests use all of it")]
mod builder;
mod generator;
#[path = "../tests/support/layouts.rs"]
mod layouts;

use std::fs::File;
use std::io::{BufWriter, Write};

use generator::Capture;

const USAGE: &str = "usage: generate DISPATCHES gpu|cpu|both FILE [SEED] [--per-submission]";

fn main() -> std::io::Result<()> {
    let (flags, arguments): (Vec<String>, Vec<String>) =
        std::env::args().skip(1).partition(|argument| argument == "--per-submission");
    let [dispatches, shape, path, rest @ ..] = arguments.as_slice() else { panic!("{USAGE}") };
    let seed = rest.first().map_or(1, |seed| seed.parse().expect(USAGE));
    let capture = Capture {
        dispatches: dispatches.parse().expect(USAGE),
        device: matches!(shape.as_str(), "gpu" | "both"),
        host: matches!(shape.as_str(), "cpu" | "both"),
        seed,
        per_submission: !flags.is_empty(),
    };
    assert!(capture.device || capture.host, "{USAGE}");
    let mut file = BufWriter::with_capacity(1 << 20, File::create(path)?);
    capture.write(&mut file)?;
    file.flush()
}

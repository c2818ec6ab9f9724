//! What nothing can be faster than: reads the chunks of tables and adds their words up, on all cores.
//!
//! `cargo run --release --example limit -- FILE TABLE…`

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a program of the benchmarks")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::{available_parallelism, scope};

use ireescope::bundle::{self, sources};
use ireescope::record::chunks;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, tables) = arguments.split_first().expect("FILE TABLE…");
    let source = sources::expand(std::slice::from_ref(file)).expect("a bundle").remove(0);
    let bundles = [Arc::new(bundle::open(&source, false).expect("a bundle"))];
    let sum = AtomicU64::new(0);
    let bytes = AtomicU64::new(0);
    for table in tables {
        let family = schemas::find(table).and_then(|table| table.reads()).expect("a table");
        for chunk in chunks(&bundles, family) {
            let entry = chunk.entry().expect("a chunk");
            let (payload, _) = chunk.bundle.payload(entry).expect("whole");
            bytes.fetch_add(payload.len() as u64, Ordering::Relaxed);
            let threads = available_parallelism().map_or(1, usize::from);
            scope(|scope| {
                for part in payload.chunks(payload.len().div_ceil(threads).max(1)) {
                    let sum = &sum;
                    scope.spawn(move || sum.fetch_add(add(part), Ordering::Relaxed));
                }
            });
        }
    }
    println!("{} bytes, {}", bytes.into_inner(), sum.into_inner());
}

fn add(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().fold(0u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)));
    words.wrapping_add(rest.len() as u64)
}

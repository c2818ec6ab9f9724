//! Measures a lower bound for scans: reads the chunks of tables on all cores, and only sums their 64-bit words.
//!
//! `cargo run --release --example limit -- FILE TABLE…`

#![expect(clippy::expect_used, clippy::print_stdout, reason = "a program of the benchmarks")]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::{available_parallelism, scope};

use ireescope::bundle::{self, sources};
use ireescope::record::chunks;

/// Bytes of a large chunk that a thread claims at a time.
const PART: usize = 1 << 20;

/// Parts that a thread claims at a time: small chunks, or one part of a large one.
const PARTS: usize = 256;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (file, tables) = arguments.split_first().expect("FILE TABLE…");
    let source = sources::expand(std::slice::from_ref(file)).expect("a bundle").remove(0);
    let bundles =
        [Arc::new(bundle::open(&source, &bundle::OpenOptions::default()).expect("a bundle"))];
    let families = tables.iter().map(|table| schemas::find(table).and_then(|table| table.reads()));
    let chunks: Vec<_> =
        families.flat_map(|family| chunks(&bundles, family.expect("a table"))).collect();
    let payloads = chunks
        .iter()
        .flat_map(|chunks| chunks.records.iter().map(|record| chunks.bundle.payload(*record).0));
    let parts: Vec<&[u8]> = payloads.flat_map(|payload| payload.chunks(PART)).collect();
    let (next, sum) = (AtomicUsize::new(0), AtomicU64::new(0));
    let is_small = parts.iter().all(|part| part.len() < PART / PARTS);
    let claims: Vec<_> = parts.chunks(if is_small { PARTS } else { 1 }).collect();
    let read = || {
        while let Some(claim) = claims.get(next.fetch_add(1, Ordering::Relaxed)) {
            let of_claim = claim.iter().fold(0u64, |sum, part| sum.wrapping_add(add(part)));
            sum.fetch_add(of_claim, Ordering::Relaxed);
        }
    };
    scope(|scope| {
        for _ in 0..available_parallelism().map_or(1, usize::from) {
            scope.spawn(read);
        }
    });
    let bytes: usize = parts.iter().map(|part| part.len()).sum();
    println!("{bytes} bytes, {}", sum.into_inner());
}

fn add(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let words = words.iter().fold(0u64, |sum, word| sum.wrapping_add(u64::from_le_bytes(*word)));
    words.wrapping_add(rest.len() as u64)
}

//! Damaged files: cut at every byte, flipped at every header field, and shaken at random. Each opens, is salvaged or is
//! refused with an offset inside the file; none panics or hangs.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;

use ireescope::bundle::BundleError;
use ireescope::table::read_everything;

use crate::Test;
use crate::support::ask::{captures, file, open};
use crate::support::builder::fixed;
use crate::support::built;
use crate::support::layouts::layout;
use crate::support::random::Random;

pub const TESTS: &[Test] = &[
    ("a_cut_at_every_byte_is_salvaged", cut_everywhere),
    ("a_flip_in_every_header_field_is_found_or_harmless", flip_headers),
    ("random_damage_never_panics", shaken),
];

/// Opens the file and decodes every column of every table; what is wrong is an error.
fn read_all(path: &Path) -> Result<usize, BundleError> {
    let bundle = Arc::new(open(path, "b")?);
    read_everything(&[bundle])
        .map_err(|failure| *failure.downcast().expect("what can fail is the file"))
}

/// Reads damaged bytes; a panic fails the test and says how to see it again.
fn survives(bytes: &[u8], how: &str) -> Result<usize, BundleError> {
    let file = file(bytes);
    let result = catch_unwind(AssertUnwindSafe(|| read_all(file.path())));
    let result = result.unwrap_or_else(|_| panic!("{how}: a panic"));
    if let Err(BundleError::Damaged { fault, .. }) = &result {
        assert!(fault.offset <= bytes.len() as u64, "{how}: {fault} is outside the file");
    }
    result
}

fn fixtures() -> Vec<(String, Vec<u8>)> {
    let built = ["gpu", "no_clock", "lossy", "two_sessions", "orphans"]
        .map(|name| (name.to_owned(), built::named(name)));
    let read =
        |path: std::path::PathBuf| (path.display().to_string(), std::fs::read(&path).unwrap());
    built.into_iter().chain(captures().into_iter().map(read)).collect()
}

/// Where the records of a whole file begin, by its own lengths.
fn record_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 24;
    while at + 104 <= bytes.len() {
        starts.push(at);
        at += u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    }
    starts
}

fn cut_everywhere() {
    for (name, bytes) in fixtures() {
        let starts = record_starts(&bytes);
        let file = file(&bytes);
        // One file, made shorter byte by byte; around the edges of records every table is read, too.
        for keep in (0..bytes.len()).rev() {
            file.as_file().set_len(keep as u64).unwrap();
            let how = format!("{name} cut at {keep}");
            if starts.iter().any(|start| keep.abs_diff(*start) <= 1) {
                assert_eq!(read_all(file.path()).is_ok(), keep >= 24, "{how}");
            }
            let bundle = match open(file.path(), "b") {
                Ok(bundle) => bundle,
                Err(error) => {
                    assert!(keep < 24, "{how}: {error}");
                    continue;
                }
            };
            assert!(keep >= 24, "{how} has a header");
            let whole =
                starts.iter().filter(|start| keep >= **start + length(&bytes, **start)).count();
            assert_eq!(bundle.directory.entries.len(), whole, "{how} keeps every whole record");
            let finished = u64::from_le_bytes(bytes[16..24].try_into().unwrap());
            assert_eq!(
                bundle.salvage().is_some(),
                finished == 0 || keep < finished as usize,
                "{how} says that it was cut"
            );
        }
    }
}

fn length(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize
}

fn flip_headers() {
    for (name, bytes) in fixtures() {
        let mut places: Vec<(usize, String)> = layout("file_header")
            .fields
            .iter()
            .map(|field| (field.offset, field.name.clone()))
            .collect();
        for start in record_starts(&bytes).into_iter().take(40) {
            let fields = layout("file_record_header").fields.iter();
            places.extend(fields.map(|field| (start + field.offset, field.name.clone())));
        }
        for (at, field) in places {
            for mask in [0x01, 0x80, 0xff] {
                let mut flipped = bytes.clone();
                flipped[at] ^= mask;
                let how = format!("{name}: {field} at {at} ^ {mask:#x}");
                let outcome = survives(&flipped, &how);
                let finished = bytes[16..24] != [0; 8];
                let structural = matches!(field.as_str(), "magic" | "version_major" | "flags");
                let lengths = [
                    "record_length",
                    "payload_length",
                    "header_length",
                    "content_type_length",
                    "name_length",
                ];
                if structural || (finished && lengths.contains(&field.as_str())) {
                    assert!(outcome.is_err(), "{how} is noticed");
                }
            }
        }
    }
}

/// Seeded damage of four kinds; `IREESCOPE_SHAKE` says how many files to try.
fn shaken() {
    let rounds: u64 =
        std::env::var("IREESCOPE_SHAKE").ok().and_then(|text| text.parse().ok()).unwrap_or(3000);
    let fixtures = fixtures();
    let header = fixed("file_record_header", &[]).len();
    for seed in 0..rounds {
        let mut random = Random(seed);
        let (name, bytes) = &fixtures[random.below(fixtures.len())];
        let mut bytes = bytes.clone();
        for _ in 0..=random.below(6) {
            let at = random.below(bytes.len());
            match random.below(4) {
                0 => bytes[at] = random.next() as u8,
                1 => bytes.truncate(at.max(header)),
                2 => {
                    let end = (at + 4).min(bytes.len());
                    bytes[at..end].fill(0xff);
                }
                _ => {
                    let from = random.below(bytes.len());
                    let count = random.below(64).min(bytes.len() - at).min(bytes.len() - from);
                    bytes.copy_within(from..from + count, at);
                }
            }
        }
        // Either outcome is fine; what counts is that there is one.
        let _ = survives(&bytes, &format!("{name} shaken with seed {seed}"));
    }
}

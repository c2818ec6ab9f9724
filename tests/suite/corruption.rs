//! Damaged files: cut at every byte, flipped at every header field, and shaken at random. Each opens, is salvaged or is
//! refused with an offset inside the file; none panics or hangs.

use std::os::unix::fs::FileExt;
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
fn survives(path: &Path, how: &str) -> Result<usize, BundleError> {
    let result = catch_unwind(AssertUnwindSafe(|| read_all(path)));
    let result = result.unwrap_or_else(|_| panic!("{how}: a panic"));
    if let Err(BundleError::Damaged { fault, .. }) = &result {
        let length = std::fs::metadata(path).unwrap().len();
        assert!(fault.offset <= length, "{how}: {fault} is outside the file");
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
        let finished = bytes[16..24] != [0; 8];
        let damaged = file(&bytes);
        let file_fields = layout("file_header").fields.iter().map(|field| (0, None, field));
        let starts = record_starts(&bytes);
        let record_fields = starts.iter().enumerate().flat_map(|(index, start)| {
            layout("file_record_header")
                .fields
                .iter()
                .map(move |field| (*start, Some(index as u64), field))
        });
        for (start, record, field) in file_fields.chain(record_fields) {
            let at = start + field.offset;
            let Some(byte) = bytes.get(at) else { continue };
            for mask in [0x01, 0x80, 0xff] {
                damaged.as_file().write_all_at(&[byte ^ mask], at as u64).unwrap();
                let how = format!("{name}: {} at {at} ^ {mask:#x}", field.name);
                // Every table of the first records; the directory of all.
                let deep = record.is_none_or(|record| record < 5);
                let outcome = if deep {
                    survives(damaged.path(), &how).map(drop)
                } else {
                    open(damaged.path(), "b").map(drop)
                };
                noticed(&field.name, (start as u64, at as u64), record, finished, outcome, &how);
            }
            damaged.as_file().write_all_at(&[*byte], at as u64).unwrap();
        }
    }
}

/// A flip in a field that must hold one value is an error in that very place.
fn noticed(
    field: &str,
    (start, at): (u64, u64),
    record: Option<u64>,
    finished: bool,
    outcome: Result<(), BundleError>,
    how: &str,
) {
    let wanted = match (record, field) {
        (None, "magic" | "version_major") => {
            let error = outcome.expect_err(how).to_string();
            assert!(error.contains(&format!("at byte {at} (0x{at:x}), {field}")), "{how}: {error}");
            return;
        }
        (_, "flags") => (at, field),
        // The five lengths must add up, which is said of the first; a header length that is too small, of itself.
        (Some(_), "header_length") if finished => match outcome {
            Err(BundleError::Damaged { fault, .. }) => {
                assert!(
                    [start, at].contains(&fault.offset) && fault.record == record,
                    "{how}: {fault}"
                );
                return;
            }
            other => panic!("{how}: {other:?}"),
        },
        (Some(_), "record_length" | "payload_length" | "content_type_length" | "name_length")
            if finished =>
        {
            (start, "record_length")
        }
        _ => return,
    };
    match outcome {
        Err(BundleError::Damaged { fault, .. }) => {
            assert_eq!(
                (fault.offset, fault.field, fault.record),
                (wanted.0, wanted.1, record),
                "{how}: {fault}"
            );
        }
        other => panic!("{how}: {other:?}"),
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
        let _ = survives(file(&bytes).path(), &format!("{name} shaken with seed {seed}"));
    }
}

//! Tests damaged files: truncated near every record border and at many other bytes, with bit flips in every header field, and with random damage. Each
//! opens, is salvaged or is rejected with an offset inside the file, without a panic or a hang.

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
use crate::support::day::is_tried;
use crate::support::layouts::layout;
use crate::support::random::Random;

pub const TESTS: &[Test] = &[
    ("a_cut_at_any_byte_is_salvaged", cut_anywhere),
    ("a_flip_in_every_header_field_is_found_or_harmless", flip_headers),
    ("random_damage_never_panics", shaken),
];

/// Opens the file and decodes every column of every table.
fn read_all(path: &Path) -> Result<usize, BundleError> {
    let bundle = Arc::new(open(path, "b")?);
    read_everything(&[bundle])
        .map_err(|failure| *failure.downcast().expect("what can fail is the file"))
}

/// Reads a damaged file; a panic fails the test with `how`, which describes the damage.
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

/// Returns the offsets of the records of an undamaged file, from the record lengths.
fn record_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 24;
    while at + 104 <= bytes.len() {
        starts.push(at);
        at += u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
    }
    starts
}

/// How far from a border of records every cut is tried, and which of the others: one in so many.
const NEAR: usize = 8;
const AWAY: usize = 97;

fn cut_anywhere() {
    for (name, bytes) in fixtures() {
        let starts = record_starts(&bytes);
        let file = file(&bytes);
        let borders = [starts.as_slice(), &[bytes.len()]].concat();
        let is_near = |keep: usize| {
            let next = borders.partition_point(|border| border + NEAR < keep);
            borders.get(next).is_some_and(|start| start.abs_diff(keep) <= NEAR)
        };
        // Shortens one file, and reads all tables at lengths next to the borders.
        for keep in (0..bytes.len()).rev().filter(|keep| is_near(*keep) || is_tried(*keep, AWAY)) {
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
                // Reads every table for damage in the first records, and only the directory for the others.
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

/// Checks that a flip in a field with a single valid value is an error at that field.
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
        // An inconsistent sum of the five lengths is reported at `record_length`, a header length that is too small at
        // itself.
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

/// Applies seeded damage of four kinds; `IREESCOPE_SHAKE` sets the number of files.
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
        // Success and an error are both fine; only a panic or a hang is not.
        let _ = survives(file(&bytes).path(), &format!("{name} shaken with seed {seed}"));
    }
}

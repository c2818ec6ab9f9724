//! Fuzzes the reader with arbitrary bytes: it opens, salvages or rejects them, and decodes every column of every table
//! without a panic.
//!
//! Run `cargo fuzz run read` in this folder with a nightly toolchain; tests/data has seeds. The ordinary test
//! `corruption::random_damage_never_panics` runs the same function on seeded damage.
#![no_main]

use std::io::Write;
use std::sync::Arc;

use ireescope::bundle::{self, BundleSource};
use ireescope::table::read_everything;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(mut file) = tempfile::NamedTempFile::new() else { return };
    if file.write_all(bytes).is_err() {
        return;
    }
    let source = BundleSource::named("fuzz".into(), file.path().to_owned());
    if let Ok(bundle) = bundle::open(&source, &bundle::OpenOptions::default()) {
        // Damage inside a chunk is an error, which is fine; only a panic is not.
        let _ = read_everything(&[Arc::new(bundle)]);
    }
});

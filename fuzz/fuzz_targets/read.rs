//! Any bytes: the reader opens, salvages or refuses them, and decodes every column of every table without a panic.
//!
//! `cargo fuzz run read` (from this folder, with a nightly toolchain); tests/data holds seeds. The same function runs
//! over seeded damage as an ordinary test, `corruption::random_damage_never_panics`.
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
    if let Ok(bundle) = bundle::open(&source, false) {
        // Damage inside a chunk is an error; what counts is that it is one.
        let _ = read_everything(&[Arc::new(bundle)]);
    }
});

//! SHA-256 digests, in the form that `sha256sum` prints.

use std::fs::File;
use std::io;
use std::path::Path;

use sha2::digest::Output;
use sha2::{Digest, Sha256};

/// Formats a digest as lower-case hexadecimal digits.
pub fn hexadecimal(digest: &Output<Sha256>) -> String {
    format!("{digest:x}")
}

/// Returns the digest of some bytes.
pub fn of(bytes: impl AsRef<[u8]>) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// Returns the size of a file in bytes and its digest. Memory use does not depend on the size.
pub fn of_file(path: &Path) -> io::Result<(u64, String)> {
    let mut digest = Sha256::new();
    let bytes = io::copy(&mut File::open(path)?, &mut digest)?;
    Ok((bytes, hexadecimal(&digest.finalize())))
}

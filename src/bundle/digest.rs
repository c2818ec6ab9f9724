//! SHA-256 digests, in the form that `sha256sum` prints.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::digest::Output;
use sha2::{Digest, Sha256};

/// Formats a digest as lower-case hexadecimal digits.
pub fn hexadecimal(digest: &Output<Sha256>) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the size of a file in bytes and its digest. Memory use does not depend on the size.
pub fn of_file(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 16];
    let mut bytes = 0_u64;
    loop {
        let count = file.read(&mut buffer)?;
        if count == 0 {
            return Ok((bytes, hexadecimal(&digest.finalize())));
        }
        digest.update(buffer.get(..count).unwrap_or_default());
        bytes = bytes.saturating_add(count as u64);
    }
}

//! Standard input as a file, which the bundle `-` is read from.

use std::fs::File;
use std::io;

/// Returns standard input.
#[cfg(unix)]
pub fn file() -> io::Result<File> {
    use std::os::fd::AsFd;
    Ok(io::stdin().as_fd().try_clone_to_owned()?.into())
}

/// Copies standard input to an unnamed temporary file.
#[cfg(not(unix))]
pub fn file() -> io::Result<File> {
    let mut copy = tempfile::tempfile()?;
    io::copy(&mut io::stdin().lock(), &mut copy)?;
    Ok(copy)
}

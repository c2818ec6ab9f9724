//! Compares files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Number of bytes that are compared at once.
const BLOCK: usize = 1 << 16;

/// Whether two files have the same bytes. Compares their sizes before their contents.
pub fn are_equal(one: &Path, other: &Path) -> io::Result<bool> {
    if one.metadata()?.len() != other.metadata()?.len() {
        return Ok(false);
    }
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
    let [mut mine, mut theirs] = [vec![0; BLOCK], vec![0; BLOCK]];
    loop {
        let count = one.read(&mut mine)?;
        let (Some(mine), Some(theirs)) = (mine.get(..count), theirs.get_mut(..count)) else {
            return Ok(false);
        };
        other.read_exact(theirs)?;
        if count == 0 || mine != theirs {
            return Ok(count == 0);
        }
    }
}

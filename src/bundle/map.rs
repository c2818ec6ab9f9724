//! The memory map: the one file with `unsafe` in it.
#![expect(unsafe_code, reason = "mapping a file is unsafe; nothing else here is")]

use std::fs::File;
use std::io;

use memmap2::Mmap;

/// Maps `file` for reading.
pub fn map(file: &File) -> io::Result<Mmap> {
    // SAFETY: the map is read-only and private to this process, and its bytes are only ever read as plain integers
    // and byte slices through checked access. What remains is the operating system's own hazard: a file that another
    // process cuts short while it is mapped ends this process with SIGBUS, as it does every reader that maps files.
    unsafe { Mmap::map(file) }
}

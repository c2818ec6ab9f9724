//! The memory map: the one file with `unsafe` in it.
#![expect(unsafe_code, reason = "mapping a file is unsafe; nothing else here is")]

use std::fs::File;
use std::io;
use std::ops::Deref;

use memmap2::Mmap;
#[cfg(unix)]
use {
    super::limits::PARALLEL_UNMAPPING_BYTES,
    memmap2::{Advice, UncheckedAdvice},
    std::thread,
};

/// The bytes of a file.
#[derive(Debug)]
pub struct Map(Mmap);

impl Map {
    /// Maps `file` for reading, mostly from front to back.
    pub fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the map is read-only and private to this process, and its bytes are only ever read as plain integers
        // and byte slices through checked access. What remains is the operating system's own hazard: a file that another
        // process cuts short while it is mapped ends this process with SIGBUS, as it does every reader that maps files.
        let map = unsafe { Mmap::map(file) }?;
        // More is read ahead, and no page is noted as used when it is let go. It is for speed alone.
        #[cfg(unix)]
        drop(map.advise(Advice::Sequential));
        Ok(Self(map))
    }

    /// Lets the pages of a part go; whoever read them again would find the same in the file.
    #[cfg(unix)]
    fn release(&self, start: usize, length: usize) {
        // SAFETY: nothing was ever written to the map, so that there is nothing to lose.
        let released =
            unsafe { self.0.unchecked_advise_range(UncheckedAdvice::DontNeed, start, length) };
        // It is for speed alone.
        drop(released);
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

#[cfg(unix)]
impl Drop for Map {
    /// To let the pages of a large file go takes a tenth of the time in which they are read: two threads do it.
    fn drop(&mut self) {
        let half = ((self.0.len() / 2) >> 21) << 21;
        if half * 2 < PARALLEL_UNMAPPING_BYTES {
            return;
        }
        thread::scope(|scope| {
            let rest = || self.release(half, self.0.len() - half);
            if thread::Builder::new().spawn_scoped(scope, rest).is_ok() {
                self.release(0, half);
            }
        });
    }
}

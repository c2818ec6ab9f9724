//! Memory-maps files. This is the only file with `unsafe` code.
#![expect(unsafe_code, reason = "only mapping a file is unsafe")]

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

/// The memory-mapped bytes of a file.
#[derive(Debug)]
pub struct Map(Mmap);

impl Map {
    /// Maps `file` for reading, mostly from front to back.
    pub fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the map is read-only, and its bytes are only read as plain integers and byte slices through checked
        // access. One hazard remains, as for every program that maps files: if another process truncates the file while
        // it is mapped, the operating system ends this process with SIGBUS.
        let map = unsafe { Mmap::map(file) }?;
        // The advice increases read-ahead. Failure only costs speed.
        #[cfg(unix)]
        drop(map.advise(Advice::Sequential));
        Ok(Self(map))
    }

    /// Releases the pages of a range. A later read would load them from the file again.
    #[cfg(unix)]
    fn release(&self, start: usize, length: usize) {
        // SAFETY: the map is never written to, so that releasing pages loses no data.
        let released =
            unsafe { self.0.unchecked_advise_range(UncheckedAdvice::DontNeed, start, length) };
        // Failure only costs speed.
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
    /// Releases the pages of a large file with two threads. Unmapping them with one takes about a tenth of the time of
    /// reading them.
    fn drop(&mut self) {
        // `madvise` needs a page-aligned start. A multiple of 2 MiB is aligned for all common page sizes.
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

//! Changes a list of files in a store, where nothing can be renamed.
//!
//! Files have names that nobody else uses, so that none is ever written over. They are written first. A small file then lists
//! them: it is written on the condition that it is still the one that was read, and else read again and changed again. So a
//! reader sees a change before or after, and of writers at the same time, each changes what the others left. What the list
//! does not name, as its writer was killed or it was replaced, is removed when it is [`ABANDONED`]: readers of the list before
//! have until then.

use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, SystemTime};
use std::{fs, process};

use base::digest::hexadecimal;
use sha2::{Digest, Sha256};

use super::error::RemoteError;
use super::folder::RemoteFolder;

/// How old files are removed that no list names.
pub const ABANDONED: Duration = Duration::from_hours(24);
/// How often a list is tried to be changed.
const TRIES: u32 = 200;
/// The longest time between two tries.
const PAUSE_MS: u32 = 500;

/// What becomes of a list.
pub enum Change<T> {
    /// It stays.
    Done(T),
    /// It becomes this text.
    Write(String, T),
}

impl RemoteFolder {
    /// Changes a file that lists others, by its text; `None` if there is none. `change` is called again when another writer came
    /// first, or when the answer to its own write was lost: it has to look whether what it adds is there already.
    pub fn change<T, E: From<RemoteError>>(
        &self,
        file: &str,
        mut change: impl FnMut(Option<&[u8]>) -> Result<Change<T>, E>,
    ) -> Result<T, E> {
        for nth in 0..TRIES {
            let (text, version) = self.read(file)?.unzip();
            let (text, done) = match change(text.as_deref())? {
                Change::Done(done) => return Ok(done),
                Change::Write(text, done) => (text, done),
            };
            match self.replace(file, text.into_bytes(), version) {
                Err(error) if error.is_conflict() => sleep(pause(nth)),
                replaced => return Ok(replaced.map(|()| done)?),
            }
        }
        Err(RemoteError::Busy(self.address().to_owned()).into())
    }
}

/// Returns the end of names that nobody else uses.
pub fn unique() -> String {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let host = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default();
    let what = format!("{:?} {} {count} {host}", SystemTime::now(), process::id());
    hexadecimal(&Sha256::digest(what)).chars().take(12).collect()
}

/// Returns how long to wait before the next try: differently long in each process, so that writers do not meet again.
fn pause(nth: u32) -> Duration {
    let random = Sha256::digest(unique()).first().copied().unwrap_or_default();
    let most = PAUSE_MS.min(20 << nth.min(8));
    Duration::from_millis(u64::from(most) * (u64::from(random) + 1) / 256)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_pauses_end() {
        assert_ne!(unique(), unique());
        assert!((0..40).all(|nth| pause(nth) <= Duration::from_millis(PAUSE_MS.into())));
    }
}

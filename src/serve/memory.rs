//! Keeps the memory of the process near its limit: stops statements when it takes more, and gives back what they held.
//!
//! Operators reserve what they hold, but not all of it: batches without columns, for one, reserve nothing, however many there
//! are. And allocators keep some of what is freed.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

/// How often the memory is looked at.
const INTERVAL: Duration = Duration::from_millis(50);
/// How often memory is given back that is not needed at once.
const SELDOM: Duration = Duration::from_secs(2);
/// What the process may take beside what statements reserve.
const BESIDE: u64 = 256 << 20;
/// What may be held more, while memory is given back, before more statements are stopped.
const MORE: u64 = 64 << 20;
/// The part of the statements that are stopped at once, the oldest first.
const PART: usize = 8;
/// Statements that took less time leave little behind.
const SHORT: Duration = Duration::from_millis(250);

/// The statements that run.
#[derive(Debug, Default)]
pub struct Guard {
    /// By the order in which they began.
    running: Mutex<BTreeMap<u64, CancellationToken>>,
    next: AtomicU64,
    /// Whether a long statement has ended since the memory was looked at.
    has_ended: AtomicBool,
}

/// A statement that runs, for as long as this lives.
#[derive(Debug)]
pub struct Guarded {
    guard: Arc<Guard>,
    number: u64,
    begun: Instant,
    stop: CancellationToken,
}

impl Guarded {
    /// Returns what is cancelled when the statement is to stop.
    pub fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        self.guard.running().remove(&self.number);
        if self.begun.elapsed() > SHORT {
            self.guard.has_ended.store(true, Ordering::Relaxed);
        }
    }
}

impl Guard {
    /// Notes a statement that begins.
    pub fn begin(self: &Arc<Self>) -> Guarded {
        let (number, stop) = (self.next.fetch_add(1, Ordering::Relaxed), CancellationToken::new());
        self.running().insert(number, stop.clone());
        Guarded { guard: Arc::clone(self), number, begun: Instant::now(), stop }
    }

    /// Looks at the memory for as long as this is polled. Statements may reserve `limit` bytes.
    pub async fn keep(&self, limit: usize) {
        let most = (limit as u64).saturating_add(BESIDE);
        // What was held when statements were stopped last, and the work that gives back what they held.
        let (mut before, mut given_back) = (0, Instant::now());
        let mut giving = tokio::task::spawn_blocking(|| ());
        loop {
            tokio::time::sleep(INTERVAL).await;
            let Some(held) = held() else { return };
            // What is given back is held until then, and others may take more meanwhile.
            let is_too_much = held > most && (giving.is_finished() || held > before + MORE);
            if is_too_much {
                let stopped = self.stop_some();
                before = held;
                tracing::warn!(
                    "{held} bytes of memory are held, more than {most}: {stopped} statements are stopped"
                );
            }
            let is_time =
                given_back.elapsed() > SELDOM && self.has_ended.swap(false, Ordering::Relaxed);
            if (is_too_much || is_time) && giving.is_finished() {
                given_back = Instant::now();
                giving = tokio::task::spawn_blocking(give_back);
            }
        }
    }

    /// Stops some of the statements that have run for longest, and returns their number.
    fn stop_some(&self) -> usize {
        let mut running = self.running();
        let some = running.len().div_ceil(PART);
        for _ in 0..some {
            if let Some((_, stop)) = running.pop_first() {
                stop.cancel();
            }
        }
        some
    }

    fn running(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, CancellationToken>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the memory of the process that is not that of files; `None` where the system does not tell.
fn held() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? << 10)
}

/// Gives freed memory back to the system: that of the C library, and that of jemalloc, which the program has.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[expect(unsafe_code, reason = "functions of C libraries")]
fn give_back() {
    use std::ptr::null_mut;
    // SAFETY: it takes no pointer, and any thread may call it at any time.
    unsafe { libc::malloc_trim(0) };
    // The number stands for all arenas.
    let purge = c"arena.4096.purge";
    // SAFETY: the name ends with 0, nothing is read or written, and any thread may call it at any time.
    unsafe {
        tikv_jemalloc_sys::mallctl(purge.as_ptr(), null_mut(), null_mut(), null_mut(), 0);
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn give_back() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_statements_are_stopped() {
        let guard = Arc::new(Guard::default());
        let running: Vec<_> = (0..9).map(|_| guard.begin()).collect();
        assert_eq!(guard.stop_some(), 2);
        let stopped = running.iter().map(|it| it.stop().is_cancelled()).collect::<Vec<_>>();
        assert_eq!(stopped[..3], [true, true, false]);
        drop(running);
        assert!(guard.running().is_empty());
        assert_eq!(guard.stop_some(), 0);
    }
}

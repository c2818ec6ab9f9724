//! Threads for statements. Each statement that runs has a runtime of its own, so that one that computes for long without a
//! pause, as passes do, takes no thread from others. Runtimes are kept for later statements.
//!
//! A statement that has run for a while gets a lower priority from the system, so that many long ones delay short ones
//! little; the more statements run, the sooner. A priority cannot be raised again, so such threads are not kept.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::runtime::{Builder, Handle, Runtime};

use super::error::ServeError;
use crate::workspace::DEEP_STACK;

/// Most runtimes that are kept.
const KEPT: usize = 8;
/// The time after which a statement counts as long, divided by how often the running statements fill the processors.
const LONG: Duration = Duration::from_millis(250);

/// The runtimes that no statement uses.
#[derive(Debug, Default)]
pub struct Runtimes {
    idle: Mutex<Vec<Kept>>,
    /// Lives once more for each statement that runs.
    running: Arc<()>,
}

#[derive(Debug)]
struct Kept {
    workers: usize,
    threads: Arc<Threads>,
    runtime: Runtime,
}

/// A runtime for one statement.
#[derive(Debug)]
pub struct Lease {
    kept: Option<Kept>,
    all: Arc<Runtimes>,
    /// Lives as long as this.
    _alive: Arc<()>,
    _running: Arc<()>,
}

impl Runtimes {
    /// Returns a runtime with this number of threads.
    pub fn lease(self: &Arc<Self>, workers: usize) -> Result<Lease, ServeError> {
        let known = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let nth = idle.iter().rposition(|kept| kept.workers == workers);
            nth.map(|nth| idle.swap_remove(nth))
        };
        let kept = known.map_or_else(|| Kept::new(workers), Ok)?;
        let (alive, threads) = (Arc::new(()), Arc::clone(&kept.threads));
        let still = Arc::downgrade(&alive);
        let running = Arc::clone(&self.running);
        let often = Arc::strong_count(&running).div_ceil(workers.max(1));
        let long = LONG / u32::try_from(often).unwrap_or(u32::MAX);
        tokio::spawn(async move {
            tokio::time::sleep(long).await;
            if still.upgrade().is_some() {
                threads.lower();
            }
        });
        Ok(Lease { kept: Some(kept), all: Arc::clone(self), _alive: alive, _running: running })
    }
}

impl Kept {
    fn new(workers: usize) -> Result<Self, ServeError> {
        let threads = Arc::new(Threads::default());
        let started = Arc::clone(&threads);
        let runtime = Builder::new_multi_thread()
            .worker_threads(workers)
            // Statements are planned here, too.
            .thread_stack_size(DEEP_STACK)
            .thread_name("statement")
            .on_thread_start(move || started.add())
            .enable_all()
            .build()
            .map_err(|source| ServeError::System { action: "start a thread", source })?;
        Ok(Self { workers, threads, runtime })
    }
}

impl Lease {
    /// Returns what spawns tasks in the runtime.
    pub fn handle(&self) -> Option<&Handle> {
        self.kept.as_ref().map(|kept| kept.runtime.handle())
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(kept) = self.kept.take() else { return };
        let mut idle = self.all.idle.lock().unwrap_or_else(PoisonError::into_inner);
        // Parts of a statement that was stopped may still compute. They end with the threads.
        let is_busy = kept.runtime.metrics().num_alive_tasks() > 0;
        if is_busy || kept.threads.is_lowered() || idle.len() >= KEPT {
            drop(idle);
            kept.runtime.shutdown_background();
        } else {
            idle.push(kept);
        }
    }
}

impl Drop for Runtimes {
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        idle.drain(..).for_each(|kept| kept.runtime.shutdown_background());
    }
}

/// The threads of a runtime, and whether they have a low priority.
#[derive(Debug, Default)]
struct Threads(Mutex<(Vec<Thread>, bool)>);

#[cfg(target_os = "linux")]
type Thread = rustix::process::Pid;

#[cfg(not(target_os = "linux"))]
type Thread = ();

impl Threads {
    /// Notes the thread that calls this.
    fn add(&self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = current();
        if known.1 {
            lower(thread);
        }
        known.0.push(thread);
    }

    fn lower(&self) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.1 = true;
        known.0.iter().copied().for_each(lower);
    }

    fn is_lowered(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).1
    }
}

#[cfg(target_os = "linux")]
fn current() -> Thread {
    rustix::thread::gettid()
}

/// Gives a thread the lowest priority; a thread that has ended has none. On Linux, priorities are those of threads.
#[cfg(target_os = "linux")]
fn lower(thread: Thread) {
    let _ = rustix::process::setpriority_process(Some(thread), 19);
}

#[cfg(not(target_os = "linux"))]
fn current() -> Thread {}

#[cfg(not(target_os = "linux"))]
fn lower(_: Thread) {}

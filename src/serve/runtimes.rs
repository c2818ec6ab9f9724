//! Threads for statements. Each statement that runs has a runtime of its own, so that one that computes for long without a
//! pause, as passes do, takes no thread from others. Runtimes are kept for later statements.
//!
//! A statement that has run for a while gets a lower priority from the system, so that many long ones delay short ones
//! little; the more statements run, the sooner. A priority cannot be raised again, so such threads are not kept.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle, Runtime};
use workspace::DEEP_STACK;

use super::error::ServeError;

/// Most runtimes that are kept.
const KEPT: usize = 8;
/// The time after which a statement counts as long, divided by how often the running statements fill the processors.
const LONG: Duration = Duration::from_millis(250);

/// The runtimes of statements.
#[derive(Debug, Default)]
pub struct Runtimes {
    /// Those that no statement uses.
    idle: Mutex<Vec<Kept>>,
    running: Mutex<Running>,
}

/// The statements that run, by the order in which they began.
#[derive(Debug, Default)]
struct Running {
    next: u64,
    all: BTreeMap<u64, (Instant, Arc<Threads>)>,
}

impl Running {
    /// Returns after what time a statement counts as long.
    fn long(&self, workers: usize) -> Duration {
        let often = self.all.len().div_ceil(workers.max(1)).max(1);
        LONG / u32::try_from(often).unwrap_or(u32::MAX)
    }
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
    number: u64,
}

impl Runtimes {
    /// Returns a runtime with this number of threads.
    pub(crate) fn lease(self: &Arc<Self>, workers: usize) -> Result<Lease, ServeError> {
        let known = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let nth = idle.iter().rposition(|kept| kept.workers == workers);
            nth.map(|nth| idle.swap_remove(nth))
        };
        let kept = known.map_or_else(|| Kept::new(workers), Ok)?;
        let number = {
            let mut running = self.running();
            let number = running.next;
            running.next += 1;
            running.all.insert(number, (Instant::now(), Arc::clone(&kept.threads)));
            // With one more, others may be long now.
            let long = running.long(workers);
            let is_long = |begun: &Instant| begun.elapsed() >= long;
            running.all.values().filter(|it| is_long(&it.0)).for_each(|it| it.1.lower());
            number
        };
        let all = Arc::clone(self);
        tokio::spawn(async move {
            while let Some(rest) = all.rest(number, workers) {
                tokio::time::sleep(rest).await;
            }
        });
        Ok(Lease { kept: Some(kept), all: Arc::clone(self), number })
    }

    /// Returns after what time a statement is long. Lowers the priority of one that is; `None` then, and if it has ended.
    fn rest(&self, number: u64, workers: usize) -> Option<Duration> {
        let running = self.running();
        let (begun, threads) = running.all.get(&number)?;
        let rest = running.long(workers).checked_sub(begun.elapsed()).filter(|it| !it.is_zero());
        if rest.is_none() {
            threads.lower();
        }
        rest
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
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
        self.all.running().all.remove(&self.number);
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
        if !std::mem::replace(&mut known.1, true) {
            known.0.iter().copied().for_each(lower);
        }
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

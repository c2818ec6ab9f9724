//! Threads for statements. Each statement that runs has a runtime of its own, so that one that computes for long without a
//! pause, as passes do, takes no thread from others. Runtimes are kept for later statements.

use std::sync::{Arc, Mutex, PoisonError};

use tokio::runtime::{Builder, Handle, Runtime};

use super::error::ServeError;
use crate::workspace::DEEP_STACK;

/// The runtimes that no statement uses.
#[derive(Debug, Default)]
pub struct Runtimes {
    idle: Mutex<Vec<(usize, Runtime)>>,
}

/// A runtime for one statement.
#[derive(Debug)]
pub struct Lease {
    threads: usize,
    runtime: Option<Runtime>,
    all: Arc<Runtimes>,
}

impl Runtimes {
    /// Returns a runtime with this number of threads.
    pub fn lease(self: &Arc<Self>, threads: usize) -> Result<Lease, ServeError> {
        let known = {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            let nth = idle.iter().rposition(|(known, _)| *known == threads);
            nth.map(|nth| idle.swap_remove(nth).1)
        };
        let runtime = match known {
            Some(runtime) => runtime,
            None => Builder::new_multi_thread()
                .worker_threads(threads)
                // Statements are planned here, too.
                .thread_stack_size(DEEP_STACK)
                .thread_name("statement")
                .enable_all()
                .build()
                .map_err(|source| ServeError::System { action: "start a thread", source })?,
        };
        Ok(Lease { threads, runtime: Some(runtime), all: Arc::clone(self) })
    }
}

impl Lease {
    /// Returns what spawns tasks in the runtime.
    pub fn handle(&self) -> Option<&Handle> {
        self.runtime.as_ref().map(Runtime::handle)
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        // Parts of a statement that was stopped may still compute. They end with the threads.
        if runtime.metrics().num_alive_tasks() > 0 {
            runtime.shutdown_background();
            return;
        }
        let mut idle = self.all.idle.lock().unwrap_or_else(PoisonError::into_inner);
        idle.push((self.threads, runtime));
    }
}

impl Drop for Runtimes {
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        idle.drain(..).for_each(|(_, runtime)| runtime.shutdown_background());
    }
}

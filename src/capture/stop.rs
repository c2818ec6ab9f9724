//! Stop requests, and the process groups that they end.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A stop request, made from another thread.
#[derive(Debug, Default)]
pub struct Stop {
    asked: AtomicU32,
    groups: Mutex<Vec<u32>>,
}

impl Stop {
    /// Requests a stop. Returns the number of requests so far.
    pub fn ask(&self) -> u32 {
        self.asked.fetch_add(1, Ordering::Relaxed).saturating_add(1)
    }

    /// Whether a stop was requested.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 0
    }

    /// Whether a stop was requested more than once: the tool is then killed without waiting for the grace period.
    pub fn is_urgent(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 1
    }

    /// Kills all running process groups, for a caller that exits the program.
    pub fn kill(&self) {
        self.groups().iter().for_each(|group| send(*group, Signal::Kill));
    }

    /// Registers a running process group.
    pub fn begin(&self, group: u32) {
        self.groups().push(group);
    }

    /// Removes a process group that has ended.
    pub fn end(&self, group: u32) {
        self.groups().retain(|known| *known != group);
    }

    fn groups(&self) -> MutexGuard<'_, Vec<u32>> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A signal to a process group.
#[derive(Debug, Clone, Copy)]
pub enum Signal {
    Interrupt,
    Kill,
}

/// Sends a signal to a process group. Errors are ignored, as the group may have ended already.
#[cfg(unix)]
pub fn send(group: u32, signal: Signal) {
    use nix::sys::signal::{Signal as Number, killpg};
    let number = match signal {
        Signal::Interrupt => Number::SIGINT,
        Signal::Kill => Number::SIGKILL,
    };
    if let Some(group) = i32::try_from(group).ok().filter(|id| *id > 0) {
        let _ = killpg(nix::unistd::Pid::from_raw(group), number);
    }
}

#[cfg(not(unix))]
pub fn send(_: u32, _: Signal) {}

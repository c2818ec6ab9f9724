//! Stop requests, and the process groups that they end.

use std::fs::File;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::guard::Guard;

/// A stop request, made from another thread.
#[derive(Debug, Default)]
pub struct Stop {
    asked: AtomicU32,
    running: Mutex<Running>,
}

/// The process groups that run, and their guards. A guard holds a lock as long as its number is in use.
#[derive(Debug, Default)]
struct Running {
    groups: Vec<u32>,
    guards: Vec<(usize, Guard)>,
    next: usize,
}

/// The lock of a folder, held until the tools that run have ended, even if this program is killed.
#[derive(Debug)]
pub struct Held<'a> {
    stop: &'a Stop,
    guard: usize,
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
    pub(crate) fn is_urgent(&self) -> bool {
        self.asked.load(Ordering::Relaxed) > 1
    }

    /// Kills all running process groups, for a caller that exits the program.
    pub fn kill(&self) {
        self.running().groups.iter().for_each(|group| send(*group, Signal::Kill));
    }

    /// Lets a guard hold the lock of a folder until the result is dropped.
    pub fn hold(&self, lock: Option<&File>) -> Held<'_> {
        let guard = self.running().guard(lock);
        Held { stop: self, guard }
    }

    /// Registers a running process group.
    pub fn begin(&self, group: u32) {
        let mut running = self.running();
        if running.guards.is_empty() {
            running.guard(None);
        }
        running.groups.push(group);
        running.tell();
    }

    /// Removes a process group that has ended.
    pub fn end(&self, group: u32) {
        let mut running = self.running();
        running.groups.retain(|known| *known != group);
        running.tell();
    }

    fn running(&self) -> MutexGuard<'_, Running> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// Starts a guard. Returns its number.
    fn guard(&mut self, lock: Option<&File>) -> usize {
        let number = self.next;
        self.next += 1;
        self.guards.extend(Guard::start(lock).map(|guard| (number, guard)));
        number
    }

    fn tell(&mut self) {
        let groups = &self.groups;
        self.guards.iter_mut().for_each(|(_, guard)| guard.tell(groups));
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.stop.running().guards.retain(|(number, _)| *number != self.guard);
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

//! Distributes chunks among threads. A thread claims one chunk at a time from a shared counter.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use schemas::spec::Family;

use crate::bundle::{Bundle, BundleError, Fault};
use crate::fold::shared::blocks::{Block, Chunk, ROWS, chunks, family};
use crate::fold::shared::threads::on_threads;
use crate::record::Rows;

/// Calls `each` with the blocks of the chunks that this thread claims, in file order. All threads of a pass share the
/// counter `next`.
pub fn shared_rows(
    bundle: &Arc<Bundle>,
    tables: &[&'static str],
    next: &AtomicUsize,
    mut each: impl FnMut(&Block<'_>) -> Result<(), Fault>,
) -> Result<(), BundleError> {
    let chunks = Chunks::of(bundle, tables);
    // Each increment claims one chunk. The counter orders no other memory access, so `Relaxed` suffices.
    loop {
        let nth = next.fetch_add(1, Ordering::Relaxed);
        if nth >= chunks.len() {
            return Ok(());
        }
        chunks.each_block(nth, &mut each)?;
    }
}

/// The chunks of some tables, in file order. Their records must have no trailing data and be read only by
/// [`Block::each_row`], which checks their lengths.
pub struct Chunks<'a> {
    bundle: &'a Bundle,
    families: Vec<Family>,
    records: Vec<(u32, usize)>,
}

impl<'a> Chunks<'a> {
    /// Lists the chunks of the tables.
    pub fn of(bundle: &'a Bundle, tables: &[&'static str]) -> Self {
        let families: Vec<Family> = tables.iter().filter_map(|table| family(table)).collect();
        let records = chunks(bundle, &families);
        Self { bundle, families, records }
    }

    /// Returns the number of chunks.
    pub const fn len(&self) -> usize {
        self.records.len()
    }

    /// Calls `each` with the blocks of all chunks, in file order.
    pub fn each(
        &self,
        mut each: impl FnMut(&Block<'_>) -> Result<(), Fault>,
    ) -> Result<(), BundleError> {
        (0..self.len()).try_for_each(|nth| self.each_block(nth, &mut each))
    }

    /// Returns the size of the largest payload in bytes.
    pub fn largest(&self) -> usize {
        let entries = &self.bundle.directory.entries;
        let entries = self.records.iter().filter_map(|(record, _)| entries.get(*record as usize));
        let payloads = entries.filter_map(|entry| self.bundle.payload(entry).ok());
        payloads.map(|(payload, _)| payload.len()).max().unwrap_or_default()
    }

    /// Calls `each` with the blocks of the n-th chunk, in file order.
    pub fn each_block(
        &self,
        nth: usize,
        mut each: impl FnMut(&Block<'_>) -> Result<(), Fault>,
    ) -> Result<(), BundleError> {
        let Some((record, table)) = self.records.get(nth).copied() else { return Ok(()) };
        let chunk = Chunk::of(self.bundle, &self.families, record, table)?;
        let Some(chunk) = chunk else { return Ok(()) };
        let mut stepper = chunk.stepper();
        let mut starts_chunk = true;
        while starts_chunk || !stepper.is_done() {
            self.bundle.go_on()?;
            let rows = stepper.presumed(ROWS).map_err(|fault| chunk.damaged(fault))?;
            let Rows::Strided { stride, .. } = &rows else { break };
            let block = chunk.block(&rows, starts_chunk);
            each(&block).map_err(|fault| self.bundle.damaged(fault))?;
            // `presumed` checked the first row, so stepping over it always makes progress.
            stepper.advance(block.read.get().max(*stride));
            starts_chunk = false;
        }
        Ok(())
    }
}

/// Aggregates each chunk into its own part, on several threads, and passes the parts to `append` in file order.
/// Returns false if anything failed; the caller must then discard what was appended.
pub fn in_turn<P>(
    chunks: &Chunks<'_>,
    threads: usize,
    begin: impl Fn() -> P + Sync,
    add: impl Fn(&mut P, &Block<'_>) -> Result<(), Fault> + Sync,
    append: impl FnMut(P) -> bool + Send,
) -> bool {
    let turns = Turns::new(append);
    let next = AtomicUsize::new(0);
    let work = || loop {
        // Chunks are claimed in ascending order and appended in the same order; a thread waits until all earlier chunks
        // are appended. The thread with the lowest one never waits, so there is no deadlock, and each thread holds at
        // most one part.
        let nth = next.fetch_add(1, Ordering::Relaxed);
        if nth >= chunks.len() {
            return Ok(());
        }
        let turn = Turn { turns: &turns, is_taken: false };
        let mut part = begin();
        chunks.each_block(nth, |block| add(&mut part, block))?;
        if !turn.take(nth, part) {
            return Ok(());
        }
    };
    on_threads(threads, work).is_ok() && !turns.state().has_failed
}

/// Serializes the calls of `append` in the order of the chunks.
struct Turns<F> {
    state: Mutex<State<F>>,
    changed: Condvar,
}

struct State<F> {
    next: usize,
    has_failed: bool,
    append: F,
}

impl<F> Turns<F> {
    const fn new(append: F) -> Self {
        let state = Mutex::new(State { next: 0, has_failed: false, append });
        Self { state, changed: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State<F>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A claimed chunk. If it is dropped without being appended (error or panic), the whole run fails and no thread waits
/// for it.
struct Turn<'t, F> {
    turns: &'t Turns<F>,
    is_taken: bool,
}

impl<F> Turn<'_, F> {
    /// Waits until all chunks before the n-th are appended, then appends `part`. Returns false if anything failed.
    fn take<P>(mut self, nth: usize, part: P) -> bool
    where
        F: FnMut(P) -> bool,
    {
        let mut state = self.turns.state();
        while state.next != nth && !state.has_failed {
            state = self.turns.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        self.is_taken = !state.has_failed && (state.append)(part);
        state.next += 1;
        drop(state);
        self.turns.changed.notify_all();
        self.is_taken
    }
}

impl<F> Drop for Turn<'_, F> {
    fn drop(&mut self) {
        if !self.is_taken {
            self.turns.state().has_failed = true;
            self.turns.changed.notify_all();
        }
    }
}

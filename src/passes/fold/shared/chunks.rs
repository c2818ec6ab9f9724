//! Distributes chunks among threads. A thread claims one run of chunks at a time from a shared counter.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use read::bundle::{Bundle, BundleError, Fault, limits, load_ahead};
use read::record::RowOffsets;
use schemas::spec::Family;

use crate::fold::shared::blocks::{Block, Chunk, ROWS, chunks, family};
use crate::fold::shared::threads::on_threads;

/// The chunks of some tables in file order, divided into runs of [`limits::RUN_BYTES`] at least. Their records must have
/// no trailing data and be read only by [`Block::each_row`], which checks their lengths.
pub struct Chunks<'a> {
    bundle: &'a Bundle,
    families: Vec<Family>,
    records: Vec<(u32, usize)>,
    runs: Vec<Range<usize>>,
    /// Number of bytes of the largest run.
    largest: u64,
    /// The next run that a thread claims.
    next: AtomicUsize,
}

impl<'a> Chunks<'a> {
    /// Lists the chunks of the tables.
    pub fn of(bundle: &'a Bundle, tables: &[&'static str]) -> Self {
        let families: Vec<Family> = tables.iter().filter_map(|table| family(table)).collect();
        let records = chunks(bundle, &families);
        let (mut runs, mut largest) = (Vec::new(), 0);
        let (mut start, mut bytes) = (0, 0);
        for (nth, (record, _)) in records.iter().enumerate() {
            bytes += bundle.directory.payload(*record).1;
            if bytes >= limits::RUN_BYTES || nth + 1 == records.len() {
                runs.push(start..nth + 1);
                largest = bytes.max(largest);
                (start, bytes) = (nth + 1, 0);
            }
        }
        Self { bundle, families, records, runs, largest, next: AtomicUsize::new(0) }
    }

    /// Whether there are no chunks.
    pub const fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Whether threads can work on different runs and buffer the results of one each.
    pub(crate) fn can_be_shared(&self) -> bool {
        self.runs.len() > 1 && self.largest <= limits::PART_BYTES
    }

    /// Calls `each` with the blocks of all chunks, in file order.
    pub fn each(
        &self,
        mut each: impl FnMut(&Block<'_>) -> Result<(), Fault>,
    ) -> Result<(), BundleError> {
        self.each_of(&self.records, &mut each)
    }

    /// Calls `each` with the blocks of the runs that this thread claims, in file order.
    pub(crate) fn each_claimed(
        &self,
        mut each: impl FnMut(&Block<'_>) -> Result<(), Fault>,
    ) -> Result<(), BundleError> {
        while let Some((_, records)) = self.claim() {
            self.each_of(records, &mut each)?;
        }
        Ok(())
    }

    /// Claims the next run. Returns its number and its chunks.
    fn claim(&self) -> Option<(usize, &[(u32, usize)])> {
        // The counter orders no other memory access, so `Relaxed` suffices.
        let nth = self.next.fetch_add(1, Ordering::Relaxed);
        let run = self.runs.get(nth)?;
        Some((nth, self.records.get(run.clone())?))
    }

    fn each_of(
        &self,
        records: &[(u32, usize)],
        each: &mut impl FnMut(&Block<'_>) -> Result<(), Fault>,
    ) -> Result<(), BundleError> {
        for (nth, (record, table)) in records.iter().enumerate() {
            load_ahead(self.bundle, records, nth, |(record, _)| record);
            self.bundle.go_on()?;
            let Some(chunk) = Chunk::of(self.bundle, &self.families, *record, *table) else {
                continue;
            };
            let mut stepper = chunk.stepper();
            let mut starts_chunk = true;
            while starts_chunk || !stepper.is_done() {
                self.bundle.go_on()?;
                let rows = stepper.presumed(ROWS).map_err(|fault| chunk.damaged(fault))?;
                let RowOffsets::Strided { stride, .. } = &rows else { break };
                let block = chunk.block(&rows, starts_chunk);
                each(&block).map_err(|fault| self.bundle.damaged(fault))?;
                // `presumed` checked the first row, so stepping over it always makes progress.
                stepper.advance(block.read.get().max(*stride));
                starts_chunk = false;
            }
        }
        Ok(())
    }
}

/// Aggregates each run of chunks into its own part, on several threads, and passes the parts to `append` in file order.
/// Returns false if anything failed; the caller must then discard what was appended.
pub(crate) fn in_turn<P>(
    chunks: &Chunks<'_>,
    threads: usize,
    begin: impl Fn() -> P + Sync,
    add: impl Fn(&mut P, &Block<'_>) -> Result<(), Fault> + Sync,
    append: impl FnMut(P) -> bool + Send,
) -> bool {
    let turns = Turns::new(append);
    let work = || {
        // Runs are claimed in ascending order and appended in the same order; a thread waits until all earlier runs are
        // appended. The thread with the lowest one never waits, so there is no deadlock, and each thread holds at most
        // one part.
        while let Some((nth, records)) = chunks.claim() {
            let turn = Turn { turns: &turns, is_taken: false };
            let mut part = begin();
            chunks.each_of(records, &mut |block| add(&mut part, block))?;
            if !turn.take(nth, part) {
                break;
            }
        }
        Ok(())
    };
    on_threads(threads, work).is_ok() && !turns.state().has_failed
}

/// Serializes the calls of `append` in the order of the runs.
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

/// A claimed run. If it is dropped without being appended (error or panic), the whole run fails and no thread waits
/// for it.
struct Turn<'t, F> {
    turns: &'t Turns<F>,
    is_taken: bool,
}

impl<F> Turn<'_, F> {
    /// Waits until all runs before the n-th are appended, then appends `part`. Returns false if anything failed.
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

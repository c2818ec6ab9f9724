//! The memory pool: operators that can spill share what the others leave, and an error names what holds most.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use bytesize::ByteSize;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

/// A limited number of bytes.
///
/// Like DataFusion's `FairSpillPool`, operators that can spill share what the others leave, but with three differences,
/// without which sorts fail beside joins and aggregations when little memory is left. Only operators that hold memory
/// count as sharing it. A sort gets half of its share, because it needs memory to write and merge what it holds. And no
/// share is less than a sixteenth of the limit, or an eighth for a sort, so that there is room for one batch.
#[derive(Debug)]
pub struct Limited {
    limit: usize,
    held: Mutex<Held>,
}

/// What all consumers hold. Each index of a bundle is one, so sums are kept.
#[derive(Debug, Default)]
struct Held {
    consumers: HashMap<usize, Consumer>,
    total: usize,
    /// The bytes of those that cannot spill.
    pinned: usize,
    /// The number of those that can, and hold something.
    sharing: usize,
}

/// What a consumer holds.
#[derive(Debug)]
struct Consumer {
    name: String,
    can_spill: bool,
    bytes: usize,
}

impl Limited {
    pub fn new(limit: usize) -> Self {
        Self { limit, held: Mutex::default() }
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Describes that a consumer could not get `bytes`, and which part of the query holds most.
    fn exhausted(&self, wanting: &str, bytes: usize) -> DataFusionError {
        let size = |bytes: usize| ByteSize::b(bytes as u64).display().si().to_string();
        let held = self.held();
        let most =
            held.consumers.values().max_by_key(|held| held.bytes).filter(|most| most.bytes > 0);
        let most = most.map_or_else(String::new, |most| {
            format!("; {} holds {}", part_of_query(&most.name), size(most.bytes))
        });
        DataFusionError::ResourcesExhausted(format!(
            "{} needs {} more than the limit of {}{most}; raise option `memory_limit`, or select fewer columns or rows",
            part_of_query(wanting),
            size(bytes),
            size(self.limit),
        ))
    }
}

impl Held {
    /// Changes what a consumer holds.
    fn change(&mut self, consumer: &MemoryConsumer, change: impl FnOnce(usize) -> usize) {
        let Some(known) = self.consumers.get_mut(&consumer.id()) else { return };
        let (before, now) = (known.bytes, change(known.bytes));
        known.bytes = now;
        self.total = self.total.saturating_sub(before).saturating_add(now);
        if known.can_spill {
            self.sharing = self.sharing + usize::from(now > 0) - usize::from(before > 0);
        } else {
            self.pinned = self.pinned.saturating_sub(before).saturating_add(now);
        }
    }

    /// Whether a consumer may hold `more` bytes of a limit.
    fn fits(&self, limit: usize, consumer: &MemoryConsumer, more: usize) -> bool {
        let left = limit.saturating_sub(self.total);
        if !consumer.can_spill() {
            return more <= left;
        }
        let own = self.consumers.get(&consumer.id()).map_or(0, |held| held.bytes);
        let share = limit.saturating_sub(self.pinned) / (self.sharing + usize::from(own == 0));
        let is_sort = consumer.name().starts_with(SORT);
        let (share, least) = if is_sort { (share / 2, limit / 8) } else { (share, limit / 16) };
        more <= left && own + more <= share.max(least)
    }
}

/// How DataFusion names sorts.
const SORT: &str = "ExternalSorter";

/// Returns what an operator does for the query, by DataFusion's name for the operator.
fn part_of_query(consumer: &str) -> String {
    let operator = consumer.split('[').next().unwrap_or(consumer);
    let part = match operator {
        "ExternalSorter" | "ExternalSorterMerge" | "TopK" | "SortPreservingMergeExec" => "ORDER BY",
        "AggregateStream" | "GroupedHashAggregateStream" => "the aggregation (GROUP BY, DISTINCT)",
        "HashJoinInput" | "NestedLoopJoinLoad" | "SMJStream" | "CrossJoinExec" => "a join",
        "RecursiveQuery" | "RecursiveQueryHashTable" => "WITH RECURSIVE",
        other if other.ends_with("AggregateStream") => "the aggregation (GROUP BY, DISTINCT)",
        other => other,
    };
    part.to_owned()
}

impl MemoryPool for Limited {
    fn name(&self) -> &'static str {
        "limited"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        let held =
            Consumer { name: consumer.name().into(), can_spill: consumer.can_spill(), bytes: 0 };
        self.held().consumers.insert(consumer.id(), held);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        let mut held = self.held();
        held.change(consumer, |_| 0);
        held.consumers.remove(&consumer.id());
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.held().change(reservation.consumer(), |bytes| bytes.saturating_add(additional));
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.held().change(reservation.consumer(), |bytes| bytes.saturating_sub(shrink));
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let consumer = reservation.consumer();
        let mut held = self.held();
        if held.fits(self.limit, consumer, additional) {
            held.change(consumer, |bytes| bytes + additional);
            return Ok(());
        }
        drop(held);
        Err(self.exhausted(consumer.name(), additional))
    }

    fn reserved(&self) -> usize {
        self.held().total
    }

    fn memory_limit(&self) -> MemoryLimit {
        MemoryLimit::Finite(self.limit)
    }
}

impl fmt::Display for Limited {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "limited to {} bytes", self.limit)
    }
}

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
    held: Mutex<HashMap<usize, Consumer>>,
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

    fn held(&self) -> MutexGuard<'_, HashMap<usize, Consumer>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes what a consumer holds.
    fn change(&self, reservation: &MemoryReservation, change: impl Fn(usize) -> usize) {
        if let Some(held) = self.held().get_mut(&reservation.consumer().id()) {
            held.bytes = change(held.bytes);
        }
    }

    /// Describes that a consumer could not get `bytes`, and which part of the query holds most.
    fn exhausted(&self, wanting: &str, bytes: usize) -> DataFusionError {
        let size = |bytes: usize| ByteSize::b(bytes as u64).display().si().to_string();
        let held = self.held();
        let most = held.values().max_by_key(|held| held.bytes).filter(|most| most.bytes > 0);
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

/// Whether a consumer may hold `more` bytes.
fn fits(
    limit: usize,
    all: &HashMap<usize, Consumer>,
    consumer: &MemoryConsumer,
    more: usize,
) -> bool {
    let total: usize = all.values().map(|held| held.bytes).sum();
    let left = limit.saturating_sub(total);
    let own = all.get(&consumer.id()).map_or(0, |held| held.bytes);
    let pinned: usize = all.values().filter(|held| !held.can_spill).map(|held| held.bytes).sum();
    let shares = |(id, held): &(&usize, &Consumer)| {
        held.can_spill && (held.bytes > 0 || **id == consumer.id())
    };
    let share = limit.saturating_sub(pinned) / all.iter().filter(shares).count().max(1);
    if !consumer.can_spill() {
        return more <= left;
    }
    let is_sort = consumer.name().starts_with(SORT);
    let (share, least) = if is_sort { (share / 2, limit / 8) } else { (share, limit / 16) };
    more <= left && own + more <= share.max(least)
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
        self.held().insert(consumer.id(), held);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.held().remove(&consumer.id());
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.change(reservation, |bytes| bytes.saturating_add(additional));
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.change(reservation, |bytes| bytes.saturating_sub(shrink));
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let consumer = reservation.consumer();
        let mut held = self.held();
        if fits(self.limit, &held, consumer, additional) {
            if let Some(held) = held.get_mut(&consumer.id()) {
                held.bytes += additional;
            }
            return Ok(());
        }
        drop(held);
        Err(self.exhausted(consumer.name(), additional))
    }

    fn reserved(&self) -> usize {
        self.held().values().map(|held| held.bytes).sum()
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

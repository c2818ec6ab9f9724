//! The memory pool: DataFusion's, with an error that names what holds most and what to do.

use std::fmt;
use std::num::NonZeroUsize;

use bytesize::ByteSize;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::memory_pool::{
    FairSpillPool, MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation, TrackConsumersPool,
};

/// Shares a number of bytes evenly among the operators that can spill, after what the others hold.
#[derive(Debug)]
pub struct Limited {
    limit: usize,
    pool: TrackConsumersPool<FairSpillPool>,
}

impl Limited {
    pub fn new(limit: usize) -> Self {
        Self { limit, pool: TrackConsumersPool::new(FairSpillPool::new(limit), NonZeroUsize::MIN) }
    }

    /// Describes that `wanting` could not get `bytes`, and which part of the query holds most.
    fn exhausted(&self, wanting: &str, bytes: usize) -> DataFusionError {
        let size = |bytes: usize| ByteSize::b(bytes as u64).display().si().to_string();
        let holds = self.pool.metrics().into_iter().max_by_key(|consumer| consumer.reserved);
        let most = holds.filter(|most| most.reserved > 0).map_or_else(String::new, |most| {
            format!("; {} holds {}", part_of_query(&most.name), size(most.reserved))
        });
        DataFusionError::ResourcesExhausted(format!(
            "{} needs {} more than the limit of {}{most}; raise --memory-limit, or select fewer columns or rows",
            part_of_query(wanting),
            size(bytes),
            size(self.limit),
        ))
    }
}

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
        self.pool.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.pool.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.pool.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.pool.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        let name = reservation.consumer().name();
        self.pool.try_grow(reservation, additional).map_err(|_| self.exhausted(name, additional))
    }

    fn reserved(&self) -> usize {
        self.pool.reserved()
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

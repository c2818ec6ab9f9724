//! A portion of the memory: what one client of a server may take of that which all share.

use std::fmt;
use std::sync::Arc;

use datafusion::error::Result;
use datafusion::execution::memory_pool::{
    MemoryConsumer, MemoryLimit, MemoryPool, MemoryReservation,
};

use super::pool::Limited;

/// A limit of its own within that of another pool: what is reserved here is reserved in both.
#[derive(Debug)]
pub struct Portion {
    own: Limited,
    whole: Arc<dyn MemoryPool>,
}

impl Portion {
    pub fn new(limit: usize, whole: Arc<dyn MemoryPool>) -> Self {
        Self { own: Limited::new(limit), whole }
    }
}

impl MemoryPool for Portion {
    fn name(&self) -> &'static str {
        "portion"
    }

    fn register(&self, consumer: &MemoryConsumer) {
        self.own.register(consumer);
        self.whole.register(consumer);
    }

    fn unregister(&self, consumer: &MemoryConsumer) {
        self.own.unregister(consumer);
        self.whole.unregister(consumer);
    }

    fn grow(&self, reservation: &MemoryReservation, additional: usize) {
        self.own.grow(reservation, additional);
        self.whole.grow(reservation, additional);
    }

    fn shrink(&self, reservation: &MemoryReservation, shrink: usize) {
        self.own.shrink(reservation, shrink);
        self.whole.shrink(reservation, shrink);
    }

    fn try_grow(&self, reservation: &MemoryReservation, additional: usize) -> Result<()> {
        self.own.try_grow(reservation, additional)?;
        self.whole
            .try_grow(reservation, additional)
            .inspect_err(|_| self.own.shrink(reservation, additional))
    }

    fn reserved(&self) -> usize {
        self.own.reserved()
    }

    fn memory_limit(&self) -> MemoryLimit {
        self.own.memory_limit()
    }
}

impl fmt::Display for Portion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} within {}", self.own, self.whole)
    }
}

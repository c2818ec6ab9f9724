//! The memory ledger: what is allocated, by device, pool and allocation.
//!
//! In: memory events, and the queue operations that allocate and free. Out: what is open and the most that ever was.

pub mod balance;
pub mod columns;
pub mod events;
pub mod ledger;
pub mod lifetimes;

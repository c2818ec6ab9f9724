//! The memory ledger: allocations by device, pool and allocation.
//!
//! In: memory events, and the queue operations that allocate and free. Out: current amounts, high-water marks and
//! totals.

pub mod allocations;
pub mod balance;
pub mod columns;
pub mod events;
pub(crate) mod ledger;
pub mod lifetimes;
pub mod live;
pub mod pass;
pub mod peaks;
pub mod pools;
pub mod spans;
mod told;

pub use balance::{Life, Open};
pub use events::{Event, Kind, Step};
pub use ledger::{Change, Device};
pub use told::{PoolTotals, Told};

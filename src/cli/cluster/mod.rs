//! `worker`: a process of a cluster, and the flags of `sql` that name one.

mod args;
#[cfg(feature = "cluster")]
mod processes;
#[cfg(not(feature = "cluster"))]
mod without;

pub use args::{OfCluster, Worker};
#[cfg(feature = "cluster")]
pub use processes::{planning, run_worker};
#[cfg(not(feature = "cluster"))]
pub use without::{planning, run_worker};
